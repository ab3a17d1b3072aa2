/** A file of the embedded database with the present schema, which a whole test run makes once, since migrating each world takes longer. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDb } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/sqlite.ts'

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
