/** Two unrelated tenants with one object of every kind, and functions that create administrators and keys. */
import type { EnvironmentId, OrganizationId } from '@ostiary/contract/ids.ts'
import type { Role } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { insertInto } from '../../src/db/rows.ts'
import { insertEvent } from '../../src/domain/events/store.ts'
import { insertInvitation } from '../../src/domain/organizations/invitations.ts'
import { insertTrusted } from '../../src/domain/users/trusted-browsers.ts'
import { administratorToken, asAdministrator, joinTenant } from './administrator.ts'
import { createPerson } from './cookie-browser.ts'
import { until } from './receiver.ts'
import { referenceOf } from './refused-calls.ts'
import { expectStatus, owner, type TestEnvironment, type World } from './world.ts'

export const app_origin = 'https://app.example.com'
const unknown_application = 'app_01m7wwr5ftevtv5yxb47hmb4ht'
/** Only the tests of limits reach a limit. */
const unlimited = { limit: 100_000, window_seconds: 1 }

export interface EnvironmentObjects extends TestEnvironment {
  application_id: string
  resource_server_id: string
  client_secret_id: string
  metadata_client_id: string
  role_id: string
  organization_id: string
  /** An invitation to the organization. */
  invitation_id: string
  webhook_id: string
  provider_id: string
  key_id: string
  user_id: string
  /** A user who is in no organization. */
  other_user_id: string
  mail_id: string
  session_id: string
  user_job_id: string
  /** A refused call of the environment. */
  request_id: string
  method_id: string
  trusted_browser_id: string
  grant_id: string
  event_id: string
  message_id: string
  logout_id: string
  secret: string
  publishable: string
}

export interface Tenant {
  tenant_id: string
  project_id: string
  member_id: string
  platform_key_id: string
  audit_entry_id: string
  promotion_id: string
  platform: string
  /** A refused call of the tenant outside of its environments. */
  request_id: string
  /** The access token of an owner. */
  token: string
  test: EnvironmentObjects
  live: EnvironmentObjects
}

export async function createTwoTenants(w: World) {
  const ours = await createTenantObjects(w, {
    tenant_id: w.tenant_id,
    member_id: w.owner_id,
    token: await administratorToken(w, owner),
    slug: 'ours',
  })
  const stranger = await createAdministrator(w, 'stranger@example.org')
  const anonymous = asAdministrator(w, stranger.token, null)
  const { id } = expectStatus(201, await anonymous('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }))
  const theirs = await createTenantObjects(w, { tenant_id: id, member_id: stranger.user_id, token: stranger.token, slug: 'theirs' })
  return { ours, theirs }
}

/** An administrator who is in no tenant yet. */
export async function createAdministrator(w: World, email: string) {
  const user = await w.createUser({ id: w.admin_issuer.split('/').at(-1) as TestEnvironment['id'] }, { email })
  return { user_id: user.id, email, password: user.password, token: await administratorToken(w, user) }
}

/** Creates a member of a tenant. Returns their access token. */
export async function createMember(w: World, { tenant_id, token }: Tenant, role: Role): Promise<string> {
  const made = await createAdministrator(w, `${role}@example.com`)
  await joinTenant(w, { tenant_id, token }, made, role)
  return made.token
}

/** Creates a platform key of the tenant. */
export async function createPlatformKey(w: World, { tenant_id, token }: Pick<Tenant, 'tenant_id' | 'token'>, fields: object = {}) {
  const body = { label: 'Made by a test', scopes: ['*'], rate_limit: unlimited, ...fields }
  return expectStatus(201, await asAdministrator(w, token, tenant_id)('POST', `/v1/tenants/${tenant_id}/platform-keys`, body))
}

/** Creates an auth key of an environment. A publishable key gets an allowed origin. `made_by` is the key that makes it. */
export async function createAuthKey(
  w: World,
  { path }: Pick<TestEnvironment, 'path'>,
  type: string,
  { made_by: key, ...fields }: { made_by?: string } & Record<string, unknown> = {},
) {
  const origins = type === 'auth_publishable' ? { allowed_origins: [app_origin] } : {}
  const body = { type, rate_limit: unlimited, ...origins, ...fields }
  return expectStatus(201, await w.call('POST', `${path}/auth-keys`, { body, ...(key === undefined ? {} : { key }) }))
}

interface Begun {
  tenant_id: string
  member_id: string
  token: string
  slug: string
}

async function createTenantObjects(w: World, { tenant_id, member_id, token, slug }: Begun): Promise<Tenant> {
  const { id: platform_key_id, key: platform } = await createPlatformKey(w, { tenant_id, token })
  const project = await w.createProject(slug, { key: platform })
  const createObjects = async (environment: TestEnvironment): Promise<EnvironmentObjects> => {
    const create = async (list: string, body: object) =>
      expectStatus(201, await w.call('POST', `${environment.path}/${list}`, { key: platform, body }))
    const application = await create('applications', {
      name: 'Storefront',
      application_type: 'web',
      redirect_uris: [`${app_origin}/callback`],
    })
    const resource_server = await create('resource-servers', {
      identifier: 'https://api.example.com',
      name: 'Orders',
      scopes: [{ name: 'orders:read', description: 'Read orders' }],
    })
    const role = await create('roles', {
      name: 'Editor',
      kind: 'user',
      permissions: [{ resource_server: resource_server.slug, scopes: ['orders:read'] }],
    })
    const webhook = await create('webhooks', { url: 'https://hooks.example.com/', disabled: true })
    const provider = await create('providers', { type: 'github', client_id: 'abc', client_secret: 'of the other side' })
    const person = await createPerson(w, environment)
    await person.tokens(application)
    const secret = await createAuthKey(w, environment, 'auth_secret', { made_by: platform })
    const publishable = await createAuthKey(w, environment, 'auth_publishable', { made_by: platform })
    const members = [{ user_id: person.id }]
    const organization = await w.call('POST', '/v1/auth/organizations', { key: secret.key, body: { name: 'Customer', members } })
    const sessions = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key: secret.key }))
    return {
      ...environment,
      application_id: application.id,
      resource_server_id: resource_server.id,
      client_secret_id: expectStatus(
        200,
        await w.call('GET', `${environment.path}/applications/${application.id}/secrets`, { key: platform }),
      ).data[0].id,
      metadata_client_id: await storeMetadataClient(w, environment),
      role_id: role.id,
      organization_id: expectStatus(201, organization).id,
      invitation_id: await storeInvitation(w, environment, organization.body.id),
      webhook_id: webhook.id,
      provider_id: provider.id,
      key_id: secret.id,
      user_id: person.id,
      ...(await mailIn(environment, secret.key, platform)),
      session_id: sessions.data[0].id,
      user_job_id: await jobOver(person.id, secret.key),
      request_id: await refusedAt(`${environment.path}/applications/${unknown_application}`, platform),
      method_id: await firstOf('methods', person.id, secret.key),
      trusted_browser_id: await storeTrustedBrowser(w, environment, person.id),
      grant_id: await firstOf('grants', person.id, secret.key),
      ...(await storeMessages(w, environment, { webhook_id: webhook.id, application_id: application.id, user_id: person.id })),
      secret: secret.key,
      publishable: publishable.key,
    }
  }
  const refusedAt = async (path: string, key: string): Promise<string> => {
    const reply = await w.call('GET', path, { key })
    if (reply.status !== 404) throw new Error(`${path} exists.`)
    return referenceOf(reply)
  }
  /** A job over users, which finds nothing to do. */
  const jobOver = async (user_id: string, key: string): Promise<string> =>
    expectStatus(202, await w.call('POST', '/v1/auth/users/jobs', { key, body: { action: 'unblock', user_ids: [user_id] } })).id
  const firstOf = async (list: string, user_id: string, key: string): Promise<string> =>
    expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/${list}`, { key })).data[0].id
  /** Creates a captured email. Live captures none, so its id is unknown. */
  const mailIn = async (environment: TestEnvironment, secret: string, key: string) => {
    const body = { email: 'mailed@example.com', password: 'correct horse battery' }
    const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret, body }))
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${id}`, { key: secret, body: { password: 'staple and something else' } }))
    if (environment.type === 'live') return { other_user_id: id, mail_id: 'eml_01m7wwr5ftevtv5yxb47hmb4ht' }
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox`, { key }))
    return { other_user_id: id as string, mail_id: data[0].id as string }
  }
  const [test, live] = [await createObjects(project.test), await createObjects(project.live)]
  const ends = { from_environment_id: test.id, to_environment_id: live.id }
  const promotions = `/v1/platform/projects/${project.id}/promotions`
  const promotion = expectStatus(201, await w.call('POST', promotions, { key: platform, body: ends }))
  const request_id = await refusedAt('/v1/platform/unknown', platform)
  const log = `/v1/tenants/${tenant_id}/audit-log?action=changeUser&limit=1` // entries appear when they are numbered, the last one now or soon
  const [entry] = await until('an audit entry', async () => {
    const { data } = expectStatus(200, await asAdministrator(w, token, tenant_id)('GET', log))
    return data.length > 0 && data
  })
  return {
    tenant_id,
    project_id: project.id,
    member_id,
    platform_key_id,
    audit_entry_id: entry.id,
    promotion_id: promotion.id,
    platform,
    request_id,
    token,
    test,
    live,
  }
}

/** Stores a metadata client as it was read, since few documents are read in a minute. */
async function storeMetadataClient(w: World, { id: environment_id }: Pick<TestEnvironment, 'id'>): Promise<string> {
  const id = w.deployment.newId('mcl')
  const at = w.now()
  const document = { client_name: 'Agent', host: 'agent.example.com', redirect_uris: ['https://agent.example.com/callback'] }
  const facts = { token_endpoint_auth_method: 'none', allows_refresh: true, listed: true, admitted: false, added_by: 'administrator' }
  const times = { document_read_at: at, created_at: at, updated_at: at }
  const row = { environment_id, id, client_id: 'https://agent.example.com/known/client.json', ...document, ...facts, ...times }
  await w.deployment.db.of(environment_id).run(insertInto('metadata_clients', row))
  return id
}

/** Stores an invitation. Live sends no mail, and so the API creates none there. */
export async function storeInvitation(
  w: World,
  { id: environment_id }: Pick<TestEnvironment, 'id'>,
  of: string,
  email = 'invited@example.com',
): Promise<string> {
  const organization_id = of as OrganizationId // as: an id of the API
  const { db, newId, config } = w.deployment
  const [id, now] = [newId('oiv'), w.now()]
  const invitation = {
    ...{ id, environment_id: environment_id as EnvironmentId, organization_id, email, role_ids: [] }, // as: an id of the API
    ...{ application_id: null, inviter_type: 'system' as const, inviter_id: null, inviter_membership: null },
    ...{ is_mailed: false, lifetime_seconds: 604_800 },
  }
  const link = { token_hash: `digest of ${id}`, expires_at: new Date(now.getTime() + 604_800_000) }
  await db.batch(insertInvitation(invitation, { replaced: null, link, limits: config.limits, now }))
  return id
}

/** Stores a trusted browser, which begins with a second factor otherwise. Returns its id. */
export async function storeTrustedBrowser(w: World, { id: environment_id }: Pick<TestEnvironment, 'id'>, user_id: string): Promise<string> {
  const id = w.deployment.newId('tbr')
  const row = { id, secret_hash: `digest of ${id}`, replaces: null, ip: '203.0.113.7', user_agent: null }
  await w.deployment.db.batch(insertTrusted({ environment_id, id: user_id }, row, { remember_days: 30, now: w.now() }))
  return id
}

/** Stores an event, a delivery and a back-channel logout, which background work creates otherwise. */
async function storeMessages(
  w: World,
  { id: environment_id }: Pick<TestEnvironment, 'id'>,
  { webhook_id, application_id, user_id }: { webhook_id: string; application_id: string; user_id: string },
) {
  const { db, newId } = w.deployment
  const at = w.now()
  const [event_id, message_id, logout_id] = [newId('evt'), newId('msg'), newId('msg')]
  const origin = { id: event_id, actor: { type: 'system' as const, id: null }, request_id: null }
  await db.batch([
    insertEvent(environment_id, origin, { type: 'test.ping', data: { webhook_id } }, at),
    sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
        values (${environment_id}, ${message_id}, ${webhook_id}, ${event_id}, 'test.ping', 'given_up', ${at}, ${at})`,
    sql`insert into backchannel_logouts (environment_id, id, application_id, session_id, user_id, status, created_at, updated_at)
        values (${environment_id}, ${logout_id}, ${application_id}, ${newId('ses')}, ${user_id}, 'given_up', ${at}, ${at})`,
  ])
  const numbered = sql`select id from events where environment_id = ${environment_id} and id = ${event_id} and sequence is not null`
  await until('the number of the event', async () => (await db.all(z.object({ id: z.string() }), numbered)).length > 0)
  return { event_id, message_id, logout_id }
}
