/** The route table in tests: one subtest for each row, and a valid request for every row, in which a test makes one thing wrong. */
import { type TestContext, test } from 'node:test'
import { NewMetadataClient } from '@ostiary/contract/metadata-client.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { required_sentence } from '@ostiary/contract/sentences.ts'
import { z } from 'zod'
import { app_origin, type EnvironmentObjects, type Tenant } from './tenants.ts'
import type { Reply, World } from './world.ts'

export { public_api } from '@ostiary/contract/routes.ts'

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

export type Ids = Record<string, string>

/** The parameter names in the path of a row. */
export const parametersOf = (route: Route) => [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The id for each parameter in the path of a row. */
export function idsOf(route: Route, tenant: Tenant, environment: EnvironmentObjects = tenant.test): Ids {
  const in_tenant = route.path.includes('{tenant_id}')
  const known: Ids = {
    tenant_id: tenant.tenant_id,
    project_id: tenant.project_id,
    environment_id: environment.id,
    application_id: environment.application_id,
    resource_server_id: environment.resource_server_id,
    client_secret_id: environment.client_secret_id,
    metadata_client_id: environment.metadata_client_id,
    role_id: environment.role_id,
    organization_id: environment.organization_id,
    invitation_id: environment.invitation_id,
    webhook_id: environment.webhook_id,
    provider_id: environment.provider_id,
    message_id: route.path.includes('backchannel-logouts') ? environment.logout_id : environment.message_id,
    event_id: environment.event_id,
    method_id: environment.method_id,
    trusted_browser_id: environment.trusted_browser_id,
    grant_id: environment.grant_id,
    audit_entry_id: tenant.audit_entry_id,
    promotion_id: tenant.promotion_id,
    key_id: in_tenant ? tenant.platform_key_id : environment.key_id,
    mail_id: environment.mail_id,
    user_id: in_tenant ? tenant.member_id : environment.user_id,
    session_id: environment.session_id,
    user_job_id: environment.user_job_id,
    request_id: in_tenant ? tenant.request_id : environment.request_id,
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
export function admittedCredentials({ credential }: Route): readonly CredentialKind[] {
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

export function credentialHeaders(
  kind: CredentialKind,
  tenant: Tenant,
  environment: EnvironmentObjects = tenant.test,
): Record<string, string> {
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

export function bearer(token: string, tenant: Tenant, environment: EnvironmentObjects = tenant.test): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-tenant-id': tenant.tenant_id, 'x-environment-id': environment.id }
}

export interface ApiRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: unknown
}

/** A valid request of this row. */
export function validRequest(route: Route, tenant: Tenant, environment: EnvironmentObjects = tenant.test): ApiRequest {
  const [kind = 'platform'] = admittedCredentials(route)
  return {
    method: route.method,
    path: pathOf(route, idsOf(route, tenant, environment)),
    headers: credentialHeaders(kind, tenant, environment),
    ...(route.body ? { body: newBody(route, tenant, environment) } : {}),
  }
}

/**
 * A body that the row accepts, with values of its own at each call. A promotion goes from one environment of the tenant to another, and a new
 * member is a user of the environment.
 */
export const newBody = (route: Route, { test, live }: Tenant, environment: EnvironmentObjects = test) =>
  route.body && {
    ...sampleBody(route.body),
    ...(route === routes.addOrganizationMember ? { user_id: environment.other_user_id } : {}),
    ...(route === routes.inviteToOrganization ? { send_email: false } : {}),
    ...(route === routes.createPromotion ? { from_environment_id: test.id, to_environment_id: live.id } : {}),
  }

/** One administrator sends all these requests: the clock moves on before their rate limit is reached. */
const requests_per_window = 500
let requests = 0

export function ask(w: World, { method, path, headers, body }: ApiRequest): Promise<Reply> {
  if (++requests % requests_per_window === 0) w.advance(10)
  return w.call(method, path, { key: null, headers, body })
}

interface Schema {
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
}

const schemas = new Map<z.ZodType, Schema>()

/**
 * The JSON Schema of a body. Cached, because making one costs more than a request. A registry of its own: the documentation registers names,
 * which would become references.
 */
function schemaOf(type: z.ZodType): Schema {
  const known = schemas.get(type)
  if (known) return known
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any', metadata: z.registry() }) as Schema // as: the part that is read here
  schemas.set(type, schema)
  return schema
}

/** The fields that a body must have, by its schema and by the rules over several fields. */
function requiredFields(type: z.ZodType, { required = [] }: Schema): string[] {
  const missing =
    type.safeParse({}).error?.issues.flatMap(({ path, message }) => (message === required_sentence ? path.slice(0, 1) : [])) ?? []
  return [...new Set([...required, ...missing.map(String)])]
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
    to: 'ada@example.com',
    to_environment_id: 'env_01m7wwr5ftevtv5yxb47hmb4ht',
    identifier: `https://api.example.com/sample-${n}`,
    ...(type === NewMetadataClient && { client_id: `https://agent.example.com/sample-${n}/client.json` }),
    scopes: ['projects:read'],
    user_id: 'usr_01m7wwr5ftevtv5yxb47hmb4ht',
    user_ids: ['usr_01m7wwr5ftevtv5yxb47hmb4ht'],
  }
  return Object.fromEntries(
    [...requiredFields(type, schema), ...Object.keys(schema.properties ?? {}).filter((name) => name === 'client_secret')].map((name) => {
      const value = name === 'type' ? schema.properties?.[name]?.enum?.at(-1) : (values[name] ?? schema.properties?.[name]?.enum?.[0])
      if (value === undefined) throw new Error(`There is no sample for the field ${name}: add one here.`)
      return [name, value]
    }),
  )
}

/** Everything a caller can compare in a response, except the fields that always differ. */
export function visible({ status, headers, body }: Reply): string {
  const { request_id, ...rest } = body
  const own = ['x-request-id', 'date', 'ratelimit', 'ratelimit-policy', 'content-length']
  return JSON.stringify([status, rest, [...headers].filter(([name]) => !own.includes(name)), request_id === headers.get('x-request-id')])
}
