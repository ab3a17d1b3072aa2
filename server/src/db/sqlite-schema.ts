/** Migrations of the embedded database. */
import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from './db.ts'
import { type Step, stepOf } from './migration-code.ts'

/** How long a statement blocks the thread for the lock of another process. Longer waits are left to the group commit. */
export const busy_timeout_ms = 20
/** A migration runs alone in its process, so it may block. */
const migration_busy_timeout_ms = 10_000

/** Returns the number of the newest applied migration; 0 for an empty database. */
export function schemaOfSqlite(database: DatabaseSync): number {
  const has_table = database.prepare(`select 1 from sqlite_schema where name = 'schema_migrations'`).get()
  if (!has_table) return 0
  const { newest } = database.prepare('select coalesce(max(number), 0) as newest from schema_migrations').get() as { newest: number } // as: the query's own column
  return newest
}

export function migrateSqlite(database: DatabaseSync, migrations: readonly Migration[]) {
  database.exec(`pragma busy_timeout = ${migration_busy_timeout_ms}`)
  database.exec('begin immediate')
  try {
    database.exec('create table if not exists schema_migrations (number integer primary key, name text not null)')
    const from = schemaOfSqlite(database)
    const pending = migrations.filter((migration) => migration.number > from)
    for (const migration of pending) {
      for (const statement of migration.statements) {
        const step = stepOf(statement)
        if (step) runStep(database, step)
        else if (!statement.startsWith('{postgres}')) database.exec(statement.replaceAll('{int}', 'integer'))
      }
      database.prepare('insert into schema_migrations (number, name) values (?, ?)').run(migration.number, migration.name)
    }
    database.exec('commit')
    return { from, to: Math.max(from, ...migrations.map((migration) => migration.number)) }
  } catch (error) {
    database.exec('rollback')
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
