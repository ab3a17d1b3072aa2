/**
 * Tests of the whole route table: two unrelated tenants with one object of every kind, and a valid request for every row,
 * in which a test then makes one thing wrong.
 */
import { type TestContext, test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import type { Role } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { administratorToken, asAdministrator, joinTenant } from './administrator.ts'
import { createPerson } from './cookie-browser.ts'
import { expectStatus, owner, type Place, type Reply, type World } from './world.ts'

export const rows: readonly { name: string; route: Route }[] = Object.entries(routes).map(([name, route]) => ({ name, route }))

/** Runs one subtest for each row, so that a failure in one row does not hide the others. */
export async function eachRow<Row extends { name: string }>(
  t: TestContext,
  chosen: readonly Row[],
  check: (row: Row) => Promise<void>,
): Promise<void> {
  if (chosen.length === 0) throw new Error('No row of the table is left to test.')
  for (const row of chosen) await t.test(row.name, () => check(row))
}

/** A test with one subtest for each row. */
export function testRows<Row extends { name: string }>(title: string, chosen: readonly Row[], check: (row: Row) => Promise<void>): void {
  test(title, (t) => eachRow(t, chosen, check))
}

export const app_origin = 'https://app.example.com'
/** Only the tests of limits reach a limit. */
const unlimited = { limit: 100_000, window_seconds: 1 }

export interface Furnished extends Place {
  application_id: string
  resource_server_id: string
  webhook_id: string
  provider_id: string
  key_id: string
  user_id: string
  mail_id: string
  session_id: string
  secret: string
  publishable: string
}

export interface Tenant {
  tenant_id: string
  project_id: string
  member_id: string
  platform_key_id: string
  platform: string
  /** The access token of an owner. */
  token: string
  test: Furnished
  live: Furnished
}

export async function everything(w: World) {
  const ours = await createTenantObjects(w, w.tenant_id, w.owner_id, await administratorToken(w, owner), 'ours')
  const stranger = await createAdministrator(w, 'stranger@example.org')
  const anonymous = asAdministrator(w, stranger.token, null)
  const { id } = expectStatus(201, await anonymous('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }))
  const theirs = await createTenantObjects(w, id, stranger.user_id, stranger.token, 'theirs')
  return { ours, theirs }
}

/** An administrator who is in no tenant yet. */
export async function createAdministrator(w: World, email: string) {
  const user = await w.createUser({ id: w.admin_issuer.split('/').at(-1) as Place['id'] }, { email })
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

/** Creates an auth key of an environment. A publishable key gets an allowed origin. */
export async function createAuthKey(w: World, { path }: Pick<Place, 'path'>, type: string, fields: object = {}, key?: string) {
  const origins = type === 'auth_publishable' ? { allowed_origins: [app_origin] } : {}
  const body = { type, rate_limit: unlimited, ...origins, ...fields }
  return expectStatus(201, await w.call('POST', `${path}/auth-keys`, { body, ...(key === undefined ? {} : { key }) }))
}

async function furnish(w: World, tenant_id: string, member_id: string, token: string, slug: string): Promise<Tenant> {
  const { id: platform_key_id, key: platform } = await createPlatformKey(w, { tenant_id, token })
  const project = await w.createProject(slug, { key: platform })
  const createObjects = async (environment: Place): Promise<Furnished> => {
    const create = async (list: string, body: object) =>
      expectStatus(201, await w.call('POST', `${environment.path}/${list}`, { key: platform, body }))
    const application = await create('applications', {
      name: 'Storefront',
      application_type: 'web',
      redirect_uris: [`${app_origin}/callback`],
    })
    const resource_server = await create('resource-servers', { identifier: 'https://api.example.com', name: 'Orders' })
    const webhook = await create('webhooks', { url: 'https://hooks.example.com/', disabled: true })
    const provider = await create('providers', { type: 'github', client_id: 'abc', client_secret: 'of the other side' })
    const person = await createPerson(w, environment)
    await person.tokens(application)
    const secret = await createAuthKey(w, environment, 'auth_secret', {}, platform)
    const publishable = await createAuthKey(w, environment, 'auth_publishable', {}, platform)
    const sessions = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key: secret.key }))
    return {
      ...environment,
      application_id: application.id,
      resource_server_id: resource_server.id,
      webhook_id: webhook.id,
      provider_id: provider.id,
      key_id: secret.id,
      user_id: person.id,
      mail_id: await mailIn(environment, secret.key, platform),
      session_id: sessions.data[0].id,
      secret: secret.key,
      publishable: publishable.key,
    }
  }
  /** Creates a captured email. Live captures none, so its id is unknown. */
  const mailIn = async (environment: Place, secret: string, key: string): Promise<string> => {
    const body = { email: 'mailed@example.com', password: 'correct horse battery' }
    const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret, body }))
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${id}`, { key: secret, body: { password: 'staple and something else' } }))
    if (environment.type === 'live') return 'eml_01m7wwr5ftevtv5yxb47hmb4ht'
    return expectStatus(200, await w.call('GET', `${environment.path}/inbox`, { key })).data[0].id
  }
  const [test, live] = [await createObjects(project.test), await createObjects(project.live)]
  return { tenant_id, project_id: project.id, member_id, platform_key_id, platform, token, test, live }
}

export type Ids = Record<string, string>

/** The parameter names in the path of a row. */
export const parametersOf = (route: Route) => [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The id for each parameter in the path of a row. */
export function idsOf(route: Route, tenant: Tenant, environment: Furnished = tenant.test): Ids {
  const in_tenant = route.path.includes('{tenant_id}')
  const known: Ids = {
    tenant_id: tenant.tenant_id,
    project_id: tenant.project_id,
    environment_id: environment.id,
    application_id: environment.application_id,
    resource_server_id: environment.resource_server_id,
    webhook_id: environment.webhook_id,
    provider_id: environment.provider_id,
    message_id: 'msg_01m7wwr5ftevtv5yxb47hmb4ht', // of no message: deliveries are created in the background
    key_id: in_tenant ? tenant.platform_key_id : environment.key_id,
    mail_id: environment.mail_id,
    user_id: in_tenant ? tenant.member_id : environment.user_id,
    session_id: environment.session_id,
    member_id: tenant.member_id,
    id: environment.id,
  }
  const unknown = parametersOf(route).filter((name) => known[name] === undefined)
  if (unknown.length > 0) throw new Error(`There is no id for {${unknown}} of ${route.path}: create one in createTenantObjects().`)
  return Object.fromEntries(parametersOf(route).map((name) => [name, known[name] ?? '']))
}

export const pathOf = (route: Route, ids: Ids) => route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')

export type CredentialKind = 'publishable' | 'secret' | 'platform' | 'administrator'

/** The types of credentials that a row admits. */
export function admitted({ credential }: Route): readonly CredentialKind[] {
  switch (credential.kind) {
    case 'any_key':
      return ['platform', 'secret', 'publishable']
    case 'secret':
      return credential.role === null ? ['secret'] : ['secret', 'administrator']
    case 'platform':
      return ['platform', 'administrator']
    case 'publishable':
    case 'administrator':
      return [credential.kind]
    default:
      throw new Error(`The table of the management API has a row with the credential ${credential.kind}.`)
  }
}

export function credentialHeaders(kind: CredentialKind, tenant: Tenant, environment: Furnished = tenant.test): Record<string, string> {
  switch (kind) {
    case 'publishable':
      return { 'x-api-key': environment.publishable, origin: app_origin }
    case 'secret':
      return { 'x-api-key': environment.secret }
    case 'platform':
      return { 'x-api-key': tenant.platform }
    case 'administrator':
      return bearer(tenant.token, tenant, environment)
  }
}

export function bearer(token: string, tenant: Tenant, environment: Furnished = tenant.test): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-tenant-id': tenant.tenant_id, 'x-environment-id': environment.id }
}

export interface Asked {
  method: string
  path: string
  headers: Record<string, string>
  body?: unknown
}

/** A valid request of this row. */
export function rightRequest(route: Route, tenant: Tenant, environment: Furnished = tenant.test): Asked {
  const [kind = 'platform'] = admitted(route)
  return {
    method: route.method,
    path: pathOf(route, idsOf(route, tenant, environment)),
    headers: credentialHeaders(kind, tenant, environment),
    ...(route.body ? { body: sampleBody(route.body) } : {}),
  }
}

/** One administrator sends all these requests: the clock moves on before their rate limit is reached. */
const requests_per_window = 500
let requests = 0

export function ask(w: World, { method, path, headers, body }: Asked): Promise<Reply> {
  if (++requests % requests_per_window === 0) w.advance(10)
  return w.call(method, path, { key: null, headers, body })
}

interface Schema {
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
}

const schemas = new Map<z.ZodType, Schema>()

/** The JSON Schema of a body. Cached, because making one costs more than a request. */
function schemaOf(type: z.ZodType): Schema {
  const known = schemas.get(type)
  if (known) return known
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema // as: the part that is read here
  schemas.set(type, schema)
  return schema
}

let samples = 0

/** The required fields of a body, with a sample value by their name. */
export function sampleBody(type: z.ZodType): Record<string, unknown> {
  const schema = schemaOf(type)
  const n = ++samples
  const values: Record<string, unknown> = {
    slug: `sample-${n}`,
    name: 'Sample',
    label: 'Sample',
    email: `sample${n}@example.com`,
    token: 'not-a-token',
    redirect_uris: [`${app_origin}/callback`],
    url: 'https://hooks.example.com/',
    client_id: 'abc',
    client_secret: 'of the other side',
    since: '2026-01-01T00:00:00.000Z',
    identifier: `https://api.example.com/sample-${n}`,
    scopes: ['projects:read'],
  }
  return Object.fromEntries(
    [...(schema.required ?? []), ...Object.keys(schema.properties ?? {}).filter((name) => name === 'client_secret')].map((name) => {
      const value = name === 'type' ? schema.properties?.[name]?.enum?.at(-1) : (values[name] ?? schema.properties?.[name]?.enum?.[0])
      if (value === undefined) throw new Error(`There is no sample for the field ${name}: add one here.`)
      return [name, value]
    }),
  )
}
