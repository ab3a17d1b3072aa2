/** Readiness: each check fails on a new environment and passes once the thing is there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Readiness } from '@ostiary/contract/readiness.ts'
import { sql } from '../../src/db/db.ts'
import { insertMember } from '../../src/domain/members/store.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { until } from '../support/receiver.ts'
import { createRole, deleteRole } from '../support/roles.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' } })

const readiness = async ({ path }: TestEnvironment): Promise<Readiness> => expectStatus(200, await w.call('GET', `${path}/readiness`))

async function failing(environment: TestEnvironment): Promise<string[]> {
  return (await readiness(environment)).checks.filter(({ ok }) => !ok).map(({ code }) => code)
}

test('a new Live environment lacks mail, an application, https, links, a second owner and a sign-in, and each check has its link', async () => {
  const { live } = await w.createProject('fresh')
  const { ready, checks } = await readiness(live)
  assert.equal(ready, false)
  assert.deepEqual(await failing(live), ['mail_works', 'application_exists', 'https_only', 'links_set', 'two_owners', 'real_sign_in'])
  for (const { link, detail } of checks) {
    assert.ok(link.startsWith(`${w.base_url}/v1/`), link)
    assert.match(detail, /\.$/)
  }
  const by_key = checks.filter(({ link }) => link.includes('/platform/'))
  for (const { link } of by_key) assert.equal((await w.call('GET', link)).status, 200, link)
})

test('checks tick on real traffic, and environments are judged apart', async () => {
  const { test: environment, live } = await w.createProject('ticking')
  const application = await w.createApplication(environment)
  await createPerson(w, environment).then((person) => person.tokens(application))
  await until('the sign-in', async () => !(await failing(environment)).includes('real_sign_in'))
  await w.changeSettings(environment, {
    links: { terms_url: 'https://a.example/t', privacy_url: 'https://a.example/p', support_url: 'https://a.example/s' },
  })
  assert.deepEqual(await failing(environment), ['https_only', 'two_owners']) // the service itself runs on http here
  assert.ok((await failing(live)).includes('real_sign_in'))
  await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { disabled: true } })
  assert.ok((await failing(environment)).includes('application_exists'))
})

test('the addresses of every enabled application are looked through, whatever their number', async () => {
  const { test: environment } = await w.createProject('addresses')
  await w.deployment.db.run(sql`update environments set issuer = ${'https://login.example.com'} where id = ${environment.id}`)
  for (let n = 0; n < 45; n++) await w.createApplication(environment, { name: `Number ${n}` })
  assert.ok(!(await failing(environment)).includes('https_only'))
  const fields: Record<string, unknown>[] = [
    { redirect_uris: ['https://a.example/', 'http://a.example/'] },
    { post_logout_redirect_uris: ['http://a.example/'] },
    { initiate_login_uri: 'http://a.example/' },
    { logo_uri: 'http://a.example/' },
    { backchannel_logout_uri: 'http://a.example/' },
  ]
  for (const field of fields) {
    const application = await w.createApplication(environment, { name: 'Plain', ...field })
    assert.ok((await failing(environment)).includes('https_only'), JSON.stringify(field))
    await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { disabled: true } })
    assert.ok(!(await failing(environment)).includes('https_only'), JSON.stringify(field))
  }
  const native = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] }
  await w.createApplication(environment, native)
  assert.ok(!(await failing(environment)).includes('https_only'))

  const trying = await w.createApplication(environment, { name: 'Trying', redirect_uris: [`${w.base_url}/try/callback`] })
  const { checks } = await readiness(environment)
  const found = checks.find(({ code }) => code === 'no_try_address')
  assert.deepEqual([found?.ok, found?.link.endsWith(`/applications/${trying.id}`)], [false, true])
  await w.call('DELETE', `${environment.path}/applications/${trying.id}`)
  assert.ok(!(await failing(environment)).includes('no_try_address'))
})

test('the result for an environment with megabytes of addresses is kept for half a minute', async () => {
  const { test: environment } = await w.createProject('large')
  const redirect_uris = Array.from({ length: 50 }, (_, n) => `https://a.example/${n}/${'x'.repeat(1_900)}`)
  for (let n = 0; n < 12; n++) await w.createApplication(environment, { redirect_uris })
  assert.ok(!(await failing(environment)).includes('no_try_address'))
  await w.createApplication(environment, { redirect_uris: [`${w.base_url}/try/callback`] })
  assert.ok(!(await failing(environment)).includes('no_try_address'))
  w.advance(31)
  assert.ok((await failing(environment)).includes('no_try_address'))
})

test('a secret key without an IP allowlist counts until it is restricted, revoked or expired', async () => {
  const { live } = await w.createProject('restricted')
  const expires_at = new Date(w.now().getTime() + 60_000).toISOString()
  const keys = [
    await createAuthKey(w, live, 'auth_secret'),
    await createAuthKey(w, live, 'auth_secret'),
    await createAuthKey(w, live, 'auth_secret', { expires_at }),
  ]
  await createAuthKey(w, live, 'auth_publishable')
  const open = async () => (await readiness(live)).checks.find(({ code }) => code === 'keys_restricted')?.detail ?? ''
  assert.match(await open(), /^3 secret keys/)
  await w.call('PATCH', `${live.path}/auth-keys/${keys[0]?.id}`, { body: { ip_allowlist: ['192.0.2.1'] } })
  await w.call('DELETE', `${live.path}/auth-keys/${keys[1]?.id}`)
  assert.match(await open(), /^One secret key/)
  w.advance(61)
  assert.match(await open(), /^Every secret key/)
})

test('a webhook counts until it answers, a disabled one does not, and one that the service disabled does', async () => {
  const { test: environment } = await w.createProject('hooks')
  const webhook = expectStatus(201, await w.call('POST', `${environment.path}/webhooks`, { body: { url: 'https://hooks.example.com/' } }))
  const set = (change: ReturnType<typeof sql>) => w.deployment.db.run(sql`update webhooks set ${change} where id = ${webhook.id}`)
  assert.ok((await failing(environment)).includes('webhooks_answer'))
  await set(sql`last_success_at = ${w.now()}`)
  assert.ok(!(await failing(environment)).includes('webhooks_answer'))
  await set(sql`failing_since = ${w.now()}`)
  assert.ok((await failing(environment)).includes('webhooks_answer'))
  await set(sql`disabled = 1`)
  assert.ok(!(await failing(environment)).includes('webhooks_answer'))
  await set(sql`disabled_reason = 'failing'`)
  assert.ok((await failing(environment)).includes('webhooks_answer'))
})

test('a product that needs a user name warns until the address takes its place, and a disabled application does not', async () => {
  const { live: environment } = await w.createProject('products')
  const made = await w.createApplication(environment, { template: 'memos', name: 'Notes' })
  assert.ok((await failing(environment)).includes('claims_for_products'))
  await w.call('PATCH', `${environment.path}/applications/${made.id}`, { body: { disabled: true } })
  assert.ok(!(await failing(environment)).includes('claims_for_products'))
  await w.call('PATCH', `${environment.path}/applications/${made.id}`, { body: { disabled: false } })
  assert.ok((await failing(environment)).includes('claims_for_products'))
  await w.changeSettings(environment, { claims: { preferred_username: 'email' } })
  assert.ok(!(await failing(environment)).includes('claims_for_products'))
})

test('a resource server that requires roles warns until a role gives one of its scopes, and again once that role is gone', async () => {
  const { live: environment } = await w.createProject('roles')
  const warns = async () => (await failing(environment)).includes('roles_give_scopes')
  const body = { slug: 'orders', name: 'Orders', identifier: 'https://orders.example.com', scopes: [{ name: 'read' }] }
  const server = expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
  assert.equal(await warns(), false)
  expectStatus(200, await w.call('PATCH', `${environment.path}/resource-servers/${server.id}`, { body: { require_roles: true } }))
  assert.equal(await warns(), true)
  const role = await createRole(w, environment, { permissions: [{ resource_server: 'orders', scopes: ['read'] }] })
  assert.equal(await warns(), false)
  await deleteRole(w, environment, role)
  assert.equal(await warns(), true)
  expectStatus(200, await w.call('PATCH', `${environment.path}/resource-servers/${server.id}`, { body: { scopes: [] } }))
  assert.equal(await warns(), false)
})

test('what requires an organization warns until there is one, and a disabled application does not', async () => {
  const { live: environment } = await w.createProject('organizations')
  const warns = async () => (await failing(environment)).includes('organizations_exist')
  const patch = async (path: string, body: object) => expectStatus(200, await w.call('PATCH', `${environment.path}/${path}`, { body }))
  const application = await w.createApplication(environment, { organizations: 'optional' })
  const body = { slug: 'orders', name: 'Orders', identifier: 'https://orders.example.com', organizations: 'required' }
  assert.equal(await warns(), false)
  await patch(`applications/${application.id}`, { organizations: 'required' })
  assert.equal(await warns(), true)
  await patch(`applications/${application.id}`, { disabled: true })
  assert.equal(await warns(), false)
  const server = expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
  assert.equal(await warns(), true)
  const of_live = await organizationsOf(w, environment)
  const { id } = await of_live.create()
  assert.equal(await warns(), false)
  expectStatus(204, await of_live.auth('DELETE', `organizations/${id}`))
  assert.equal(await warns(), true)
  await patch(`resource-servers/${server.id}`, { organizations: 'none' })
  assert.equal(await warns(), false)
})

test('a second owner passes the check of owners, a second member with another role does not', async () => {
  assert.ok((await failing(w.live)).includes('two_owners'))
  for (const role of ['admin', 'owner'] as const) {
    assert.ok((await failing(w.live)).includes('two_owners'))
    await w.deployment.db.run(insertMember(w.tenant_id, w.deployment.newId('usr'), role, w.now()))
  }
  assert.ok(!(await failing(w.live)).includes('two_owners'))
})
