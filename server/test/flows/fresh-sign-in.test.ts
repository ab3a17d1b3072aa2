import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { ask, bearer, eachRow, idsOf, pathOf, rows, sampleBody } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const aged = await administratorToken(w, owner)
const dashboard = await signInToDashboard(w)
w.advance(601)
const fresh = await administratorToken(w, owner)

/** The rows and what makes a call of them need a fresh sign-in (contract §3). */
const always = [
  ...['createAuthKey', 'rotateAuthKey', 'revokeAuthKey', 'createPlatformKey', 'rotatePlatformKey', 'revokePlatformKey'],
  ...['rotateClientSecret', 'rotateSigningKey', 'addMember', 'changeMember', 'removeMember', 'resendInvitation'],
]
const in_live = ['deleteUser', 'removeUserMethod', 'deleteApplication', 'deleteResourceServer', 'deleteProvider', 'deleteWebhook']
const by_body = ['changeSettings', 'createApplication', 'changeApplication']

test('the table asks for a fresh sign-in on exactly these rows', () => {
  const named = rows.filter(({ route }) => route.fresh !== undefined).map(({ name }) => name)
  assert.deepEqual(named.sort(), [...always, ...in_live, ...by_body].sort())
})

test('no DELETE row is left out but those that end a sign-in', () => {
  const left_out = rows.filter(({ route }) => route.method === 'DELETE' && !route.fresh).map(({ name }) => name)
  assert.deepEqual(left_out.sort(), ['disconnectGrant', 'endSession'])
})

type Row = (typeof rows)[number]

/** A call that is refused after the check of the sign-in, because its version is stale or an id is unknown. */
function harmless({ route }: Row, token: string, environment = ours.test) {
  const ids = idsOf(route, ours, environment)
  return ask(w, {
    method: route.method,
    path: pathOf(route, ids),
    headers: { ...bearer(token, ours, environment), 'if-match': '"0"', 'content-type': 'application/json' },
    ...(route.body ? { body: { ...sampleBody(route.body), unknown_field: true } } : {}),
  })
}
const isStale = (reply: { status: number; body: { code?: string } }) =>
  reply.status === 403 && reply.body.code === 'reauthentication_required'

const admitting = rows.filter(
  ({ route }) =>
    ['platform', 'administrator', 'secret'].includes(route.credential.kind) && 'role' in route.credential && route.credential.role !== null,
)

test('a sign-in of 601 s ago is refused where the row asks for a fresh one, and nowhere else', (t) =>
  eachRow(t, admitting, async (row) => {
    const { name } = row
    for (const environment of [ours.test, ours.live]) {
      const needed = always.includes(name) || (in_live.includes(name) && environment === ours.live)
      if (row.route.method !== 'GET' && row.route.method !== 'DELETE' && !needed && row.route.body === undefined) continue
      if (row.route.method === 'DELETE' && !needed && !always.includes(name)) continue // would delete it; below
      const reply = await harmless(row, aged, environment)
      assert.equal(isStale(reply), needed, `${environment.type}: ${JSON.stringify(reply.body)}`)
      if (!needed) continue
      assert.equal(reply.body.max_age, 600)
      assert.equal(reply.headers.get('x-request-id'), reply.body.request_id)
    }
  }))

test('a deletion in Test needs no fresh sign-in', async () => {
  const made = await w.createApplication(w.test)
  const headers = { authorization: `Bearer ${aged}`, 'x-tenant-id': w.tenant_id }
  const path = (environment: { path: string }, id: string) => `${environment.path}/applications/${id}`
  assert.equal((await w.call('DELETE', path(w.test, made.id), { key: null, headers })).status, 204)
  const live = await w.createApplication(w.live)
  const refused = await w.call('DELETE', path(w.live, live.id), { key: null, headers })
  assert.ok(isStale(refused))
  const again = { authorization: `Bearer ${fresh}`, 'x-tenant-id': w.tenant_id }
  assert.equal((await w.call('DELETE', path(w.live, live.id), { key: null, headers: again })).status, 204)
  const unknown = await w.call('DELETE', path({ path: w.live.path.replace(/env_\w+$/, 'env_01m7wwr5ftevtv5yxb47hmb4ht') }, live.id), {
    key: null,
    headers,
  })
  assert.equal(unknown.status, 404)
})

const settings: [body: object, needs: boolean][] = [
  [{ email: { from: 'shop@example.com' } }, true],
  [{ email: null }, true],
  [{ email: {}, branding: { display_name: 'Shop' } }, true],
  [{ branding: { display_name: 'Shop' } }, false],
  [{ sign_in: { password: true } }, false],
]
for (const [body, needs] of settings)
  test(`a change of settings by ${JSON.stringify(body)} ${needs ? 'needs a' : 'needs no'} fresh sign-in`, async () => {
    const headers = { authorization: `Bearer ${aged}`, 'x-tenant-id': w.tenant_id }
    const reply = await w.call('PATCH', `${w.test.path}/settings`, { key: null, headers, body })
    assert.equal(isStale(reply), needs, JSON.stringify(reply.body))
    if (!needs) assert.equal(reply.status, 200)
  })

const key = { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }
const redirect_uris = ['https://app.example.com/callback']
const applications: [body: object, needs: boolean][] = [
  [{ application_type: 'web' }, true],
  [{ application_type: 'web', token_endpoint_auth_method: 'client_secret_post' }, true],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } }, false],
  [{ application_type: 'spa' }, false],
  [{ application_type: 'native' }, false],
]
for (const [body, needs] of applications)
  test(`an application ${JSON.stringify(body)} ${needs ? 'needs a' : 'needs no'} fresh sign-in`, async () => {
    const headers = { authorization: `Bearer ${aged}`, 'x-tenant-id': w.tenant_id }
    const reply = await w.call('POST', `${w.test.path}/applications`, { key: null, headers, body: { name: 'App', redirect_uris, ...body } })
    assert.equal(isStale(reply), needs, JSON.stringify(reply.body))
  })

const authentication: [body: object, needs: boolean][] = [
  [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } }, true],
  [{ token_endpoint_auth_method: 'client_secret_post' }, true],
  [{ token_endpoint_auth_method: null }, true],
  [{ name: 'Shop', jwks: { keys: [key] } }, true],
  [{ jwks: null }, true],
  [{ jwks_uri: 'https://app.example.com/keys' }, true],
  [{ name: 'Shop', redirect_uris, disabled: true }, false],
]
for (const environment of [w.test, w.live])
  for (const [body, needs] of authentication)
    test(`a change of an application by ${JSON.stringify(body)} ${needs ? 'needs a' : 'needs no'} fresh sign-in (${environment.type})`, async () => {
      const { id, client_secret } = await w.createApplication(environment)
      const headers = { authorization: `Bearer ${aged}`, 'x-tenant-id': w.tenant_id }
      const reply = await w.call('PATCH', `${environment.path}/applications/${id}`, { key: null, headers, body })
      assert.equal(isStale(reply), needs, JSON.stringify(reply.body))
      if (!needs) return void expectStatus(200, reply)
      const { has_client_secret } = expectStatus(200, await w.call('GET', `${environment.path}/applications/${id}`))
      assert.deepEqual([typeof client_secret, has_client_secret], ['string', true])
    })

test('an API key needs no fresh sign-in', async () => {
  expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } }))
})

test('a fresh sign-in by the dashboard renews what the old one could not do', async () => {
  const body = { type: 'auth_secret' }
  const headers = { 'x-tenant-id': w.tenant_id }
  assert.ok(isStale(await dashboard.call('POST', `${w.test.path}/auth-keys`, body, headers)))
  const session = expectStatus(200, await dashboard.session())
  assert.ok(Date.parse(session.fresh_until) < w.now().getTime())
  const begun = await dashboard.agent.get(`${w.base_url}/dashboard/sign-in?return_to=/dashboard/t/acme&max_age=600`)
  const page = await dashboard.agent.get(begun.headers.get('location') ?? '')
  assert.match(page.body, /name="password"/, 'the person signs in again')
  const renewed = await signInToDashboard(w, owner, dashboard.agent, '?max_age=600')
  expectStatus(201, await renewed.call('POST', `${w.test.path}/auth-keys`, body, headers))
})

test('the refusal is recorded with its reason', async () => {
  const headers = { authorization: `Bearer ${aged}`, 'x-tenant-id': w.tenant_id }
  const refused = await w.call('POST', `${w.test.path}/auth-keys`, { key: null, headers, body: { type: 'auth_secret' } })
  await w.deployment.refused_calls.write()
  const record = expectStatus(200, await w.call('GET', `${w.test.path}/requests/${refused.body.request_id}`))
  assert.equal(record.code, 'reauthentication_required')
  assert.equal(record.reason, 'The sign-in of the administrator is older than 600 s.')
})
