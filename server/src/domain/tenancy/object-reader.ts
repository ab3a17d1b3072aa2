/** Reads the objects of a kind of which each environment has its own: applications, resource servers, roles, providers and webhooks. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { z } from 'zod'
import { type Db, identifiers, type Statement, sql } from '../../db/db.ts'

/**
 * @param schemas `Shown` as the API shows an object in a list, `Row` with its version
 * @param columns those of the rows, where the table has the alias, and its environment `e`
 */
export function readerOf<Shown extends z.ZodObject, Row extends z.ZodObject>(
  { Shown, Row }: { Shown: Shown; Row: Row },
  { table, alias, columns }: { table: string; alias: string; columns: Statement },
) {
  const [objects, o] = [identifiers(table), identifiers(alias)]
  const rows = sql`select ${columns} from ${objects} ${o} join environments e on e.id = ${o}.environment_id`
  return {
    /** A page of all of them, in the order of their slugs: those after a slug. */
    page: (db: Db, environment_id: EnvironmentId, after: string, limit: number): Promise<z.output<Row>[]> =>
      db
        .of(environment_id)
        .all(Row, sql`${rows} where ${o}.environment_id = ${environment_id} and ${o}.slug > ${after} order by ${o}.slug limit ${limit}`),
    /** `rest` is the end of the query. */
    list: (db: Db, environment_id: EnvironmentId, rest: Statement): Promise<z.output<Shown>[]> =>
      db
        .of(environment_id)
        .all(Shown, sql`select * from (${rows} where ${o}.environment_id = ${environment_id}) listed where 1 = 1 ${rest}`),
    find: (db: Db, environment_id: EnvironmentId, id: string): Promise<z.output<Row> | null> =>
      db.of(environment_id).maybeOne(Row, sql`${rows} where ${o}.environment_id = ${environment_id} and ${o}.id = ${id}`),
  }
}
