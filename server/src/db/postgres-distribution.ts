/**
 * Whether the tables of a database are distributed over several nodes by Citus. The database says it, and each new connection asks, since
 * tables can be distributed while a process runs. There each statement of a batch is committed by itself, without an error: a process that
 * meets such a database sends nothing more (decision 0144).
 */
import { CannotStart } from '../base/cannot-start.ts'
import { DatabaseUnavailable } from './db.ts'
import { placeOf } from './placement.ts'
import type { Connection } from './postgres-connection.ts'
import { lacksRight } from './postgres-errors.ts'

/** The tables of this database are distributed. The message says what to do. */
export class Distributed extends CannotStart {}

const is_known = "select to_regclass('pg_dist_partition') is not null as is_known"
const distributed_tables = `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where pg_table_is_visible(c.oid)`

const no_right =
  'The database has Citus, and the user of the database may not read whether it distributes tables. Run "grant select on pg_dist_partition to" that user. Nothing was changed.'

/**
 * Prepares a new connection, in one round trip, and asks whether tables of ours are distributed.
 * @param limit of the time of a statement, which is sent first
 * @throws Distributed, or `DatabaseUnavailable` where the user of the database may not ask
 */
export async function prepareConnection(connection: Connection, limit: string): Promise<void> {
  const fixed = (text: string) => ({ parts: [text], values: [] })
  const [, answer] = await connection.send([fixed(limit), fixed(is_known)])
  if (answer?.rows[0]?.is_known !== 1) return // PostgreSQL without Citus
  const [found] = await connection.send([fixed(distributed_tables)]).catch((error) => {
    throw lacksRight(error) ? new DatabaseUnavailable(no_right, { cause: error }) : error
  })
  const tables = (found?.rows ?? []).map(({ name }) => String(name)).filter((name) => placeOf(name) !== undefined)
  if (tables.length > 0)
    throw new Distributed(
      `Citus distributes ${tables.length} tables of this database over several nodes, ${tables.sort().slice(0, 3).join(', ')} among them, where a batch of changes is not atomic. Ostiary sends nothing there. Let OSTIARY_DATABASE_URL name a PostgreSQL whose tables are not distributed. See docs/guides/postgresql.md.`,
    )
}

/** Prepares a connection to a database whose tables are distributed. */
export async function prepareBlocks(connection: Connection, limit: string): Promise<void> {
  await connection.send([{ parts: [limit], values: [] }])
  connection.useBlocks()
}
