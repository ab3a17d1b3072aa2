/** Brings the schema up to date, forward only, from `server/migrations`. */
import { readdirSync, readFileSync } from 'node:fs'
import { assetUrl } from '../assets.ts'
import type { Db, Migration } from './db.ts'

const directory = assetUrl('migrations/')

/** The schema was made by a newer Ostiary than this one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/** Applies what is missing, under the engine's lock. Refuses a schema that is newer than this program knows. */
export async function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): Promise<{ from: number; to: number }> {
  const newest = Math.max(...migrations.map((migration) => migration.number))
  const { from, to } = await db.migrate(migrations)
  if (to > newest)
    throw new SchemaTooNew(
      `The database has schema ${to}, this Ostiary knows up to ${newest}. Start the newer Ostiary that last used it; nothing was changed.`,
    )
  return { from, to }
}

/**
 * Files are `NNNN_name.sql`; statements end with a semicolon at the end of a line; `{int}` is the engine's integer type. What begins
 * with `{postgres}` is for that engine only: SQLite can neither do it nor needs it.
 */
export function readMigrations(): Migration[] {
  return readdirSync(directory)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      statements: statementsOf(readFileSync(new URL(file, directory), 'utf8')),
    }))
}

function statementsOf(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
