/** `E/names` says what people call the objects of ids, within one environment and the rights of the caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAdministrator } from '../support/administrator.ts'
import { createMember, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await createTwoTenants(w)
const admin = asAdministrator(w, ours.token, ours.tenant_id)
const { test: environment, project_id } = ours
const path = `/v1/platform/projects/${project_id}/environments/${environment.id}/names`
const named = async (ids: readonly string[], ask = admin) => {
  const { data } = expectStatus(200, await ask('GET', `${path}?ids=${ids.join(',')}`))
  return Object.fromEntries(data.map(({ id, object, name }: Record<string, string>) => [id, `${object}: ${name}`]))
}
const read = async (list: string, id: string) =>
  expectStatus(200, await admin('GET', `/v1/platform/projects/${project_id}/environments/${environment.id}/${list}/${id}`))

test('each kind of object has the name that people use, and what has none is left out', async () => {
  const user = await read('users', environment.user_id)
  const key = await read('auth-keys', environment.key_id)
  const webhook = await read('webhooks', environment.webhook_id)
  const provider = await read('providers', environment.provider_id)
  const role = await read('roles', environment.role_id)
  const organization = await read('organizations', environment.organization_id)
  const application = await read('applications', environment.application_id)
  const me = expectStatus(200, await asAdministrator(w, ours.token, null)('GET', '/v1/me'))
  const objects = [user.id, key.id, webhook.id, provider.id, role.id, organization.id, application.id]
  const ids = [...objects, me.user_id, environment.id, environment.session_id, user.id]
  assert.deepEqual(await named(ids), {
    [user.id]: `user: ${user.email}`,
    [key.id]: `key: ${key.label ?? key.start}`,
    [webhook.id]: `webhook: ${webhook.slug}`,
    [provider.id]: `provider: ${provider.display_name}`,
    [role.id]: `role: ${role.name}`,
    [organization.id]: `organization: ${organization.name}`,
    [application.id]: `application: ${application.name}`,
    [me.user_id]: `member: ${me.email}`,
    [environment.id]: 'environment: Test',
  })
})

test('objects of another tenant and of another environment have no name', async () => {
  const { test: other } = theirs
  assert.deepEqual(
    await named([other.user_id, other.application_id, other.key_id, theirs.platform_key_id, ours.live.user_id, ours.live.key_id]),
    {},
  )
})

test('a name needs the scope that reads the object, and platform keys are named to administrators alone', async () => {
  const { user_id, application_id, key_id, webhook_id, provider_id, resource_server_id, role_id, organization_id } = environment
  const of_scope = {
    'users:read': [user_id, organization_id],
    'applications:read': [application_id],
    'auth_keys:read': [key_id],
    'webhooks:read': [webhook_id],
    'providers:read': [provider_id],
    'resource_servers:read': [resource_server_id, role_id],
    'projects:read': [],
  }
  const ids = [...Object.values(of_scope).flat(), ours.platform_key_id]
  for (const [scope, seen] of Object.entries({ ...of_scope, '*': Object.values(of_scope).flat() })) {
    const { key } = await createPlatformKey(w, ours, { scopes: scope === '*' ? ['*'] : ['environments:read', scope] })
    const found = await named(ids, (method, to) => w.call(method, to, { key }))
    assert.deepEqual(Object.keys(found).sort(), [...seen].sort(), scope)
  }
  assert.ok(ours.platform_key_id in (await named(ids)))
})

test('addresses of users, and names of organizations, need the role developer, or the scope users:read', async () => {
  const { user_id, organization_id, application_id } = environment
  const viewer = asAdministrator(w, await createMember(w, ours, 'viewer'), ours.tenant_id)
  assert.deepEqual(Object.keys(await named([user_id, organization_id, application_id], viewer)), [application_id])
  const developer = asAdministrator(w, await createMember(w, ours, 'developer'), ours.tenant_id)
  assert.deepEqual(Object.keys(await named([user_id], developer)), [user_id])
  for (const [scopes, seen] of [
    [['environments:read', 'applications:read'], [application_id]],
    [
      ['environments:read', 'applications:read', 'users:read'],
      [user_id, application_id],
    ],
  ] as const) {
    const { key } = await createPlatformKey(w, ours, { scopes })
    const found = await named([user_id, application_id, ours.member_id], (method, to) => w.call(method, to, { key }))
    assert.deepEqual(Object.keys(found).sort(), [...seen].sort(), 'a key reads no administrators')
  }
})

for (const [why, ids] of [
  ['none', ''],
  ['101 ids', Array.from({ length: 101 }, () => environment.user_id).join(',')],
  ['text that is not an id', `${environment.user_id},x`],
  ['a blank', `${environment.user_id}, ${environment.user_id}`],
] as const)
  test(`a call with ${why} is refused`, async () =>
    assert.equal((await admin('GET', `${path}?${new URLSearchParams({ ids })}`)).status, 422))
