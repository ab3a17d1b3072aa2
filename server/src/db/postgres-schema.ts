/** Migrations of a PostgreSQL database. An advisory lock lets one process migrate at a time. */
import type { Migration, Row, Statement } from './db.ts'
import { stepOf } from './migration-code.ts'
import { toCallersError } from './postgres-errors.ts'
import type { PostgresServer } from './postgres-server.ts'

/** An arbitrary number. No other program may use the same one in this database. */
const migration_lock = 7_157_263_411

export async function migratePostgres(server: PostgresServer, migrations: readonly Migration[]): Promise<{ from: number; to: number }> {
  return withConnection(server, async (run, send) => {
    // The lock ends with the transaction. A process that starts at the same time waits here and then sees the new schema. That needs
    // READ COMMITTED, which may not be the default level of the database.
    await run('begin isolation level read committed')
    await run(`select pg_advisory_xact_lock(${migration_lock})`)
    await run('create table if not exists schema_migrations (number bigint primary key, name text not null)')
    const from = await newest(run)
    for (const migration of migrations.filter(({ number }) => number > from)) {
      for (const statement of migration.statements) {
        const step = stepOf(statement)
        if (!step) await run(asPostgres(statement))
        else for (let next = step.next(); !next.done; ) next = step.next(await send(next.value))
      }
      await run(`insert into schema_migrations (number, name) values (${migration.number}, '${migration.name}')`)
    }
    await run('commit')
    return { from, to: Math.max(from, ...migrations.map(({ number }) => number)) }
  })
}

export async function schemaOfPostgres(server: PostgresServer): Promise<number> {
  return withConnection(server, async (run) => {
    const [row] = await run(`select to_regclass('schema_migrations') as name`)
    return row?.name == null ? 0 : newest(run)
  })
}

/** Makes text columns compare by bytes, as in SQLite, whatever the collation of the database: pages of lists rely on the order of ids. */
const asPostgres = (statement: string) =>
  statement
    .replace(/^\{postgres\}/, '')
    .replaceAll('{int}', 'bigint')
    .replaceAll(/(?<=\w )text\b/g, 'text collate "C"')

type Run = (text: string) => Promise<readonly Row[]>
type Send = (statement: Pick<Statement, 'parts' | 'values'>) => Promise<readonly Row[]>

async function newest(run: Run): Promise<number> {
  const [row] = await run('select coalesce(max(number), 0) as number from schema_migrations')
  return Number(row?.number)
}

const no_limit_ms = 0

/** Opens a separate connection without a statement timeout. When it ends, the server undoes what is not committed. */
async function withConnection<T>(server: PostgresServer, work: (run: Run, send: Send) => Promise<T>): Promise<T> {
  const connection = await server.connect(no_limit_ms, () => {})
  try {
    const send: Send = async (statement) => (await connection.send([statement]))[0]?.rows ?? []
    return await work((text) => send({ parts: [text], values: [] }), send)
  } catch (error) {
    throw toCallersError(error, false)
  } finally {
    await connection.end()
  }
}
