/** Stores the resource servers of an environment: the audiences of its access tokens (RFC 8707), with their scopes. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { ResourceServer } from '@ostiary/contract/resource-server.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'

const Versioned = ResourceServer.extend({ version: z.int() })
export type ResourceServerRow = z.infer<typeof Versioned>

/** The fields of a resource server that can be changed. */
export type ResourceServerFields = Pick<ResourceServer, 'name' | 'scopes' | 'access_token_ttl_seconds' | 'access_token_format'>

const Audience = ResourceServer.pick({
  identifier: true,
  name: true,
  scopes: true,
  access_token_ttl_seconds: true,
  access_token_format: true,
})
export type Audience = z.infer<typeof Audience>

const columns = sql`
  r.id, e.tenant_id, e.project_id, r.environment_id, r.slug, r.identifier, r.name, r.scopes, r.access_token_ttl_seconds, r.access_token_format,
  r.version, r.created_at, r.updated_at`
const from = sql`from resource_servers r join environments e on e.id = r.environment_id`

/** A page of all of them, in the order of their slugs: those after a slug. */
export const pageOfResourceServers = (db: Db, environment_id: EnvironmentId, after: string, limit: number): Promise<ResourceServerRow[]> =>
  db.all(
    Versioned,
    sql`select ${columns} ${from} where r.environment_id = ${environment_id} and r.slug > ${after} order by r.slug limit ${limit}`,
  )

export function listResourceServers(db: Db, environment_id: EnvironmentId, rest: Statement) {
  return db.all(
    ResourceServer,
    sql`select * from (select ${columns} ${from} where r.environment_id = ${environment_id}) listed where 1 = 1 ${rest}`,
  )
}

export function findResourceServer(db: Db, environment_id: EnvironmentId, id: string): Promise<ResourceServerRow | null> {
  return db.maybeOne(Versioned, sql`select ${columns} ${from} where r.environment_id = ${environment_id} and r.id = ${id}`)
}

/** Finds the resource servers with these identifiers. */
export async function findAudiences(db: Db, environment_id: EnvironmentId, identifiers: readonly string[]): Promise<Audience[]> {
  if (identifiers.length === 0) return []
  return db.all(
    Audience,
    sql`select identifier, name, scopes, access_token_ttl_seconds, access_token_format from resource_servers
         where environment_id = ${environment_id} and identifier in (${list(identifiers)})`,
  )
}

const Named = ResourceServer.pick({ identifier: true, scopes: true })
export type Named = z.infer<typeof Named>

/** An environment with more resource servers is rare, and this explains a mistake. */
const most_named = 100

/** The identifiers and scopes of the newest resource servers. */
export function findNamed(db: Db, environment_id: EnvironmentId): Promise<Named[]> {
  return db.all(
    Named,
    sql`select identifier, scopes from resource_servers where environment_id = ${environment_id} order by id desc limit ${most_named}`,
  )
}

const Scopes = ResourceServer.pick({ scopes: true })

/** Finds the names of all scopes of the resource servers of an environment. */
export async function findScopeNames(db: Db, environment_id: EnvironmentId): Promise<string[]> {
  const rows = await db.all(Scopes, sql`select scopes from resource_servers where environment_id = ${environment_id}`)
  return rows.flatMap(({ scopes }) => scopes.map(({ name }) => name))
}

/** We choose: a look-up for anybody's authorization request reads no more resource servers than this. */
const most_searched = 1_000

const AllScopes = z.object({ all_scopes: z.string().nullable() })
const NamesOfAll = z.array(z.array(z.object({ name: z.string() })))

/**
 * Finds which of these names are scopes of resource servers of the environment, the newest 1,000. The database reads each list of scopes once,
 * however many names there are, and only a text that holds one of them is parsed.
 */
export async function findScopesAmong(db: Db, environment_id: EnvironmentId, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const all = await db.maybeOne(
    AllScopes,
    sql`select string_agg(scopes, ',') as all_scopes from (
          select scopes from resource_servers where environment_id = ${environment_id} order by id desc limit ${most_searched}) newest`,
  )
  const all_scopes = all?.all_scopes ?? ''
  if (all_scopes === '' || !names.some((name) => all_scopes.includes(JSON.stringify(name)))) return []
  const found = new Set(NamesOfAll.parse(JSON.parse(`[${all_scopes}]`)).flatMap((scopes) => scopes.map(({ name }) => name)))
  return names.filter((name) => found.has(name))
}

/** Fails as a guard if the slug or the identifier is taken in the environment. */
export function insertResourceServer(
  environment_id: EnvironmentId,
  { id, slug }: { id: string; slug: string },
  server: Audience,
  now: Date,
): Statement {
  return guard(sql`insert into resource_servers (
      environment_id, id, slug, identifier, name, scopes, access_token_ttl_seconds, access_token_format, created_at, updated_at)
    values (
      ${environment_id}, ${id}, ${slug}, ${server.identifier}, ${server.name}, ${server.scopes},
      ${server.access_token_ttl_seconds}, ${server.access_token_format}, ${now}, ${now})
    on conflict do nothing`)
}

export function updateResourceServer(current: ResourceServerRow, fields: ResourceServerFields, now: Date): Statement {
  return guard(sql`update resource_servers
      set name = ${fields.name}, scopes = ${fields.scopes}, access_token_ttl_seconds = ${fields.access_token_ttl_seconds},
          access_token_format = ${fields.access_token_format}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
}

export function deleteResourceServer(current: ResourceServerRow): Statement {
  return guard(sql`delete from resource_servers
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
}

const IdentifierWithName = z.object({ identifier: z.string(), name: z.string() })

/** The names of these resource servers, by identifier. */
export async function namesOfResources(
  db: Db,
  environment_id: EnvironmentId,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (identifiers.length === 0) return new Map()
  const rows = await db.all(
    IdentifierWithName,
    sql`select identifier, name from resource_servers where environment_id = ${environment_id} and identifier in (${list(identifiers)})`,
  )
  return new Map(rows.map(({ identifier, name }) => [identifier, name]))
}
