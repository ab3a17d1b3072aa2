/** Stores the resource servers of an environment: the audiences of its access tokens (RFC 8707), with their scopes. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { changeableNames, fieldsOf } from '@ostiary/contract/objects/field.ts'
import { ResourceServer, type ResourceServerFields, resource_server } from '@ostiary/contract/objects/resource-server.ts'
import { z } from 'zod'
import { type Db, guard, identifiers, join, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { assignments, columnsOf, insertInto } from '../../db/rows.ts'
import { readerOf } from '../tenancy/object-reader.ts'
import { raiseRolesVersion, raiseRolesVersionWhereUsed } from '../tenancy/store.ts'
import { keysAfter } from './es256.ts'
import { type NamedServer, versionsAfter, versionsAtFirst } from './scope-versions.ts'

const Versioned = ResourceServer.extend({ version: z.int() })
export type ResourceServerRow = z.infer<typeof Versioned>
const Stored = Versioned.extend({ scope_versions: z.record(z.string(), z.int()) })
/** A resource server with the versions of its scopes, which no answer has. */
export type StoredResourceServer = z.infer<typeof Stored>

export const shownServer = ({ scope_versions: _, ...shown }: ResourceServerRow & Partial<StoredResourceServer>): ResourceServerRow => shown

const own_names = ['identifier', ...changeableNames(resource_server)] as const
const own_columns = identifiers(...own_names)

const Audience = ResourceServer.pick({
  id: true,
  identifier: true,
  name: true,
  scopes: true,
  access_token_ttl_seconds: true,
  access_token_format: true,
  access_token_signing_alg: true,
  roles_claim: true,
  data_claims: true,
  organizations: true,
  allow_metadata_clients: true,
})
export type Audience = z.infer<typeof Audience>

const columns = sql`
  r.id, e.tenant_id, e.project_id, r.environment_id, r.slug, ${columnsOf('r', own_names)},
  r.scope_versions, r.version, r.created_at, r.updated_at`

export const {
  page: pageOfResourceServers,
  list: listResourceServers,
  find: findResourceServer,
} = readerOf({ Shown: ResourceServer, Row: Stored }, { table: 'resource_servers', alias: 'r', columns })

/** Finds the resource servers with these identifiers. */
export async function findAudiences(db: Db, environment_id: EnvironmentId, identifiers: readonly string[]): Promise<Audience[]> {
  if (identifiers.length === 0) return []
  return db.of(environment_id).all(
    Audience,
    sql`select id, ${own_columns} from resource_servers
         where environment_id = ${environment_id} and identifier in (${list(identifiers)})`,
  )
}

const Named = Stored.pick({ id: true, slug: true, version: true, scopes: true, scope_versions: true })
/** Resource servers of one statement. Each has up to 200 scopes. */
const servers_at_a_time = 50

/** Finds the resource servers with these slugs, as the permissions of roles name them. */
export async function findNamedServers(db: Db, environment_id: EnvironmentId, slugs: readonly string[]): Promise<NamedServer[]> {
  const servers: NamedServer[] = []
  for (let at = 0; at < slugs.length; at += servers_at_a_time) {
    const some = list(slugs.slice(at, at + servers_at_a_time))
    const rows = await db
      .of(environment_id)
      .all(
        Named,
        sql`select id, slug, version, scopes, scope_versions from resource_servers where environment_id = ${environment_id} and slug in (${some})`,
      )
    servers.push(...rows)
  }
  return servers
}

const Owned = z.object({ name: z.string(), id: z.string(), identifier: z.string().nullable() })
/** A name of a scope, and the identifier of the newest resource server that has it. */
export interface OwnedScope {
  name: string
  identifier: string
}

/** Names of one statement. An authorization request looks up no more (`protocol/requested.ts`), and so sends one. */
const names_at_once = 20
/** Rows of a name. Those of a resource server whose names are to be written later name none. */
const newest_of_name = 3

/**
 * Finds which of these names are scopes of resource servers of the environment, in the same order. Each is found by an index and reads at most 3
 * rows of each table, whatever the number of resource servers, and of those that have it: a join would let a database begin at the resource
 * servers. One whose names are not there yet is left out (`nameMissingScopes`).
 */
export async function findOwnedScopes(db: Db, environment_id: EnvironmentId, names: readonly string[]): Promise<OwnedScope[]> {
  const owners = new Map<string, string>()
  for (let at = 0; at < names.length; at += names_at_once) {
    const each = names.slice(at, at + names_at_once).map(
      (name) => sql`select found.name, found.resource_server_id as id, (
          select identifier from resource_servers
           where id = found.resource_server_id and ${inEnvironment(environment_id)} and scopes_version = version) as identifier
        from (select name, resource_server_id from resource_server_scopes where name = ${name} and environment_id = ${environment_id}
               order by name desc, environment_id desc, resource_server_id desc limit ${newest_of_name}) found`,
    )
    const rows = await db.of(environment_id).all(Owned, join(each, ' union all '))
    for (const { name, identifier } of rows.sort((a, b) => (a.id < b.id ? -1 : 1))) if (identifier !== null) owners.set(name, identifier)
  }
  return names.flatMap((name) => {
    const identifier = owners.get(name)
    return identifier === undefined ? [] : [{ name, identifier }]
  })
}

const Identified = ResourceServer.pick({ identifier: true })
const neighbours_each_way = 5

/**
 * Finds identifiers of which this one may be a mistyped form: its neighbours in the order of the index, which share its beginning, and the
 * exact forms that people confuse. Each is the first of an order, since PostgreSQL may find an equal one by another index of the environment. At
 * most 12 rows are read, whatever the number of resource servers.
 */
export async function findAlikeIdentifiers(db: Db, environment_id: EnvironmentId, text: string): Promise<string[]> {
  const first = (condition: Statement, order: Statement, most: number) => sql`select * from (
      select identifier from resource_servers where environment_id = ${environment_id} and ${condition}
       order by ${order} limit ${most}) beside`
  const from = (start: string, most: number) => first(sql`identifier >= ${start}`, sql`environment_id, identifier`, most)
  const before = first(sql`identifier < ${text}`, sql`environment_id desc, identifier desc`, neighbours_each_way)
  const parts = [before, from(text, neighbours_each_way), ...confused(text).map((other) => from(other, 1))]
  const rows = await db.of(environment_id).all(Identified, join(parts, ' union all '))
  return rows.map(({ identifier }) => identifier)
}

/** With or without a final slash, and by the other scheme. */
const confused = (text: string): string[] => [
  text.endsWith('/') ? text.slice(0, -1) : `${text}/`,
  text.startsWith('https:') ? text.replace('https:', 'http:') : text.replace(/^http:/, 'https:'),
]

/** The environment has fewer than `most` resource servers. Read it in a batch that holds the environment. */
export const roomForResourceServer = (environment_id: EnvironmentId, most: number) =>
  sql`(select count(*) from resource_servers where environment_id = ${environment_id}) < ${most}`

/** The rows by which a name of a scope is found. They follow every change of a resource server, in its batch. */
function nameScopes(environment_id: EnvironmentId, id: string, scopes: Audience['scopes']): Statement[] {
  if (scopes.length === 0) return []
  const names = new Set(scopes.map(({ name }) => name)) // no rule of the database keeps a list from naming one twice
  const rows = [...names].map((name) => sql`(${environment_id}, ${name}, ${id})`)
  return [sql`insert into resource_server_scopes (environment_id, name, resource_server_id) values ${join(rows, ', ')}`]
}

const forgetScopes = (environment_id: EnvironmentId, id: string): Statement =>
  sql`delete from resource_server_scopes where resource_server_id = ${id} and ${inEnvironment(environment_id)}`

/** When names of scopes are written: in the batch, or by the worker after it. */
export type NamesWritten = 'now' | 'later'

/** Tokens give something else after a change of a resource server that requires roles or an organization, or did. */
const changesAccess = (
  environment_id: EnvironmentId,
  ...servers: readonly Pick<ResourceServerFields, 'require_roles' | 'organizations'>[]
): Statement[] =>
  servers.some(({ require_roles, organizations }) => require_roles || organizations === 'required')
    ? [raiseRolesVersion(environment_id)]
    : []

/** Scopes that go or come back change which roles a member may give, even if no roles are required. */
function changesRoles(environment_id: EnvironmentId, before: ResourceServerFields, after: ResourceServerFields | null): Statement[] {
  const raised = changesAccess(environment_id, before, after ?? before)
  const has_same_names = after !== null && JSON.stringify(namesOf(before)) === JSON.stringify(namesOf(after))
  return raised.length > 0 || has_same_names ? raised : [raiseRolesVersionWhereUsed(environment_id)]
}

/** Fails as a guard if the slug or the identifier is taken in the environment. */
export function insertResourceServer(
  environment_id: EnvironmentId,
  { id, slug, names = 'now' }: { id: string; slug: string; names?: NamesWritten },
  server: ResourceServerFields & Pick<ResourceServer, 'identifier'>,
  now: Date,
): Statement[] {
  const { identifier } = server
  const scopes_version = names === 'now' ? 1 : 0
  const scope_versions = versionsAtFirst(server.scopes)
  const facts = { environment_id, id, slug, identifier, scopes_version, scope_versions, created_at: now, updated_at: now }
  const row = { ...facts, ...fieldsOf(resource_server, server) }
  return [
    ...changesAccess(environment_id, server),
    guard(sql`${insertInto('resource_servers', row)} on conflict do nothing`),
    ...(names === 'now' ? nameScopes(environment_id, id, server.scopes) : []),
    ...keysAfter(environment_id, null, server, now),
  ]
}

export function updateResourceServer(
  current: StoredResourceServer,
  fields: ResourceServerFields,
  now: Date,
  names: NamesWritten = 'now',
): Statement[] {
  const { environment_id, id, version } = current
  const has_same_names = JSON.stringify(namesOf(current)) === JSON.stringify(namesOf(fields))
  const scopes_version = has_same_names
    ? sql`case when scopes_version = version then version + 1 else scopes_version end`
    : names === 'now'
      ? sql`version + 1`
      : sql`scopes_version`
  return [
    ...changesRoles(environment_id, current, fields),
    guard(sql`update resource_servers set ${assignments({ ...fieldsOf(resource_server, fields), scope_versions: versionsAfter(current, fields.scopes) })},
      version = version + 1, scopes_version = ${scopes_version}, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    ...(has_same_names || names === 'later' ? [] : [forgetScopes(environment_id, id), ...nameScopes(environment_id, id, fields.scopes)]),
    ...keysAfter(environment_id, current, fields, now),
  ]
}

const namesOf = ({ scopes }: Pick<ResourceServerFields, 'scopes'>) => scopes.map(({ name }) => name)

export function deleteResourceServer({ environment_id, id, version, ...fields }: ResourceServerRow, now: Date): Statement[] {
  return [
    ...changesRoles(environment_id, fields, null),
    guard(sql`delete from resource_servers
    where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    forgetScopes(environment_id, id),
    ...keysAfter(environment_id, fields, null, now),
  ]
}

const Unnamed = ResourceServer.pick({ environment_id: true, id: true, scopes: true }).extend({ version: z.int() })
const servers_at_once = 20

/**
 * Writes the names of scopes that were left for later. `false` where none is left. A resource server that changes meanwhile is found again.
 */
export async function nameMissingScopes(db: Db): Promise<boolean> {
  const rows = await db.many.all(
    Unnamed,
    sql`select environment_id, id, scopes, version from resource_servers where scopes_version <> version order by id limit ${servers_at_once}`,
  )
  for (const { environment_id, id, scopes, version } of rows)
    await db.of(environment_id).batch([
      guard(sql`update resource_servers set scopes_version = ${version}
        where environment_id = ${environment_id} and id = ${id} and version = ${version} and scopes_version <> version`),
      forgetScopes(environment_id, id),
      ...nameScopes(environment_id, id, scopes),
    ])
  return rows.length === servers_at_once
}

const IdentifierWithName = z.object({ identifier: z.string(), name: z.string() })

/** The names of these resource servers, by identifier. */
export async function namesOfResources(
  db: Db,
  environment_id: EnvironmentId,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (identifiers.length === 0) return new Map()
  const rows = await db
    .of(environment_id)
    .all(
      IdentifierWithName,
      sql`select identifier, name from resource_servers where environment_id = ${environment_id} and identifier in (${list(identifiers)})`,
    )
  return new Map(rows.map(({ identifier, name }) => [identifier, name]))
}
