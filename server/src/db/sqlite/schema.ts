/** Migrations of the embedded database. */
import type { DatabaseSync } from 'node:sqlite'
import type { Migration, Schema } from '../db.ts'
import { codeStepOf, type Step } from '../migration-code.ts'

/** How long a statement blocks the thread for the lock of another process. Longer waits are left to the group commit. */
export const busy_timeout_ms = 20
/** A migration runs alone in its process, so it may block. */
const migration_busy_timeout_ms = 10_000

export function schemaOfSqlite(database: DatabaseSync): Schema {
  const columns = columnsOf(database)
  if (columns.length === 0) return { number: 0, oldest_program: 0 }
  const oldest = columns.includes('oldest_program') ? 'max(oldest_program)' : 'max(number)'
  const statement = database.prepare(`select coalesce(max(number), 0) as number, coalesce(${oldest}, 0) as oldest from schema_migrations`)
  const row = statement.get()
  return { number: Number(row?.number), oldest_program: Number(row?.oldest) }
}

const columnsOf = (database: DatabaseSync) =>
  database
    .prepare(`select name from pragma_table_info('schema_migrations')`)
    .all()
    .map(({ name }) => String(name))

/** The table of a schema from before migrations named programs gets the column: no earlier program ran on such a schema. */
function ensureTable(database: DatabaseSync): void {
  database.exec('create table if not exists schema_migrations (number integer primary key, name text not null)')
  if (columnsOf(database).includes('oldest_program')) return
  database.exec('alter table schema_migrations add column oldest_program integer')
  database.exec('update schema_migrations set oldest_program = number')
}

export function migrateSqlite(database: DatabaseSync, migrations: readonly Migration[]) {
  database.exec(`pragma busy_timeout = ${migration_busy_timeout_ms}`)
  database.exec('begin immediate')
  try {
    ensureTable(database)
    const { number: from } = schemaOfSqlite(database)
    const pending = migrations.filter((migration) => migration.number > from)
    for (const migration of pending) {
      for (const statement of migration.statements) {
        const step = codeStepOf(statement, 'sqlite')
        if (step) runStep(database, step)
        else if (!statement.startsWith('{postgres}')) database.exec(statement.replaceAll('{int}', 'integer'))
      }
      const { number, name, oldest_program } = migration
      database.prepare('insert into schema_migrations (number, name, oldest_program) values (?, ?, ?)').run(number, name, oldest_program)
    }
    database.exec('commit')
    return { from, to: Math.max(from, ...migrations.map((migration) => migration.number)) }
  } catch (error) {
    if (database.isTransaction) database.exec('rollback') // a full disk has undone it
    throw error
  } finally {
    database.exec(`pragma busy_timeout = ${busy_timeout_ms}`)
  }
}

function runStep(database: DatabaseSync, step: Step): void {
  let next = step.next()
  while (!next.done) {
    const { parts, values } = next.value
    next = step.next(database.prepare(parts.join('?')).all(...values))
  }
}
