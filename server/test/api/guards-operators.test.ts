/** The root tenant: every row of the route table as an operator, and as every other caller. Generated from the table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { insertMember } from '../../src/domain/members/store.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { until } from '../support/receiver.ts'
import { referenceOf } from '../support/refused-calls.ts'
import {
  type ApiRequest,
  ask,
  eachRow,
  type Ids,
  newBody,
  parametersOf,
  pathOf,
  rows,
  testRows,
  validRequest,
} from '../support/route-table.ts'
import { createAdministrator, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"providers":1000}' } })
const { ours, theirs } = await createTwoTenants(w)
const operator = asAdministrator(w, ours.token, null)
const { root_tenant_id } = expectStatus(200, await operator('GET', '/v1/me')) as { root_tenant_id: TenantId }
const root_environment_id = w.admin_issuer.split('/').at(-1) as `env_${string}` // as: the issuer of the root environment ends with it
const inRoot = { authorization: `Bearer ${ours.token}`, 'x-tenant-id': root_tenant_id, 'x-environment-id': root_environment_id }
const asOperator = (method: string, path: string, body?: unknown) => operator(method, path, body, inRoot)
const [console_project] = expectStatus(200, await asOperator('GET', '/v1/platform/projects')).data
const E = `/v1/platform/projects/${console_project.id}/environments/${root_environment_id}`
/** The rows that act in a tenant, named in the path or a header. */
const in_tenant = rows.filter(({ route: { credential } }) => 'role' in credential && credential.role !== null)

async function createOperator(email: string) {
  const made = await createAdministrator(w, email)
  await w.deployment.db.run(insertMember(root_tenant_id, made.user_id, 'owner', w.now()))
  return made
}

/** The ids of a path in the root tenant, of objects that only one row has. It has no webhooks and no keys, and none can be created. */
async function rootIds(): Promise<Ids> {
  w.advance(1) // all rows share one operator, and a fast machine makes more calls in 10 s than the limit of an administrator allows
  const person = await createAdministrator(w, `administrator${++administrators}@example.org`)
  const other = await createOperator(`operator${administrators}@example.org`)
  const { data: sessions } = expectStatus(200, await asOperator('GET', `/v1/auth/users/${person.user_id}/sessions`))
  const { data: methods } = expectStatus(200, await asOperator('GET', `/v1/auth/users/${person.user_id}/methods`))
  const { data: grants } = expectStatus(200, await asOperator('GET', `/v1/auth/users/${person.user_id}/grants`))
  const [event] = await until('an event', async () => {
    const { data } = expectStatus(200, await asOperator('GET', `${E}/events`))
    return data.length > 0 && data
  })
  const [entry] = await until('an audit entry', async () => {
    const { data } = expectStatus(200, await asOperator('GET', `/v1/tenants/${root_tenant_id}/audit-log`))
    return data.length > 0 && data
  })
  const { data: servers } = expectStatus(200, await asOperator('GET', `${E}/resource-servers`))
  const provider = { type: 'github', client_id: 'abc', client_secret: 'of the other side' }
  const absent = '01m7wwr5ftevtv5yxb47hmb4ht'
  return {
    project_id: console_project.id,
    environment_id: root_environment_id,
    application_id: w.admin_client_id,
    resource_server_id: servers[0].id,
    provider_id: expectStatus(201, await asOperator('POST', `${E}/providers`, provider)).id,
    client_secret_id: `sec_${absent}`,
    role_id: `rol_${absent}`,
    organization_id: `org_${absent}`,
    invitation_id: `oiv_${absent}`,
    webhook_id: `whk_${absent}`,
    message_id: `msg_${absent}`,
    key_id: `key_${absent}`,
    refused_in_environment: referenceOf(await asOperator('GET', `${E}/applications/app_${absent}`)),
    refused_in_tenant: referenceOf(await asOperator('GET', `/v1/platform/projects/prj_${absent}`)),
    session_id: sessions[0].id,
    user_job_id: `ujb_${absent}`,
    method_id: methods[0].id,
    trusted_browser_id: `tbr_${absent}`,
    grant_id: grants[0].id,
    event_id: event.id,
    audit_entry_id: entry.id,
    person_id: person.user_id,
    member_id: other.user_id,
    tenant_id: root_tenant_id,
  }
}
let administrators = 0

/** Those of all rows that change nothing. */
const unchanged = await rootIds()

function requestOf(route: Route, ids: Ids, headers: Record<string, string> = inRoot): ApiRequest {
  const in_tenant = route.path.includes('{tenant_id}')
  const user_id = (in_tenant ? ids.member_id : ids.person_id) ?? ''
  const request_id = (in_tenant ? ids.refused_in_tenant : ids.refused_in_environment) ?? ''
  const body = route.body ? { body: newBody(route, theirs) } : {}
  return { method: route.method, path: pathOf(route, { ...ids, user_id, request_id }), headers, ...body }
}

/** The writes of an operator, besides reading. */
const allowed = [
  'changeSettings',
  'testMail',
  'previewSettings',
  'createProvider',
  'changeProvider',
  'checkProvider',
  'deleteProvider',
  'blockUser',
  'unblockUser',
  'endSession',
  'endUserSessions',
  'removeUserMethod',
  'changeTenant',
  'addMember',
  'changeMember',
  'removeMember',
  'resendInvitation',
]
/** The root environment is Live, so it has no inbox, and the member that is tried is not a pending invitation. */
const absent_in_root = [
  'getMetadataClient',
  'getWebhook',
  'listDeliveries',
  'getDelivery',
  'getAuthKey',
  'authKeyUsage',
  'getAuthKeyImpact',
  'listInbox',
  'getInboxMail',
  'getClientSecret',
  'resendInvitation',
]
const isHidden = ({ path }: Route) => path.includes('/platform-keys')

testRows(
  'in the root tenant an operator reads everything, writes only what the contract lists, and finds no platform keys',
  in_tenant,
  async ({ name, route }) => {
    const request = requestOf(route, allowed.includes(name) ? await rootIds() : unchanged)
    if (name === 'addMember' || name === 'changeMember') request.body = { ...(request.body as object), role: 'owner' }
    const { status, body } = await ask(w, request)
    const answer = `${status} ${body.code}`
    const about = `${name}: ${JSON.stringify(body)}`
    if (isHidden(route) || absent_in_root.includes(name)) assert.equal(answer, '404 not_found', about)
    else if (name === 'testMail')
      assert.equal(answer, '409 mail_not_set_up', about) // the root environment sends no mail
    else if (route.operators === 'refused') assert.equal(answer, '403 insufficient_role', about)
    else if (route.method === 'GET' || allowed.includes(name)) assert.equal(status, route.returns[0], about)
    else assert.equal(answer, '403 insufficient_role', about)
  },
)

testRows(
  'a write that an operator may not do is refused before the body, the Idempotency-Key and the object are checked',
  in_tenant.filter(({ name, route }) => route.method !== 'GET' && !allowed.includes(name)),
  async ({ name, route }) => {
    const ids = Object.fromEntries(parametersOf(route).map((parameter) => [parameter, parameter === 'tenant_id' ? root_tenant_id : 'x']))
    const headers = { ...inRoot, 'x-environment-id': 'env_nowhere', 'idempotency-key': 'x'.repeat(256), 'content-type': 'text/plain' }
    const reply = await ask(w, {
      method: route.method,
      path: pathOf(route, ids),
      headers,
      ...(route.method === 'DELETE' ? {} : { body: '{' }),
    })
    assert.equal(reply.body.code, isHidden(route) ? 'not_found' : 'insufficient_role', name)
  },
)

test('every other caller gets the 404 of an unknown tenant, however it names the root tenant', async (t) => {
  const ids = await rootIds()
  const platform = (await createPlatformKey(w, theirs)).key
  const stranger = { authorization: `Bearer ${theirs.token}` }
  const own = { 'x-tenant-id': theirs.tenant_id, 'x-environment-id': theirs.test.id }
  await eachRow(t, in_tenant, async ({ name, route }) => {
    const absent = requestOf(
      route,
      { ...ids, tenant_id: 'ten_01m7wwr5ftevtv5yxb47hmb4ht' },
      { ...stranger, ...own, 'x-tenant-id': 'ten_x' },
    )
    const { request_id: _, ...expected } = (await ask(w, absent)).body
    const named = requestOf(route, ids, { ...stranger, ...inRoot, ...stranger })
    const { request_id, ...actual } = (await ask(w, named)).body
    assert.deepEqual(actual, expected, name)
    assert.equal(actual.code, 'not_found', name)
    if (parametersOf(route).length === 0 || route.path === '/v1/platform/projects') return
    const credentials =
      route.credential.kind === 'platform' ? [{ ...stranger, ...own }, { 'x-api-key': platform }] : [{ ...stranger, ...own }]
    for (const headers of credentials) {
      const reply = await ask(w, requestOf(route, ids, headers as Record<string, string>))
      assert.equal(`${reply.status} ${reply.body.code}`, '404 not_found', `${name}: ${JSON.stringify(headers)}`)
    }
  })
  for (const id of [root_tenant_id, root_environment_id, w.admin_client_id, console_project.id, w.owner_id])
    assert.equal((await asAdministrator(w, theirs.token, null)('GET', `/v1/lookup/${id}`)).status, 404, id)
})

test('an operator has no access to any other tenant', async (t) => {
  const { token } = await createOperator('only-operator@example.org')
  await eachRow(t, in_tenant, async ({ name, route }) => {
    const { headers, ...request } = validRequest(route, ours)
    const as = { authorization: `Bearer ${token}`, 'x-tenant-id': ours.tenant_id, 'x-environment-id': ours.test.id }
    assert.equal((await ask(w, { ...request, headers: as })).body.code, 'not_found', name)
  })
})

const refused_bodies = [
  { path: () => `/v1/tenants/${root_tenant_id}/members`, body: { email: 'viewer@example.org', role: 'viewer' }, pointer: '/role' },
  { path: () => `/v1/tenants/${root_tenant_id}/members`, body: { email: 'admin@example.org', role: 'admin' }, pointer: '/role' },
  {
    path: () => `${E}/providers`,
    body: { type: 'github', client_id: 'abc', client_secret: 'x', link_by_verified_email: true },
    pointer: '/link_by_verified_email',
  },
]
for (const { path, body, pointer } of refused_bodies)
  test(`in the root tenant POST of ${JSON.stringify(body)} is 422 at ${pointer}`, async () => {
    const reply = await asOperator('POST', path(), body)
    assert.equal(`${reply.status} ${reply.body.code}`, '422 validation_failed')
    assert.deepEqual(
      reply.body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
  })

test('in the root tenant PATCH neither lowers a role nor lets a provider link accounts by email', async () => {
  const ids = await rootIds()
  for (const [path, body] of [
    [`/v1/tenants/${root_tenant_id}/members/${ids.member_id}`, { role: 'developer' }],
    [`${E}/providers/${ids.provider_id}`, { link_by_verified_email: true }],
  ] as const) {
    assert.equal((await asOperator('PATCH', path, body)).status, 422, path)
    expectStatus(200, await asOperator('GET', path.includes('/members/') ? `/v1/tenants/${root_tenant_id}/members` : path))
  }
  expectStatus(200, await asOperator('PATCH', `${E}/providers/${ids.provider_id}`, { link_by_verified_email: null, enabled: false }))
})

test('the root environment keeps the scopes that the dashboard needs', async () => {
  const reply = await asOperator('PATCH', `${E}/settings`, { scopes: { disabled: ['phone', 'offline_access'] } })
  assert.equal(`${reply.status} ${reply.body.code}`, '422 validation_failed')
  assert.deepEqual(
    reply.body.errors.map((error: { pointer: string }) => error.pointer),
    ['/scopes/disabled/1'],
  )
  const others = oidcScopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access')
  expectStatus(200, await asOperator('PATCH', `${E}/settings`, { scopes: { disabled: others } }))
  await administratorToken(w, owner)
  expectStatus(200, await (await signInToDashboard(w)).session())
  expectStatus(200, await asOperator('PATCH', `${E}/settings`, { scopes: null }))
})

test('an ended session ends its tokens, and a blocked administrator can sign in again after being unblocked', async () => {
  const person = await createAdministrator(w, 'locked@example.org')
  const call = asAdministrator(w, person.token, null)
  expectStatus(200, await call('GET', '/v1/me'))
  const { data } = expectStatus(200, await asOperator('GET', `/v1/auth/users/${person.user_id}/sessions`))
  expectStatus(204, await asOperator('DELETE', `/v1/auth/sessions/${data[0].id}`))
  assert.equal((await call('GET', '/v1/me')).status, 401)

  const again = asAdministrator(w, await administratorToken(w, { email: person.email, password: 'correct horse battery' }), null)
  expectStatus(200, await asOperator('POST', `/v1/auth/users/${person.user_id}/block`))
  assert.equal((await again('GET', '/v1/me')).status, 401)
  expectStatus(200, await asOperator('POST', `/v1/auth/users/${person.user_id}/unblock`))
  await administratorToken(w, { email: person.email, password: 'correct horse battery' })
})

test('an operator who is removed loses access at once', async () => {
  const other = await createOperator('leaving@example.org')
  const call = asAdministrator(w, other.token, root_tenant_id)
  expectStatus(200, await call('GET', '/v1/platform/projects'))
  expectStatus(204, await asOperator('DELETE', `/v1/tenants/${root_tenant_id}/members/${other.user_id}`))
  assert.equal((await call('GET', '/v1/platform/projects')).status, 404)
})

test('when all operators leave at once, one stays', async () => {
  const fresh = await world()
  const token = await administratorToken(fresh, owner)
  const members = `/v1/tenants/${expectStatus(200, await asAdministrator(fresh, token)('GET', '/v1/me')).root_tenant_id}/members`
  const root = { tenant_id: members.split('/')[3] as TenantId, environment_id: fresh.admin_issuer.split('/').at(-1) ?? '' } // as: the address holds it
  const others = await Promise.all(Array.from({ length: 4 }, (_, i) => createAdministrator(fresh, `operator${i}@example.org`)))
  for (const { user_id } of others) await fresh.deployment.db.run(insertMember(root.tenant_id, user_id, 'owner', fresh.now()))
  const all = [{ user_id: fresh.owner_id, token }, ...others]
  const ten_times = Array.from({ length: 10 }, () => all).flat()
  const replies = await Promise.all(
    ten_times.map(({ user_id, token }) => asAdministrator(fresh, token, null)('DELETE', `${members}/${user_id}`)),
  )
  assert.equal(replies.filter(({ status }) => status === 204).length, 4)
  const left = await Promise.all(all.map(({ token }) => asAdministrator(fresh, token, null)('GET', members)))
  assert.deepEqual(left.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
})
