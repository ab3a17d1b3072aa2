/** A file of the embedded database with the present schema, which a whole test run makes once, since migrating each world takes longer. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDb } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/sqlite/sqlite.ts'

/** Makes the file. Returns its path, for OSTIARY_TEST_MIGRATED. */
export async function writeMigratedFile(folder: string): Promise<string> {
  const path = join(folder, 'migrated.db')
  const db = createDb(openSqlite(path))
  await migrate(db)
  await db.close()
  return path
}

/** Copies the file to an empty data directory. Without one, as for a file that runs alone, the service migrates. */
export function copyMigratedFile(data_dir: string): void {
  const path = process.env.OSTIARY_TEST_MIGRATED
  if (path !== undefined) copyFileSync(path, join(data_dir, 'ostiary.db'))
}

/** The columns of the unique keys of each table of the file. */
export function uniqueKeys(path: string): Map<string, string[][]> {
  const file = new DatabaseSync(path, { readOnly: true })
  const rows = file
    .prepare(
      `select t.name as of_table, i.name as of_index, c.name as column_name
         from sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c where t.type = 'table' and i."unique" = 1`,
    )
    .all()
    .map((row) => ({ table: String(row.of_table), index: String(row.of_index), column: String(row.column_name) }))
  file.close()
  const keysOf = (of_table: typeof rows) =>
    [...Map.groupBy(of_table, ({ index }) => index).values()].map((key) => key.map(({ column }) => column))
  return new Map([...Map.groupBy(rows, ({ table }) => table)].map(([table, of_table]) => [table, keysOf(of_table)]))
}
