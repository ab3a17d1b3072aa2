/** The names of objects of an environment, by their ids: one statement for all, each part of which reads at most 100 rows by their keys. */
import { type EnvironmentId, idPattern, prefixes } from '@ostiary/contract/ids.ts'
import { ObjectName } from '@ostiary/contract/names.ts'
import { type Db, join, list, type Statement, sql } from '../db/db.ts'
import { distinctName } from '../domain/providers/store.ts'
import type { EnvironmentRow } from '../domain/tenancy/store.ts'

interface Reader {
  tenant_id: string
  /** The environment in which the administrators of the tenant have their accounts. */
  root_environment_id: EnvironmentId
  /** Whether the caller may read the objects of a kind. */
  readonly reads: (kind: NamedKind) => boolean
  /** Members are named to each other, and so are the platform keys of the tenant. */
  is_administrator: boolean
}

const named_kinds = [
  'user',
  'application',
  'metadata_client',
  'key',
  'resource_server',
  'role',
  'organization',
  'provider',
  'webhook',
  'environment',
  'project',
] as const
/** The kinds of objects that have a name. */
export type NamedKind = (typeof named_kinds)[number]

export async function findNames(db: Db, environment: EnvironmentRow, reader: Reader, ids: readonly string[]): Promise<ObjectName[]> {
  const queries = named_kinds.flatMap((kind) => {
    const own = [...new Set(ids)].filter((id) => idPattern(prefixes[kind]).test(id))
    return own.length === 0 ? [] : queriesFor(kind, environment, reader, list(own))
  })
  return queries.length === 0 ? [] : db.many.all(ObjectName, join(queries, ' union all '))
}

function queriesFor(kind: NamedKind, { id: environment_id, project_id }: EnvironmentRow, reader: Reader, ids: Statement): Statement[] {
  const { tenant_id, root_environment_id, reads, is_administrator } = reader
  const within = (table: Statement, name: Statement, object: string = kind) =>
    sql`select o.id, ${object} as object, ${name} as name from ${table} o where o.environment_id = ${environment_id} and o.id in (${ids})`
  const members =
    kind === 'user' && is_administrator && environment_id !== root_environment_id
      ? [
          sql`select u.id, 'member' as object, coalesce(u.email, u.id) as name
                from members m join users u on u.environment_id = ${root_environment_id} and u.id = m.user_id
               where m.tenant_id = ${tenant_id} and m.user_id in (${ids})`,
        ]
      : []
  if (!reads(kind)) return members
  switch (kind) {
    case 'application':
      return [within(sql`applications`, sql`o.name`)]
    case 'metadata_client':
      return [within(sql`metadata_clients`, sql`o.client_name || ' (' || o.host || ')'`)]
    case 'resource_server':
      return [within(sql`resource_servers`, sql`o.name`)]
    case 'role':
      return [within(sql`roles`, sql`o.name`)]
    case 'organization':
      return [within(sql`organizations`, sql`o.name`)]
    case 'provider':
      return [
        sql`select p.id, ${kind} as object, ${distinctName(environment_id)} as name
              from providers p where p.environment_id = ${environment_id} and p.id in (${ids})`,
      ]
    case 'webhook':
      return [within(sql`webhooks`, sql`o.slug`)]
    case 'key': // platform keys belong to no environment, and act in each
      return [
        sql`select o.id, ${kind} as object, coalesce(o.label, o.start) as name from api_keys o
             where o.tenant_id = ${tenant_id} and o.id in (${ids})
               and (o.environment_id = ${environment_id} ${is_administrator ? sql`or o.environment_id is null` : sql``})`,
      ]
    case 'user':
      return [within(sql`users`, sql`coalesce(o.email, o.name, o.id)`), ...members]
    case 'environment':
      return [
        sql`select id, ${kind} as object, name from environments where project_id = ${project_id} and tenant_id = ${tenant_id} and id in (${ids})`,
      ]
    case 'project':
      return [sql`select id, ${kind} as object, name from projects where tenant_id = ${tenant_id} and id in (${ids})`]
  }
}
