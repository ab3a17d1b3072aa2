/** Migrates the schema, forward only, by the files in `server/migrations`. */
import { readdirSync, readFileSync } from 'node:fs'
import { assetUrl } from '../base/assets.ts'
import type { Db, Migration } from './db.ts'
import { ofMigration } from './outcome.ts'

const directory = assetUrl('migrations/')

/** The schema names a later Ostiary as the oldest that runs on it. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/**
 * Applies the missing migrations under the engine's lock. A schema of a later Ostiary is left as it is.
 * @throws SchemaTooNew for a schema that this program does not run on
 */
export async function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): Promise<{ from: number; to: number }> {
  const program = newestMigration(migrations)
  const migrated = await db.migrate(migrations).catch((error) => {
    throw ofMigration(error)
  })
  const { number, oldest_program } = await db.schema()
  if (oldest_program > program)
    throw new SchemaTooNew(
      `The database has schema ${number}, which needs an Ostiary that knows schema ${oldest_program}. This one knows up to ${program}. Start the newer Ostiary that last used it; nothing was changed.`,
    )
  return migrated
}

/** The number of the newest migration that this program knows. */
export const newestMigration = (migrations: readonly Migration[] = readMigrations()) => Math.max(...migrations.map(({ number }) => number))

/**
 * Reads the files `NNNN_name.sql`. A statement ends with a semicolon at the end of a line. `{int}` is the engine's integer type. A
 * statement that begins with `{postgres}` runs on PostgreSQL only. `{code} name` runs a step of `migration-code.ts`. The line
 * `-- oldest program: NNNN` names the newest migration that the oldest program must know to run on the new schema; without it, no earlier
 * program does.
 */
export function readMigrations(): Migration[] {
  return readdirSync(directory)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => {
      const [number, text] = [Number(file.slice(0, 4)), readFileSync(new URL(file, directory), 'utf8')]
      return { number, name: file.slice(5, -4), oldest_program: oldestProgramOf(text) ?? number, statements: statementsOf(text) }
    })
}

/** The oldest program that a migration names, or `null`. */
export function oldestProgramOf(text: string): number | null {
  const [, number] = /^-- oldest program: (\d{4})$/m.exec(text) ?? []
  return number === undefined ? null : Number(number)
}

function statementsOf(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
