/** Finds the tenant, the project, the environment and the object that a command names, by slug, email or id. */
import { prefixes } from '@ostiary/contract/ids.ts'
import { OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import { UsageError } from '../usage.ts'
import type { Connection } from './connection.ts'
import { listCommand, listedBy, type Row, rowOf, type ScopeParameter } from './derive.ts'
import { meantWords, nearNames, nearWords, otherKind } from './near.ts'
import { Refused } from './refused.ts'
import { visible } from './show.ts'

/** The options of the caller for the scope; `null` for an absent one. */
export interface WrittenScope {
  tenant: string | null
  project: string | null
  env: string | null
  /** The words that name the object. */
  words: readonly string[]
}

export interface Scope {
  tenant_id?: string
  project_id?: string
  environment_id?: string
  /** The options that name it, for the command that lists what there is. */
  options?: readonly string[]
  /** `null` outside an environment. */
  environment_type: 'test' | 'live' | null
}

const Named = z.object({ id: z.string(), type: z.string().optional() })
const NamedPage = z.object({ data: z.array(Named) })
const Me = z.object({ root_tenant_id: z.string(), memberships: z.array(z.object({ tenant_id: z.string(), slug: z.string() })) })
const Located = z.object({
  tenant_id: z.string(),
  project_id: z.string().nullable(),
  environment_id: z.string().nullable(),
  environment_type: z.enum(['test', 'live']).nullable(),
})
const EnvironmentType = z.enum(['test', 'live'])

export const isId = (text: string) => /^[a-z]{2,3}_[0-9a-z]{26}$/.test(text)

/** Returns the scope that a row needs. Administrators also name the tenant, and the environment of a row for secret keys. */
export function scopeOf({ route, scope }: Row, kind: Connection['kind']): readonly ScopeParameter[] {
  if (kind !== 'administrator') return scope
  const { credential } = route
  if (credential.kind === 'platform' || isForRole(route)) return ['tenant_id', ...scope]
  return credential.kind === 'secret' ? ['tenant_id', 'project_id', 'environment_id'] : scope
}

/** A row for administrators alone, in the tenant of the header. */
const isForRole = ({ credential, path }: Row['route']): boolean =>
  credential.kind === 'administrator' && credential.role !== null && !path.includes('{tenant_id}')

export async function resolveScope(connection: Connection, row: Row, written: WrittenScope): Promise<Scope> {
  const needed = scopeOf(row, connection.kind)
  const env = written.env ?? connection.defaults.env
  refuseOtherKinds(written, env)
  const options = (['tenant', 'project', 'env'] as const).flatMap((name) => (written[name] === null ? [] : [`--${name}`, written[name]]))
  const scope: Scope = { environment_type: connection.key_environment, options }
  // Administrators can ask where an id belongs.
  // A member is a user, and users are in an environment: their place is not that of the membership.
  const [word = ''] = needed.includes('environment_id') || !written.words[0]?.startsWith(`${prefixes.user}_`) ? written.words : []
  const id = [written.env, written.env === null && written.project === null ? word : null, env].find((each) => each && isId(each))
  if (connection.kind === 'administrator' && id && needed.length > 0) {
    const located = await locate(connection, id)
    if (located !== null && needed.every((name) => located[name] !== undefined)) return { ...located, options }
  }
  if (needed.includes('tenant_id')) scope.tenant_id = await tenantOf(connection, written.tenant)
  if (needed.includes('project_id')) scope.project_id = await projectOf(connection, scope, written.project)
  if (needed.includes('environment_id')) Object.assign(scope, await environmentOf(connection, scope, env))
  return scope
}

/** The scope of an object by its id; `null` for an unknown one. */
async function locate(connection: Connection, id: string): Promise<Scope | null> {
  try {
    const { tenant_id, project_id, environment_id, environment_type } = Located.parse(
      (await connection.call(rowOf('lookup'), { params: { id } })).data,
    )
    return {
      tenant_id,
      ...(project_id === null ? {} : { project_id }),
      ...(environment_id === null ? {} : { environment_id }),
      environment_type,
    }
  } catch (error) {
    if (error instanceof OstiaryError && error.code === 'not_found') return null
    throw error
  }
}

async function tenantOf(connection: Connection, written: string | null): Promise<string> {
  const given = written ?? connection.defaults.tenant
  if (given !== null) return isId(given) ? given : idOf(connection, { row: rowOf('listTenants'), slug: given, scope: {} }, 'tenant')
  const { memberships, root_tenant_id } = Me.parse((await connection.call(rowOf('me'), {})).data)
  const tenants = memberships.filter(({ tenant_id }) => tenant_id !== root_tenant_id)
  const [only] = tenants
  if (only !== undefined && tenants.length === 1) return only.tenant_id
  const slugs = tenants.map(({ slug }) => visible(slug)).join(', ')
  throw new UsageError(`--tenant is missing: the slug or the id of the tenant${slugs === '' ? '.' : `, one of ${slugs}.`}`)
}

async function projectOf(connection: Connection, scope: Scope, written: string | null): Promise<string> {
  const given = written ?? connection.defaults.project
  if (given === null)
    throw await missing(connection, { row: rowOf('listProjects'), scope }, '--project', 'the slug or the id of the project')
  return isId(given) ? given : idOf(connection, { row: rowOf('listProjects'), slug: given, scope }, 'project')
}

async function environmentOf(connection: Connection, scope: Scope, given: string | null): Promise<Partial<Scope>> {
  const list = { row: rowOf('listEnvironments'), scope }
  if (given === null) throw await missing(connection, list, '--env', 'test, live, or the slug or the id of another environment')
  const { data } = isId(given)
    ? await connection.call(rowOf('getEnvironment'), {
        params: { project_id: scope.project_id, environment_id: given },
        ...headersOf(scope),
      })
    : { data: await firstOf(connection, { ...list, slug: given }) }
  const environment = Named.safeParse(data)
  if (!environment.success) throw await nothingFound(connection, { ...list, slug: given }, 'environment')
  return { environment_id: environment.data.id, environment_type: EnvironmentType.parse(environment.data.type) }
}

/** The parameters of the path and the headers of a call in a scope. */
export function inScope(row: Row, scope: Scope): { params: Record<string, unknown>; tenant_id?: string; environment_id?: string } {
  const params = Object.fromEntries(row.scope.map((name) => [name, scope[name]]))
  const takes_tenant = row.route.credential.kind === 'platform' || row.route.credential.kind === 'secret' || isForRole(row.route)
  return {
    params,
    ...(takes_tenant && scope.tenant_id !== undefined ? { tenant_id: scope.tenant_id } : {}),
    ...(row.route.credential.kind === 'secret' && scope.environment_id !== undefined ? { environment_id: scope.environment_id } : {}),
  }
}

const headersOf = ({ tenant_id }: Scope) => (tenant_id === undefined ? {} : { tenant_id })

/** The id that a word stands for: the id itself, or the slug or email of an object. */
export async function objectId(
  connection: Connection,
  row: Row,
  { parameter, word }: { parameter: string; word: string },
  scope: Scope,
): Promise<string> {
  const kind = parameter.replace(/_id$/, '')
  const other = otherKind(word, kind)
  if (other !== null) throw new UsageError(other)
  const list = isId(word) ? null : listedBy(row, parameter)
  if (list === null) return word
  return idOf(connection, { row: list.row, [list.natural_key]: word, scope }, kind.replaceAll('_', ' '))
}

/** An object of a list, by its slug or its email. */
interface Wanted {
  row: Row
  slug?: string
  email?: string
  scope: Partial<Scope>
}

async function idOf(connection: Connection, wanted: Wanted, what: string): Promise<string> {
  const object = Named.safeParse(await firstOf(connection, wanted))
  if (!object.success) throw await nothingFound(connection, wanted, what)
  return object.data.id
}

/** Returns a refusal that suggests near names and the command that lists all. */
async function nothingFound(connection: Connection, wanted: Wanted, what: string): Promise<Refused> {
  const typed = wanted.slug ?? wanted.email ?? ''
  const names = await namesOf(connection, wanted)
  // Addresses of people are not listed, only a near one is named.
  const near = wanted.slug === undefined ? meantWords(nearNames(typed, names)) : nearWords(typed, names)
  return new Refused(`There is no ${what} ${JSON.stringify(visible(typed))}.${near} ${listsThem(wanted)}`)
}

const listsThem = ({ row, scope }: Pick<Wanted, 'row' | 'scope'>) =>
  `"ostiary ${visible(listCommand(row, scope.options ?? []))}" lists them.`

/** An option that is needed and not written, with the few names that it can have. */
async function missing(connection: Connection, list: Pick<Wanted, 'row' | 'scope'>, option: string, takes: string): Promise<UsageError> {
  const names = await namesOf(connection, list)
  const few = names.length > 0 && names.length <= 8 ? ` There ${names.length === 1 ? 'is' : 'are'} ${names.map(visible).join(', ')}.` : ''
  const keep = connection.kind === 'administrator' ? ` "ostiary use ${option} …" keeps it for later commands.` : ''
  return new UsageError(`${option} is missing: ${takes}.${few} ${listsThem(list)}${keep}`)
}

const most_names = 100

/** The names of the first objects of a list; none where this caller cannot read it. */
async function namesOf(connection: Connection, { row, scope }: Pick<Wanted, 'row' | 'scope'>): Promise<string[]> {
  const { params, ...headers } = inScope(row, { environment_type: null, ...scope })
  try {
    const { data } = await connection.call(row, { params: { ...params, limit: most_names }, ...headers })
    return NameablePage.parse(data).data.flatMap(({ slug, email }) => slug ?? email ?? [])
  } catch (error) {
    if (error instanceof OstiaryError) return []
    throw error
  }
}

const NameablePage = z.object({
  data: z.array(z.object({ slug: z.string().nullable().optional(), email: z.string().nullable().optional() })),
})

/** An id that belongs to another kind of object is a mistake before any call. */
function refuseOtherKinds({ tenant, project }: WrittenScope, env: string | null): void {
  for (const [option, text, kind] of [
    ['--tenant', tenant, 'tenant'],
    ['--project', project, 'project'],
    ['--env', env, 'environment'],
  ] as const) {
    const other = text === null ? null : otherKind(text, kind)
    if (other !== null) throw new UsageError(`${option}: ${other}`)
  }
}

/** The object with a slug or an email; `undefined` if there is none. A slug that no object can have finds nothing. */
export async function firstOf(connection: Connection, { row, scope, ...by }: Wanted): Promise<unknown> {
  const { params, ...headers } = inScope(row, { environment_type: null, ...scope })
  try {
    return NamedPage.extend({ data: z.array(z.unknown()) }).parse(
      (await connection.call(row, { params: { ...params, ...by, limit: 1 }, ...headers })).data,
    ).data[0]
  } catch (error) {
    if (error instanceof OstiaryError && error.code === 'validation_failed') return undefined
    throw error
  }
}
