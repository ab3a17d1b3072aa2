/** The schema of a PostgreSQL database: where it stands, and how it is brought up to date by one of several at a time. */
import type { Migration, Row } from './db.ts'
import { toCallersError } from './postgres-errors.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Any number, so long as no other program takes the same one in this database. */
const migration_lock = 7_157_263_411

export async function migratePostgres(server: PostgresServer, migrations: readonly Migration[]): Promise<{ from: number; to: number }> {
  return withConnection(server, async (run) => {
    // Held until the transaction ends, however it ends: whoever starts at the same time waits here and then sees it done,
    // which takes a level that sees what was committed meanwhile, whatever the database has for its usual one.
    await run('begin isolation level read committed')
    await run(`select pg_advisory_xact_lock(${migration_lock})`)
    await run('create table if not exists schema_migrations (number bigint primary key, name text not null)')
    const from = await newest(run)
    for (const migration of migrations.filter(({ number }) => number > from)) {
      for (const statement of migration.statements) await run(asPostgres(statement))
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

/** Texts are compared byte by byte, as SQLite does, whatever language the database sorts by: pages are cut by the order of ids. */
const asPostgres = (statement: string) =>
  statement
    .replace(/^\{postgres\}/, '')
    .replaceAll('{int}', 'bigint')
    .replaceAll(/(?<=\w )text\b/g, 'text collate "C"')

type Run = (text: string) => Promise<readonly Row[]>

async function newest(run: Run): Promise<number> {
  const [row] = await run('select coalesce(max(number), 0) as number from schema_migrations')
  return Number(row?.number)
}

/** A connection of its own, without limits of time. What is not committed at its end is undone by the server. */
async function withConnection<T>(server: PostgresServer, work: (run: Run) => Promise<T>): Promise<T> {
  const connection = await server.connect(0, () => {})
  try {
    return await work(async (text) => (await connection.send([{ parts: [text], values: [] }]))[0]?.rows ?? [])
  } catch (error) {
    throw toCallersError(error, false)
  } finally {
    await connection.end()
  }
}
