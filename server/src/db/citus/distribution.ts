/**
 * Where the tables of a database live. Citus distributes them over several nodes, and the database says how. Each new connection asks, and an open
 * one asks again from time to time, since tables can be distributed while a process runs (decision 0145).
 */
import { asObjects, no_rows } from '../codec.ts'
import { DatabaseRefused, DatabaseUnavailable } from '../db.ts'
import type { Connection } from '../postgres/connection.ts'
import { lacksRight } from '../postgres/errors.ts'
import { columns, type Place, placeOf, tables_of } from './placement.ts'

export interface Distribution {
  readonly is_distributed: boolean
  /** Tables of ours that are not where `placement.ts` says. None on one server. */
  readonly misplaced: readonly string[]
}

/** Tables are not where they belong, such as half way through `ostiary distribute`. */
export class Misplaced extends DatabaseRefused {
  constructor(tables: readonly string[]) {
    super(
      `Citus distributes tables of this database, and ${tables.length} of them ${tables.length === 1 ? 'is' : 'are'} not where this version of Ostiary needs them: ${[...tables].sort().slice(0, 3).join(', ')}. Run "ostiary distribute", which completes what was begun, and start again. Nothing was changed.`,
    )
  }
}

/** Since the process started, the tables have been distributed, or moved back. */
export class Redistributed extends DatabaseRefused {
  constructor(was_distributed: boolean) {
    super(
      `Since this process started, tables of its database have been ${was_distributed ? 'moved from the places that they had' : 'distributed over several nodes'}. Its batches would not be atomic there, so it sends nothing more. Start it again.`,
    )
  }
}

const is_known = "select to_regclass('pg_dist_partition') is not null as is_known"

/** The tables of ours that exist, with what Citus knows of each. An expression of the catalogue has the number of the column. */
export const known_places = `select c.relname as name, p.partmethod as method, p.repmodel as model, p.colocationid as colocation, a.attname as distributed_by
  from pg_class c
  left join pg_dist_partition p on p.logicalrelid = c.oid
  left join pg_attribute a on a.attrelid = c.oid and cast(a.attnum as text) = substring(cast(p.partkey as text) from ':varattno ([0-9]+)')
  where c.relkind in ('r', 'p') and pg_table_is_visible(c.oid) and c.relname in (${Object.values(tables_of)
    .flat()
    .map((name) => `'${name}'`)
    .join(', ')})`

const no_right =
  'The database has Citus, and the user of the database may not read whether it distributes tables. Run "grant select on pg_dist_partition to" that user. Nothing was changed.'

const fixed = (text: string) => ({ parts: [text], values: [] })

/**
 * Prepares a new connection, and asks where the tables are, on one server in one round trip.
 * @param limit of the time of a statement, which is sent first
 * @throws DatabaseUnavailable where the user of the database may not ask
 */
export async function prepareConnection(connection: Connection, limit: string): Promise<Distribution> {
  const [, answer] = await connection.send([fixed(limit), fixed(is_known)])
  const distribution = await placesIf(connection, answer?.rows[0]?.[0])
  if (distribution.is_distributed) connection.useBlocks()
  return distribution
}

/** Asks an open connection. */
export async function findDistribution(connection: Connection): Promise<Distribution> {
  const [answer] = await connection.send([fixed(is_known)], true)
  return placesIf(connection, answer?.rows[0]?.[0])
}

const of_one_server: Distribution = { is_distributed: false, misplaced: [] }

async function placesIf(connection: Connection, is_known: unknown): Promise<Distribution> {
  if (is_known !== 1) return of_one_server // PostgreSQL without Citus
  const [found] = await connection.send([fixed(known_places)], true).catch((error) => {
    throw lacksRight(error) ? new DatabaseUnavailable(no_right, { cause: error }) : error
  })
  return distributionOf(asObjects(found ?? no_rows) as unknown as Known[]) // as: the columns of the query
}

/** A table, and what Citus says about it; `null` for one that it does not know. */
export interface Known {
  readonly name: string
  readonly method: string | null
  /** `t`: the rows are everywhere, `s`: they are streamed to standbys. */
  readonly model: string | null
  readonly colocation: number | null
  readonly distributed_by: string | null
}

function distributionOf(tables: readonly Known[]): Distribution {
  if (!tables.some(({ method }) => method !== null)) return of_one_server
  const beside = tables.find(isHashed)?.colocation
  const isPlaced = (table: Known) => kindOf(table) === placeOf(table.name) && (!isHashed(table) || table.colocation === beside)
  return { is_distributed: true, misplaced: tables.filter((table) => !isPlaced(table)).map(({ name }) => name) }
}

const isHashed = ({ method }: Known): boolean => method === 'h'

/** The place of a table that Citus knows; `undefined` if `placement.ts` has no such place. */
export function kindOf(table: Known): Place | undefined {
  if (isHashed(table)) return (['environment', 'scope'] as const).find((place) => columns[place] === table.distributed_by)
  if (table.method !== 'n') return undefined
  if (table.model === 't') return 'everywhere'
  return table.model === 's' && Number(table.colocation) === 0 ? 'coordinator' : undefined
}
