import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const token = await administratorToken(w, owner)
const admin = asAdministrator(w, token)
const keys = `/v1/tenants/${w.tenant_id}/platform-keys`

test('GET /v1/me returns the owner with both memberships: the own tenant and, since bootstrap, the root tenant', async () => {
  const me = expectStatus(200, await admin('GET', '/v1/me'))
  assert.equal(me.user_id, w.owner_id)
  assert.deepEqual(
    me.memberships.map(({ slug, role }: { slug: string; role: string }) => [slug, role]),
    [
      ['acme', 'owner'],
      ['ostiary', 'owner'],
    ],
  )
})

test('a platform key is shown once, works at once, and stops working when it is rotated or revoked', async () => {
  const created = expectStatus(201, await admin('POST', keys, { label: 'CI', scopes: ['projects:read'] }))
  assert.match(created.key, /^svc_platform_sk_/)
  expectStatus(200, await w.call('GET', '/v1/platform/projects', { key: created.key }))
  assert.equal(expectStatus(200, await admin('GET', `${keys}/${created.id}`)).key, undefined)

  const rotated = expectStatus(200, await admin('POST', `${keys}/${created.id}/rotate`))
  assert.equal((await w.call('GET', '/v1/platform/projects', { key: created.key })).status, 401)
  expectStatus(200, await w.call('GET', '/v1/platform/projects', { key: rotated.key }))

  assert.equal((await admin('DELETE', `${keys}/${created.id}`)).status, 204)
  assert.equal((await admin('DELETE', `${keys}/${created.id}`)).status, 204)
  assert.equal((await w.call('GET', '/v1/platform/projects', { key: rotated.key })).status, 401)
  assert.equal((await admin('POST', `${keys}/${created.id}/rotate`)).body.code, 'key_revoked')
})

test('the platform keys of the root tenant are 404', async () => {
  const { root_tenant_id } = expectStatus(200, await admin('GET', '/v1/me'))
  assert.equal((await admin('GET', `/v1/tenants/${root_tenant_id}/platform-keys`)).status, 404)
})

test('an invited person creates an account, accepts the invitation, signs in, and has the rights of the role', async () => {
  const invited = expectStatus(
    201,
    await admin('POST', `/v1/tenants/${w.tenant_id}/members`, { email: 'grace@example.com', role: 'viewer' }),
  )
  const agent = createAgent()
  const password = 'a memorable sentence'
  const created = await agent.submit(await agent.get(invited.invitation_url), { email: 'grace@example.com', password })
  expectStatus(200, await agent.submit(await followPages(agent, created), {}))
  const [member] = expectStatus(200, await admin('GET', `/v1/tenants/${w.tenant_id}/members`)).data
  const [event] = await w.deployment.db.all(
    z.object({ data: z.record(z.string(), z.unknown()) }),
    sql`select data from events where type = 'user.created' and user_id = ${member.user_id}`,
  )
  assert.deepEqual(event?.data, { email: 'grace@example.com', method: 'invitation' })

  const viewer = asAdministrator(w, await administratorToken(w, { email: 'grace@example.com', password }))
  expectStatus(200, await viewer('GET', '/v1/platform/projects'))
  assert.equal((await viewer('POST', '/v1/platform/projects', { slug: 'no', name: 'No' })).body.code, 'insufficient_role')
  assert.equal((await viewer('GET', `${w.test.path}/users`)).body.code, 'insufficient_role')
  assert.equal((await viewer('GET', keys)).body.code, 'insufficient_role')

  await admin('PATCH', `/v1/tenants/${w.tenant_id}/members/${member.user_id}`, { role: 'developer' })
  expectStatus(201, await viewer('POST', '/v1/platform/projects', { slug: 'yes', name: 'Yes' }))
})

test('the last owner can neither leave nor give up the role', async () => {
  const member = `/v1/tenants/${w.tenant_id}/members/${w.owner_id}`
  assert.equal((await admin('DELETE', member)).body.code, 'last_owner')
  assert.equal((await admin('PATCH', member, { role: 'admin' })).body.code, 'last_owner')
})

test('an administrator sees no tenant of others, and a call that names no tenant is tenant_required', async () => {
  const other = expectStatus(201, await admin('POST', '/v1/tenants', { slug: 'other', name: 'Other' }))
  expectStatus(200, await admin('GET', `/v1/tenants/${other.id}`))
  const stranger = 'ten_01m7wwr5ftevtv5yxb47hmb4ht'
  assert.equal((await admin('GET', `/v1/tenants/${stranger}`)).status, 404)
  assert.equal((await asAdministrator(w, token, stranger)('GET', '/v1/platform/projects')).status, 404)
  assert.equal((await asAdministrator(w, token, null)('GET', '/v1/platform/projects')).body.code, 'tenant_required')
  assert.equal((await asAdministrator(w, token, other.id)('GET', `/v1/platform/projects/${w.project.id}`)).status, 404)
})

for (const path of [keys, '/v1/me', '/v1/tenants'])
  test(`an API key is wrong_key_type at ${path.replace(w.tenant_id, '{tenant_id}')}`, async () => {
    assert.equal((await w.call('GET', path)).body.code, 'wrong_key_type')
  })
