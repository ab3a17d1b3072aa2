/**
 * Two tenants that know nothing of each other, each with one of everything, for tests that go through the whole route
 * table: what a row's request looks like when all is right, so that a test can make one thing of it wrong.
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
/** So that nobody but the tests of limits meets one. */
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
  /** Of an owner. */
  token: string
  test: Furnished
  live: Furnished
}

export async function everything(w: World) {
  const ours = await furnish(w, w.tenant_id, w.owner_id, await administratorToken(w, owner), 'ours')
  const stranger = await createAdministrator(w, 'stranger@example.org')
  const anonymous = asAdministrator(w, stranger.token, null)
  const { id } = expectStatus(201, await anonymous('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }))
  const theirs = await furnish(w, id, stranger.user_id, stranger.token, 'theirs')
  return { ours, theirs }
}

/** Somebody who may sign in to administrate, and is in no tenant yet. */
export async function createAdministrator(w: World, email: string) {
  const user = await w.createUser({ id: w.admin_issuer.split('/').at(-1) as Place['id'] }, { email })
  return { user_id: user.id, email, password: user.password, token: await administratorToken(w, user) }
}

/** A member of a tenant, with a token to act by. */
export async function createMember(w: World, { tenant_id, token }: Tenant, role: Role): Promise<string> {
  const made = await createAdministrator(w, `${role}@example.com`)
  await joinTenant(w, { tenant_id, token }, made, role)
  return made.token
}

/** A platform key of the tenant. */
export async function createPlatformKey(w: World, { tenant_id, token }: Pick<Tenant, 'tenant_id' | 'token'>, fields: object = {}) {
  const body = { label: 'Made by a test', scopes: ['*'], rate_limit: unlimited, ...fields }
  return expectStatus(201, await asAdministrator(w, token, tenant_id)('POST', `/v1/tenants/${tenant_id}/platform-keys`, body))
}

/** An auth key of an environment: a publishable one comes with an origin. */
export async function createAuthKey(w: World, place: Pick<Place, 'path'>, type: string, fields: object = {}, key?: string) {
  const origins = type === 'auth_publishable' ? { allowed_origins: [app_origin] } : {}
  const body = { type, rate_limit: unlimited, ...origins, ...fields }
  return expectStatus(201, await w.call('POST', `${place.path}/auth-keys`, { body, ...(key === undefined ? {} : { key }) }))
}

async function furnish(w: World, tenant_id: string, member_id: string, token: string, slug: string): Promise<Tenant> {
  const { id: platform_key_id, key: platform } = await createPlatformKey(w, { tenant_id, token })
  const project = await w.createProject(slug, { key: platform })
  const furnished = async (place: Place): Promise<Furnished> => {
    const create = async (list: string, body: object) =>
      expectStatus(201, await w.call('POST', `${place.path}/${list}`, { key: platform, body }))
    const application = await create('applications', {
      name: 'Storefront',
      application_type: 'web',
      redirect_uris: [`${app_origin}/callback`],
    })
    const resource_server = await create('resource-servers', { identifier: 'https://api.example.com', name: 'Orders' })
    const webhook = await create('webhooks', { url: 'https://hooks.example.com/', disabled: true })
    const provider = await create('providers', { type: 'github', client_id: 'abc', client_secret: 'of the other side' })
    const person = await createPerson(w, place)
    await person.tokens(application)
    const secret = await createAuthKey(w, place, 'auth_secret', {}, platform)
    const publishable = await createAuthKey(w, place, 'auth_publishable', {}, platform)
    const sessions = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key: secret.key }))
    return {
      ...place,
      application_id: application.id,
      resource_server_id: resource_server.id,
      webhook_id: webhook.id,
      provider_id: provider.id,
      key_id: secret.id,
      user_id: person.id,
      mail_id: await mailIn(place, secret.key, platform),
      session_id: sessions.data[0].id,
      secret: secret.key,
      publishable: publishable.key,
    }
  }
  /** A captured mail; Live has none, so an id of none. */
  const mailIn = async (place: Place, secret: string, key: string): Promise<string> => {
    const body = { email: 'mailed@example.com', password: 'correct horse battery' }
    const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret, body }))
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${id}`, { key: secret, body: { password: 'staple and something else' } }))
    if (place.type === 'live') return 'eml_01m7wwr5ftevtv5yxb47hmb4ht'
    return expectStatus(200, await w.call('GET', `${place.path}/inbox`, { key })).data[0].id
  }
  const [test, live] = [await furnished(project.test), await furnished(project.live)]
  return { tenant_id, project_id: project.id, member_id, platform_key_id, platform, token, test, live }
}

export type Ids = Record<string, string>

/** The names in the path of a row. */
export const parametersOf = (route: Route) => [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** What stands for each name in the path of a row. */
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
    message_id: 'msg_01m7wwr5ftevtv5yxb47hmb4ht', // of nobody: deliveries are made in the background
    key_id: in_tenant ? tenant.platform_key_id : environment.key_id,
    mail_id: environment.mail_id,
    user_id: in_tenant ? tenant.member_id : environment.user_id,
    session_id: environment.session_id,
    member_id: tenant.member_id,
    id: environment.id,
  }
  const unknown = parametersOf(route).filter((name) => known[name] === undefined)
  if (unknown.length > 0) throw new Error(`Nothing here stands for {${unknown}} of ${route.path}: make one in furnish().`)
  return Object.fromEntries(parametersOf(route).map((name) => [name, known[name] ?? '']))
}

export const pathOf = (route: Route, ids: Ids) => route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')

export type CredentialKind = 'publishable' | 'secret' | 'platform' | 'administrator'

/** Whom a row admits. */
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

/** A request of this row that is right in everything. */
export function rightRequest(route: Route, tenant: Tenant, environment: Furnished = tenant.test): Asked {
  const [kind = 'platform'] = admitted(route)
  return {
    method: route.method,
    path: pathOf(route, idsOf(route, tenant, environment)),
    headers: credentialHeaders(kind, tenant, environment),
    ...(route.body ? { body: sampleBody(route.body) } : {}),
  }
}

/** One administrator asks for a whole table of rows: the clock moves on before the limit of a person is reached. */
const asks_per_window = 500
let asks = 0

export function ask(w: World, { method, path, headers, body }: Asked): Promise<Reply> {
  if (++asks % asks_per_window === 0) w.advance(10)
  return w.call(method, path, { key: null, headers, body })
}

interface Schema {
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
}

let samples = 0

/** The least that a body needs, by the names of its fields. */
export function sampleBody(type: z.ZodType): Record<string, unknown> {
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
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
