/** A replay by Idempotency-Key is judged by the rights that the call would need now. The first test covers every POST of the route table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import { asAdministrator, joinTenant } from '../support/administrator.ts'
import { own, ownOf, promoting, upward, values } from '../support/promotions.ts'
import { type ApiRequest, ask, bearer, eachRow, rows, validRequest } from '../support/route-table.ts'
import { createAdministrator, createAuthKey, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"invitations_per_day":1000,"webhooks":1000,"webhooks_per_tenant":1000}' } })
const { ours } = await createTwoTenants(w)
const { createProject, filled, planned } = promoting(w)
const as_owner = asAdministrator(w, ours.token)
const members = `/v1/tenants/${ours.tenant_id}/members`
const posts = rows.filter(({ route }) => route.method === 'POST')
const elsewhere = { ip_allowlist: ['203.0.113.9'] }

let keys = 0
const once = () => ({ 'idempotency-key': `once ${++keys}` })
const isReplayed = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true'
const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`

let people = 0
async function createMember(role: string) {
  const person = await createAdministrator(w, `replaying${++people}@example.org`)
  await joinTenant(w, ours, person, role)
  return { ...person, call: asAdministrator(w, person.token, ours.tenant_id) }
}
const setRole = async (user_id: string, role: string) => expectStatus(200, await as_owner('PATCH', `${members}/${user_id}`, { role }))

interface Credential {
  headers: Record<string, string>
  narrow: () => Promise<unknown>
  /** Gives the rights back, where they can come back. */
  restore?: () => Promise<unknown>
}

async function platformKey(narrowed: object | null): Promise<Credential> {
  const { key, key_id, scopes, ip_allowlist } = await createPlatformKey(w, ours)
  const path = `/v1/tenants/${ours.tenant_id}/platform-keys/${key_id}`
  const change = async (fields: object) => expectStatus(200, await as_owner('PATCH', path, fields))
  return {
    headers: { 'x-api-key': key },
    narrow: async () => (narrowed ? change(narrowed) : expectStatus(204, await as_owner('DELETE', path))),
    ...(narrowed ? { restore: () => change({ scopes, ip_allowlist }) } : {}),
  }
}

async function secretKey(narrowed: object | null): Promise<Credential> {
  const { key, key_id } = await createAuthKey(w, ours.test, 'auth_secret')
  const path = `${ours.test.path}/auth-keys/${key_id}`
  const change = async (fields: object) => expectStatus(200, await w.call('PATCH', path, { body: fields }))
  return {
    headers: { 'x-api-key': key },
    narrow: async () => (narrowed ? change(narrowed) : expectStatus(204, await w.call('DELETE', path))),
    ...(narrowed ? { restore: () => change({ ip_allowlist: [] }) } : {}),
  }
}

async function administrator(how: 'lower' | 'remove'): Promise<Credential> {
  const { user_id, token } = await createMember('owner')
  const narrow = {
    lower: () => setRole(user_id, 'viewer'),
    remove: async () => expectStatus(204, await as_owner('DELETE', `${members}/${user_id}`)),
  }
  return {
    headers: bearer(token, ours),
    narrow: narrow[how],
    ...(how === 'lower' ? { restore: () => setRole(user_id, 'owner') } : {}),
  }
}

const needsRole = ({ credential }: Route) => 'role' in credential && credential.role !== null
const byPlatformKey = ({ credential }: Route) => credential.kind === 'platform'
const bySecretKey = ({ credential }: Route) => credential.kind === 'secret'
const withoutWrites = platformScopes.filter((scope) => scope.endsWith(':read') && scope !== 'projects:read')

const narrowings: { why: string; concerns: (route: Route) => boolean; make: () => Promise<Credential>; refused: string }[] = [
  {
    why: 'its scope was taken from the key',
    concerns: byPlatformKey,
    make: () => platformKey({ scopes: withoutWrites }),
    refused: '403 insufficient_scope',
  },
  { why: 'the platform key was revoked', concerns: byPlatformKey, make: () => platformKey(null), refused: '401 invalid_key' },
  {
    why: 'the platform key admits other addresses',
    concerns: byPlatformKey,
    make: () => platformKey(elsewhere),
    refused: '403 ip_not_allowed',
  },
  { why: 'the secret key was revoked', concerns: bySecretKey, make: () => secretKey(null), refused: '401 invalid_key' },
  { why: 'the secret key admits other addresses', concerns: bySecretKey, make: () => secretKey(elsewhere), refused: '403 ip_not_allowed' },
  { why: 'the administrator is a viewer', concerns: needsRole, make: () => administrator('lower'), refused: '403 insufficient_role' },
  { why: 'the administrator left the tenant', concerns: needsRole, make: () => administrator('remove'), refused: '404 not_found' },
]

/** Rows that end an object or a credential of other rows come last. Rows that need a set-up by hand have tests of their own. */
const repeatable = posts.filter(({ name }) => !/^(approve|apply|revert)Promotion$|^resendInvitation$/.test(name))

for (const { why, concerns, make, refused } of narrowings)
  test(`a replay is ${refused} where ${why}`, async (t) => {
    const { headers, narrow, restore } = await make()
    const made: { name: string; request: ApiRequest; first: Reply }[] = []
    for (const { name, route } of repeatable.filter(({ route }) => concerns(route))) {
      const { headers: _, ...valid } = validRequest(route, ours)
      const request = { ...valid, headers: { ...headers, ...once() } }
      const first = await ask(w, request)
      if (first.status < 300 && isReplayed(await ask(w, request))) made.push({ name, request, first })
    }
    assert.ok(made.length >= 4, `${made.map(({ name }) => name)}`)
    await narrow()
    await eachRow(t, made, async ({ request }) => {
      const reply = await ask(w, request)
      assert.equal(codeOf(reply), refused)
      assert.equal(isReplayed(reply), false)
    })
    if (!restore) return
    await restore()
    for (const { name, request, first } of made) {
      const reply = await ask(w, request)
      assert.deepEqual([reply.status, reply.body.id, isReplayed(reply)], [first.status, first.body.id, true], name)
    }
  })

test('a replay of a step needs the write scope of each kind that it changes', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values })
  const all = ['projects:write', 'env.settings:write', 'resource_servers:write', 'applications:write', 'providers:write', 'webhooks:write']
  const { key, key_id } = await createPlatformKey(w, ours, { scopes: all })
  const give = async (scopes: string[]) =>
    expectStatus(200, await as_owner('PATCH', `/v1/tenants/${ours.tenant_id}/platform-keys/${key_id}`, { scopes }))
  for (const name of ['apply', 'revert']) {
    const headers = once()
    const call = () => w.call('POST', `${project.path}/promotions/${id}/${name}`, { key, body: {}, headers })
    const first = expectStatus(200, await call())
    for (const lost of all.slice(1)) {
      await give(all.filter((scope) => scope !== lost))
      const reply = await call()
      assert.deepEqual([codeOf(reply), reply.body.required_scopes], ['403 insufficient_scope', [lost]], `${name} without ${lost}`)
    }
    await give(all)
    const again = await call()
    assert.deepEqual([expectStatus(200, again), isReplayed(again)], [{ ...first, secrets: null }, true])
  }
})

test('a replay of a step shows a key only the kinds that it may read or write now', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values, only: [{ object: 'settings' }] })
  const needed = ['projects:write', 'env.settings:write']
  const { key, key_id } = await createPlatformKey(w, ours, { scopes: [...needed, 'providers:read', 'webhooks:read'] })
  const headers = once()
  const kindsOf = async () => {
    const { values } = expectStatus(200, await w.call('POST', `${project.path}/promotions/${id}/apply`, { key, body: {}, headers }))
    return values.map(({ object }: { object: string }) => object)
  }
  assert.deepEqual(await kindsOf(), ['provider', 'webhook'])
  const path = `/v1/tenants/${ours.tenant_id}/platform-keys/${key_id}`
  expectStatus(200, await as_owner('PATCH', path, { scopes: [...needed, 'webhooks:read'] }))
  assert.deepEqual(await kindsOf(), ['webhook'])
})

test('a replay of a step in Live needs the role admin now, and one in Test the role developer', async () => {
  const project = await createProject()
  const admin = await createMember('admin')
  const length = (n: number) => ({ settings: { password: { min_length: n } } })
  const plans = { live: await planned(project, own(project, length(14))), test: await planned(project, ownOf(project.test, length(14))) }
  for (const name of ['apply', 'revert'])
    for (const [type, { id }] of Object.entries(plans)) {
      const headers = once()
      const call = () => admin.call('POST', `${project.path}/promotions/${id}/${name}`, {}, headers)
      expectStatus(200, await call())
      await setRole(admin.user_id, 'developer')
      assert.equal(codeOf(await call()), type === 'live' ? '403 insufficient_role' : '200 undefined', `${name} in ${type}`)
      await setRole(admin.user_id, 'viewer')
      assert.equal(codeOf(await call()), '403 insufficient_role')
      await setRole(admin.user_id, 'admin')
      assert.ok(isReplayed(await call()))
    }
})

test('a replay of an invitation needs a role that may give what it gives now', async () => {
  const inviter = await createMember('owner')
  const invite = async (role: string) => {
    const body = { email: `invited${++people}@example.org`, role }
    const headers = once()
    const call = () => inviter.call('POST', members, body, headers)
    return { call, ...expectStatus(201, await call()) }
  }
  const [as_admin_now, raised, gone] = [await invite('owner'), await invite('developer'), await invite('developer')]
  const gone_owner = await invite('owner')
  expectStatus(204, await as_owner('DELETE', `${members}/${gone_owner.id}`))
  const resent = once()
  const resend = () => inviter.call('POST', `${members}/${raised.id}/resend`, {}, resent)
  expectStatus(200, await resend())
  await setRole(inviter.user_id, 'admin')
  for (const { call } of [as_admin_now, gone_owner]) assert.equal(codeOf(await call()), '403 insufficient_role')
  for (const call of [raised.call, resend]) assert.ok(isReplayed(await call()))
  expectStatus(200, await as_owner('PATCH', `${members}/${raised.id}`, { role: 'owner' }))
  for (const call of [raised.call, resend]) assert.equal(codeOf(await call()), '403 insufficient_role')
  expectStatus(204, await as_owner('DELETE', `${members}/${gone.id}`))
  expectStatus(204, await as_owner('DELETE', `${members}/${raised.id}`))
  for (const call of [gone.call, raised.call, resend]) {
    const reply = await call()
    assert.deepEqual([isReplayed(reply), reply.body.invitation_url], [true, null])
  }
  await setRole(inviter.user_id, 'developer')
  assert.equal(codeOf(await gone.call()), '403 insufficient_role')
})

test('where the object is gone, the rights in its environment count, and its secret stays null', async () => {
  const credential = await platformKey({ scopes: withoutWrites })
  const path = `${ours.test.path}/applications`
  const body = { name: 'Gone', application_type: 'web', redirect_uris: ['https://app.example.com/callback'] }
  const creation = { method: 'POST', path, headers: { ...credential.headers, ...once() }, body }
  const { id } = expectStatus(201, await ask(w, creation))
  const rotation = { method: 'POST', path: `${path}/${id}/rotate-secret`, headers: { ...credential.headers, ...once() } }
  expectStatus(200, await ask(w, rotation))
  expectStatus(204, await w.call('DELETE', `${path}/${id}`))
  for (const request of [creation, rotation]) {
    const reply = await ask(w, request)
    assert.deepEqual([isReplayed(reply), reply.body.id, reply.body.client_secret], [true, id, null])
  }
  await credential.narrow()
  for (const request of [creation, rotation]) assert.equal(codeOf(await ask(w, request)), '403 insufficient_scope')
})

test('a replay asks for no fresh sign-in, no version and no room; any other call asks for all', async (t) => {
  const { token, call } = await createMember('owner')
  const made: { name: string; request: ApiRequest }[] = []
  for (const { name, route } of repeatable.filter(({ route }) => needsRole(route))) {
    const { headers: _, ...valid } = validRequest(route, ours, ours.live)
    const request = { ...valid, headers: { ...bearer(token, ours, ours.live), ...once() } }
    if ((await ask(w, request)).status < 300 && isReplayed(await ask(w, request))) made.push({ name, request })
  }
  w.advance(601)
  const stale = { 'if-match': '"0"' }
  await eachRow(t, made, async ({ request }) => {
    assert.ok(isReplayed(await ask(w, { ...request, headers: { ...request.headers, ...stale } })))
  })
  const body = { type: 'auth_secret' }
  const headers = once()
  const path = `${ours.test.path}/auth-keys`
  for (const more of [headers, {}, { 'idempotency-key': 'x'.repeat(256) }])
    assert.equal(codeOf(await call('POST', path, body, more)), '403 reauthentication_required')
  assert.equal(codeOf(await call('POST', path, { ...body, unknown: 1 }, headers)), '422 validation_failed')
  const kept = made.find(({ name }) => name === 'createAuthKey')?.request
  assert.ok(kept)
  assert.equal(codeOf(await ask(w, { ...kept, body: { ...(kept.body as object), label: 'other bytes' } })), '403 reauthentication_required')
})
