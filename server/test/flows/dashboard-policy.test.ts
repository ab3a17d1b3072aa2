/** The hosts in the policy of the dashboard: a host of an issuer names a tenant. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asAdministrator } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-dashboard-policy-'))
after(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Dashboard</title>')

const w = await world({
  dashboard_folder: folder,
  env: { OSTIARY_ISSUER_HOSTS: 'login.acme.example=acme, *.globex.example=globex' },
})
const stranger = await createAdministrator(w, 'stranger@example.org')
expectStatus(201, await asAdministrator(w, stranger.token, null)('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }))
const nobody = await createAdministrator(w, 'nobody@example.org')
const ours = await signInToDashboard(w)
const theirs = await signInToDashboard(w, stranger)
const none = await signInToDashboard(w, nobody)
const left = await signInToDashboard(w)
const left_cookie = left.cookie()
await left.signOut()
const ended = await signInToDashboard(w)
await ended.agent.submit(await ended.agent.get(`${w.admin_issuer}/oauth/logout`), { decision: 'sign_out' })

const load = (headers: Record<string, string>) => fetch(w.reach(`${w.base_url}/dashboard/t/acme`), { headers })

// biome-ignore format: this table is read by column
const cases: [who: string, cookie: string, hosts: string][] = [
  ['a member of acme',             ours.cookie(),   ' https://login.acme.example:*'],
  ['a member of globex',           theirs.cookie(), ' https://*.globex.example:*'],
  ['a member of no tenant',        none.cookie(),   ''],
  ['a session that ended',         left_cookie,     ''],
  ['one that ended at the issuer', ended.cookie(),  ''],
  ['a cookie of nobody',           `${ours.cookie().split('=')[0]}=${'a'.repeat(43)}`, ''],
  ['a browser without a session',  '',              ''],
]
for (const [who, cookie, hosts] of cases)
  test(`the policy for ${who} allows connections to ${hosts.trim() || 'no host of an issuer'}`, async () => {
    const reply = await load(cookie === '' ? {} : { cookie })
    assert.equal(reply.status, 200)
    assert.equal(/connect-src ([^;]*);/.exec(reply.headers.get('content-security-policy') ?? '')?.[1], `'self'${hosts}`)
    assert.equal(reply.headers.get('refresh'), null)
  })

test('a page that another site opened loads again, since no cookie came with the request', async () => {
  const reply = await load({ 'sec-fetch-site': 'cross-site' })
  assert.equal(reply.headers.get('refresh'), '0')
  for (const site of ['none', 'same-origin', 'same-site'])
    assert.equal((await load({ 'sec-fetch-site': site })).headers.get('refresh'), null)
})
