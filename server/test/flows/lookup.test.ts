/** `/v1/lookup` finds every kind of object from its id alone, within the tenants of the administrator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixes } from '@ostiary/contract/ids.ts'
import { asAdministrator } from '../support/administrator.ts'
import { createTwoTenants, type Tenant } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await createTwoTenants(w)
const find = (tenant: Tenant, id: string) => asAdministrator(w, tenant.token, null)('GET', `/v1/lookup/${id}`)

const members = `/v1/tenants/${ours.tenant_id}/members`
const invitation = await asAdministrator(w, ours.token, ours.tenant_id)('POST', members, { email: 'new@example.com', role: 'viewer' })
const { test: environment, project_id } = ours

/** The newest entry of the log: background work decides which one that is. */
const entry = expectStatus(
  200,
  await asAdministrator(w, ours.token, ours.tenant_id)('GET', `/v1/tenants/${ours.tenant_id}/audit-log/${ours.audit_entry_id}`),
)

const nowhere = { project_id: null, environment_id: null, environment_type: null, parent_id: null }
const here = { project_id, environment_id: environment.id, environment_type: 'test', parent_id: null }
const found: { object: keyof typeof prefixes; id: string; place: object }[] = [
  { object: 'tenant', id: ours.tenant_id, place: nowhere },
  { object: 'project', id: project_id, place: { ...nowhere, project_id } },
  { object: 'promotion', id: ours.promotion_id, place: { ...nowhere, project_id } },
  { object: 'environment', id: environment.id, place: here },
  { object: 'environment', id: ours.live.id, place: { ...here, environment_id: ours.live.id, environment_type: 'live' } },
  { object: 'application', id: environment.application_id, place: here },
  { object: 'key', id: environment.key_id, place: here },
  { object: 'key', id: ours.platform_key_id, place: nowhere },
  { object: 'resource_server', id: environment.resource_server_id, place: here },
  { object: 'role', id: environment.role_id, place: here },
  { object: 'organization', id: environment.organization_id, place: here },
  { object: 'organization_invitation', id: environment.invitation_id, place: { ...here, parent_id: environment.organization_id } },
  { object: 'provider', id: environment.provider_id, place: here },
  { object: 'webhook', id: environment.webhook_id, place: here },
  { object: 'message', id: environment.message_id, place: { ...here, parent_id: environment.webhook_id } },
  { object: 'message', id: environment.logout_id, place: here },
  { object: 'event', id: environment.event_id, place: here },
  {
    object: 'audit_entry',
    id: entry.id,
    place: {
      project_id: entry.project_id,
      environment_id: entry.environment_id,
      environment_type: [environment, ours.live].find(({ id }) => id === entry.environment_id)?.type ?? null,
      parent_id: null,
    },
  },
  { object: 'user', id: environment.user_id, place: here },
  { object: 'user_job', id: environment.user_job_id, place: here },
  { object: 'session', id: environment.session_id, place: { ...here, parent_id: environment.user_id } },
  { object: 'trusted_browser', id: environment.trusted_browser_id, place: { ...here, parent_id: environment.user_id } },
  { object: 'metadata_client', id: environment.metadata_client_id, place: here },
  { object: 'client_secret', id: environment.client_secret_id, place: { ...here, parent_id: environment.application_id } },
  { object: 'grant', id: environment.grant_id, place: here },
  { object: 'method', id: environment.method_id, place: here },
  { object: 'mail', id: environment.mail_id, place: here },
  { object: 'invitation', id: expectStatus(201, invitation).id, place: nowhere },
  { object: 'request', id: environment.request_id, place: here },
  { object: 'request', id: ours.request_id, place: nowhere },
]

for (const { object, id, place } of found)
  test(`the id of ${object} ${id.slice(0, 4)}… returns its place and parent, and is 404 for another tenant`, async () => {
    assert.deepEqual(expectStatus(200, await find(ours, id)), { object, id, tenant_id: ours.tenant_id, ...place })
    assert.equal((await find(theirs, id)).status, 404)
  })

test('every kind of id is looked up', () => {
  assert.deepEqual([...new Set(found.map(({ object }) => object))].sort(), Object.keys(prefixes).sort())
})

for (const id of ['env_01m7wwr5ftevtv5yxb47hmb4ht', 'mth_01m7wwr5ftevtv5yxb47hmb4ht', 'app_x', 'x'])
  test(`the unknown id ${id} is 404`, async () => assert.equal((await find(ours, id)).status, 404))
