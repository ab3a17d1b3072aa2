import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsFreshSignIn } from '@ostiary/contract/fresh.ts'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { ask, bearer, eachRow, idsOf, newBody, pathOf, rows } from '../support/route-table.ts'
import { createAdministrator, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const aged = await administratorToken(w, owner)
const dashboard = await signInToDashboard(w)
const bob = await createAdministrator(w, 'bob@example.com')
await joinTenant(w, { tenant_id: w.tenant_id, token: aged }, bob, 'admin')
w.advance(601)
const fresh = await administratorToken(w, owner)

/** The rows that need a fresh sign-in by what they do. `fresh-fields.test.ts` has those that need it by their body. */
const always = [
  ...[
    'createAuthKey',
    'rotateAuthKey',
    'createPlatformKey',
    'rotatePlatformKey',
    'rotateClientSecret',
    'addClientSecret',
    'rotateSigningKey',
  ],
  ...['createWebhook', 'rotateWebhookSecret', 'addMember', 'changeMember', 'resendInvitation', 'approvePromotion'],
]
const in_live = [
  ...[
    'createUser',
    'unblockUser',
    'createUserJob',
    'restoreUser',
    'approveUser',
    'refuseUser',
    'removeUserMethod',
    'createResourceServer',
    'changeResourceServer',
    'createRole',
    'addOrganizationMember',
    'inviteToOrganization',
    'resendOrganizationInvitation',
  ],
  ...[
    'deleteUser',
    'deleteApplication',
    'deleteMetadataClient',
    'deleteResourceServer',
    'deleteProvider',
    'deleteWebhook',
    'deleteOrganization',
  ],
]
const by_member = ['removeMember']
const by_body = [
  ...['createProject', 'changeProject', 'createEnvironment', 'createApplication', 'createProvider', 'applyPromotion', 'revertPromotion'],
  ...['createOrganization', 'changeOrganization', 'changeOrganizationMember'],
  ...[
    'changeUser',
    'changeSettings',
    'changeApplication',
    'createMetadataClient',
    'changeMetadataClient',
    'changeRole',
    'changeProvider',
    'changeWebhook',
    'changeAuthKey',
    'changePlatformKey',
  ],
]
/** The rows that close a way in, and those that give nobody else one. */
const never = [
  ...[
    'blockUser',
    'endUserSessions',
    'disconnectGrant',
    'removeTrustedBrowser',
    'endSession',
    'revokeAuthKey',
    'revokePlatformKey',
    'deleteRole',
    'deleteClientSecret',
  ],
  'removeOrganizationMember',
  'deleteOrganizationInvitation',
  ...[
    'sendReset',
    'sendVerification',
    'testMail',
    'testWebhook',
    'checkProvider',
    'readMetadataClient',
    'resendDelivery',
    'resendSince',
    'resendBackchannelLogout',
  ],
  ...['changeEnvironment', 'changeTenant', 'createTenant', 'createPromotion', 'previewSettings', 'previewRole'],
]

const admitting = rows.filter(({ route }) => {
  const { credential } = route
  return (
    credential.kind === 'administrator' ||
    (['platform', 'secret'].includes(credential.kind) && 'role' in credential && credential.role !== null)
  )
})

test('every row that changes something says when it needs a fresh sign-in, or why never', () => {
  const silent = admitting.filter(({ route }) => route.method !== 'GET' && route.fresh === undefined).map(({ name }) => name)
  assert.deepEqual(silent, [])
})

test('the table asks for a fresh sign-in on exactly these rows', () => {
  const named = admitting.filter(({ route }) => needsFreshSignIn(route.fresh)).map(({ name }) => name)
  assert.deepEqual(named.sort(), [...always, ...in_live, ...by_member, ...by_body].sort())
  const others = rows.filter(({ route }) => route.fresh !== undefined && !needsFreshSignIn(route.fresh)).map(({ name }) => name)
  assert.deepEqual(others.sort(), never.sort())
})

type Row = (typeof rows)[number]

/** A call that changes no object which the other rows need: its version is stale. */
function harmless({ route }: Row, token: string, environment = ours.test) {
  const ids = idsOf(route, ours, environment)
  return ask(w, {
    method: route.method,
    path: pathOf(route, ids),
    headers: { ...bearer(token, ours, environment), 'if-match': '"0"', 'content-type': 'application/json' },
    ...(route.body ? { body: newBody(route, ours, environment) } : {}),
  })
}
const isStale = (reply: { status: number; body: { code?: string } }) =>
  reply.status === 403 && reply.body.code === 'reauthentication_required'

test('a sign-in of 601 s ago is refused where the row asks for a fresh one, and nowhere else', (t) =>
  eachRow(t, admitting, async (row) => {
    const { name } = row
    for (const environment of [ours.test, ours.live]) {
      const needed = always.includes(name) || (in_live.includes(name) && environment === ours.live)
      if (!needed && row.route.method !== 'GET' && row.route.body === undefined) continue // would happen; the next test has these
      if (by_body.includes(name)) continue // `fresh-fields.test.ts` has these
      const reply = await harmless(row, aged, environment)
      assert.equal(isStale(reply), needed, `${environment.type}: ${JSON.stringify(reply.body)}`)
      if (!needed) continue
      assert.equal(reply.body.max_age, 600)
      assert.equal(reply.headers.get('x-request-id'), reply.body.request_id)
    }
  }))

test('what closes a way in needs no fresh sign-in, in Live and for a whole tenant', async () => {
  const call = asAdministrator(w, aged)
  const in_live = { 'x-environment-id': w.live.id }
  const key = expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const platform = expectStatus(
    201,
    await asAdministrator(w, fresh)('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, { label: 'A', scopes: ['*'] }),
  )
  const user = await w.createUser(w.live)
  assert.equal((await call('DELETE', `${w.live.path}/auth-keys/${key.id}`)).status, 204)
  assert.equal((await call('DELETE', `/v1/tenants/${w.tenant_id}/platform-keys/${platform.id}`)).status, 204)
  expectStatus(200, await call('POST', `/v1/auth/users/${user.id}/end-sessions`, undefined, in_live))
  expectStatus(200, await call('POST', `/v1/auth/users/${user.id}/block`, undefined, in_live))
  assert.ok(isStale(await call('POST', `/v1/auth/users/${user.id}/unblock`, undefined, in_live)))
})

test('removing another member needs a fresh sign-in; withdrawing an invitation and leaving need none', async () => {
  const members = `/v1/tenants/${w.tenant_id}/members`
  const pending = expectStatus(201, await asAdministrator(w, fresh)('POST', members, { email: 'eve@example.com', role: 'viewer' }))
  const call = asAdministrator(w, aged)
  assert.equal((await call('DELETE', `${members}/${pending.id}`)).status, 204)
  assert.ok(isStale(await call('DELETE', `${members}/${bob.user_id}`)))
  assert.equal((await asAdministrator(w, bob.token)('DELETE', `${members}/${bob.user_id}`)).status, 204)
})

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
