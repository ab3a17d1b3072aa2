/** Migrations of the embedded database. */
import type { DatabaseSync } from 'node:sqlite'
import { type Migration, type Schema, schemaOf } from '../db.ts'

/** How long a statement blocks the thread for the lock of another process. Longer waits are left to the group commit. */
export const busy_timeout_ms = 20
/** A migration runs alone in its process, so it may block. */
const migration_busy_timeout_ms = 10_000

export function schemaOfSqlite(database: DatabaseSync): Schema {
  const has_table = database.prepare(`select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'`).get() !== undefined
  return schemaOf(has_table ? database.prepare('select * from schema_migrations').all() : [])
}

const table =
  'create table if not exists schema_migrations (number integer primary key, name text not null, oldest_program integer not null)'

export function migrateSqlite(database: DatabaseSync, migrations: readonly Migration[]) {
  const { synchronous } = database.prepare('pragma synchronous').get() as { synchronous: number } // as: the pragma's own column
  database.exec(`pragma busy_timeout = ${migration_busy_timeout_ms}; pragma synchronous = full`)
  database.exec('begin immediate')
  try {
    database.exec(table)
    const { number: from } = schemaOfSqlite(database)
    for (const migration of migrations.filter(({ number }) => number > from)) {
      for (const statement of migration.statements) {
        if (!statement.startsWith('{postgres}')) database.exec(statement.replaceAll('{int}', 'integer'))
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
    database.exec(`pragma busy_timeout = ${busy_timeout_ms}; pragma synchronous = ${synchronous}`)
  }
}
