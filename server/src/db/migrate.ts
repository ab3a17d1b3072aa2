/** Migrates the schema, forward only, by the files in `server/migrations`. */
import { readdirSync, readFileSync } from 'node:fs'
import { assetUrl } from '../base/assets.ts'
import type { Db, Migration, Schema } from './db.ts'
import { ofMigration } from './outcome.ts'

const directory = assetUrl('migrations/')

/** This program neither runs on the schema of the database nor upgrades it. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema'
}

/**
 * Applies the missing migrations under the engine's lock. A schema of a later Ostiary is left as it is.
 * @throws WrongSchema for a schema that this program does not run on
 */
export async function migrate(db: Db, migrations: readonly Migration[] = readMigrations()): Promise<{ from: number; to: number }> {
  const program = newestMigration(migrations)
  refuseUnreleased(await db.schema(), migrations)
  const migrated = await db.migrate(migrations.map((migration) => ofEngine(migration, db.engine))).catch((error) => {
    throw ofMigration(error)
  })
  const { number, oldest_program } = await db.schema()
  if (oldest_program > program)
    throw new WrongSchema(
      `The database has schema ${number}, which needs an Ostiary that knows schema ${oldest_program}. This one knows up to ${program}. Start the newer Ostiary that last used it; nothing was changed.`,
    )
  return migrated
}

/** @throws WrongSchema for a database of version 0.1.0, whose migrations have lower numbers than those of any release */
export function refuseUnreleased({ number }: Schema, migrations: readonly Migration[] = readMigrations()): void {
  if (number === 0 || migrations.some((migration) => migration.number <= number)) return
  throw new WrongSchema(
    `The database has schema ${number} of Ostiary 0.1.0, which was never released, and 0.2.0 is the oldest version that upgrades. Start with an empty database: another OSTIARY_DATA_DIR or OSTIARY_DATABASE_URL. Nothing was changed.`,
  )
}

/** The number of the newest migration that this program knows. */
export const newestMigration = (migrations: readonly Migration[] = readMigrations()) => Math.max(...migrations.map(({ number }) => number))

/**
 * Reads the files `NNNN_name.sql`. A statement ends with a semicolon at the end of a line. `{int}` is the engine's integer type. A
 * statement that begins with `{postgres}` or `{sqlite}` runs on that engine only. The line
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

const only_sqlite = '{sqlite}'

/** The engines themselves know `{postgres}` and `{int}`. */
const ofEngine = (migration: Migration, engine: Db['engine']): Migration => ({
  ...migration,
  statements: migration.statements.flatMap((statement) => {
    if (!statement.startsWith(only_sqlite)) return [statement]
    return engine === 'sqlite' ? [statement.slice(only_sqlite.length)] : []
  }),
})

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
