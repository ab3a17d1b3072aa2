/** Migrates the schema, forward only, by the files in `server/migrations`. */
import { readdirSync, readFileSync } from 'node:fs'
import { assetUrl } from '../base/assets.ts'
import type { Db, Migration } from './db.ts'

const directory = assetUrl('migrations/')

/** A newer Ostiary made the schema. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/** Applies the missing migrations under the engine's lock. @throws SchemaTooNew for a schema that this program does not know */
export async function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): Promise<{ from: number; to: number }> {
  const newest = newestMigration(migrations)
  const { from, to } = await db.migrate(migrations)
  if (to > newest)
    throw new SchemaTooNew(
      `The database has schema ${to}, this Ostiary knows up to ${newest}. Start the newer Ostiary that last used it; nothing was changed.`,
    )
  return { from, to }
}

/** The number of the newest migration that this program knows. */
export const newestMigration = (migrations: readonly Migration[] = readMigrations()) => Math.max(...migrations.map(({ number }) => number))

/**
 * Reads the files `NNNN_name.sql`. A statement ends with a semicolon at the end of a line. `{int}` is the engine's integer type. A
 * statement that begins with `{postgres}` runs on PostgreSQL only. `{code} name` runs a step of `migration-code.ts`.
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
