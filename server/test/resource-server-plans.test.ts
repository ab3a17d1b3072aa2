/**
 * The queries of authorization requests about resource servers read a few rows of 1,000, even if all of them have the same scopes.
 * PostgreSQL keeps a plan that it made while the tables were empty.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createDb, type Db, type Result, rowOf, rowsOf, type Statement, sql } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { findAskedSince } from '../src/domain/resource-servers/es256.ts'
import {
  findAlikeIdentifiers,
  findAudiences,
  findOwnedScopes,
  insertResourceServer,
  nameMissingScopes,
} from '../src/domain/resource-servers/store.ts'
import { onlyMethods } from './support/db-methods.ts'
import { environment_rows, run } from './support/plain-batch.ts'
import { freshDatabase, noPostgres, runCommand } from './support/postgres.ts'

const environment_id = 'e' as EnvironmentId // as: an id of this test
const common = Array.from({ length: 20 }, (_, n) => `common:${n}`)
const strange = Array.from({ length: 20 }, (_, n) => `strange:${n}`)
const folder = mkdtempSync(join(tmpdir(), 'ostiary-plans-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** `most`: the rows that PostgreSQL may read. `index`: how each step of SQLite enters one of our tables, without sorting. */
interface Use {
  what: string
  send: (db: Db) => Promise<unknown>
  most: number
  index: RegExp
  /** PostgreSQL needs statistics to choose among the indexes of the environment. */
  analyzed?: true
}
const by_name = /^SEARCH resource_server(_scope)?s USING (COVERING )?INDEX \w+ (\(name=\? AND environment_id=\?\)|\(id=\?\))$/
// biome-ignore format: this table is read by column
const uses: Use[] = [
  { what: '20 scopes that every resource server has', send: (db) => findOwnedScopes(db, environment_id, common),                        most: 120, index: by_name },
  { what: '20 unknown scopes',                        send: (db) => findOwnedScopes(db, environment_id, strange),                       most: 0,  index: by_name },
  { what: 'an identifier',                            send: (db) => findAlikeIdentifiers(db, environment_id, 'https://api.example/5x'), most: 12, index: /^SEARCH resource_servers USING COVERING INDEX \w+ \(environment_id=\? AND identifier[<>]\?\)$/ },
  { what: '20 unknown resources',                    send: (db) => findAudiences(db, environment_id, strange),                         most: 0,  index: /^SEARCH resource_servers USING INDEX \w+ \(environment_id=\? AND identifier=\?\)$/, analyzed: true },
  { what: 'resource servers with ES256',               send: (db) => findAskedSince(db, environment_id),                                 most: 0,  index: /^SEARCH resource_servers USING INDEX resource_servers_es256 \(environment_id=\?\)$/ },
  { what: 'resource servers without names',           send: nameMissingScopes,                                                          most: 0,  index: /^SCAN resource_servers USING INDEX resource_servers_without_names$/ },
]

/** The statement that a use sends, which finds nothing. */
async function statementOf({ send }: Use): Promise<Statement> {
  const sent: Statement[] = []
  const all = (_: unknown, statement: Statement) => {
    sent.push(statement)
    return Promise.resolve([])
  }
  await send(onlyMethods({ all }))
  const [statement] = sent
  assert.ok(statement && sent.length === 1)
  return statement
}

async function fill(db: Db): Promise<void> {
  await run(db, ...environment_rows)
  const scopes = common.map((name) => ({ name, description: null }))
  const of_roles = { require_roles: false, organizations: 'none', roles_claim: null, data_claims: false } as const
  const of_tokens = { access_token_signing_alg: 'RS256', allow_metadata_clients: false } as const
  const kind = { name: 'API', scopes, access_token_ttl_seconds: null, access_token_format: 'jwt', ...of_tokens, ...of_roles } as const
  for (let from = 0; from < 1_000; from += 100)
    await db.batch(
      Array.from({ length: 100 }, (_, n) => from + n).flatMap((n) =>
        insertResourceServer(
          environment_id,
          { id: `rs_${n}`, slug: `s${n}` },
          { ...kind, identifier: `https://api.example/${n}` },
          new Date(0),
        ),
      ),
    )
}

const Step = z.object({ detail: z.string() })
const Fetched = z.object({ fetched: z.int() })
const fetchedBy = (result: Result | undefined): number => rowOf(Fetched, result)?.fetched ?? Number.NaN

for (const state of ['without statistics', 'with statistics'])
  test(`SQLite finds what is asked about resource servers by indexes and in their order, ${state}`, async () => {
    const db = createDb(openSqlite(join(folder, `${state}.db`)))
    after(() => db.close())
    await migrate(db)
    await fill(db)
    if (state === 'with statistics') await run(db, sql`analyze`)
    for (const use of uses) {
      const steps = rowsOf(Step, (await run(db, sql`explain query plan ${await statementOf(use)}`))?.[0]).map(({ detail }) => detail)
      const entered = steps.filter((step) => /^(SEARCH|SCAN) resource_server/.test(step))
      assert.ok(entered.length > 0 && entered.every((step) => use.index.test(step)), `${use.what}\n${steps.join('\n')}`)
      assert.deepEqual(
        steps.filter((step) => step.includes('TEMP B-TREE')),
        [],
        use.what,
      )
    }
  })

for (const state of ['prepared on empty tables', 'with statistics', 'vacuumed'])
  test(`PostgreSQL reads a few rows for what is asked about resource servers, ${state}`, { skip: noPostgres }, async () => {
    const url = await freshDatabase()
    const db = createDb(openPostgres(url, { connections: 1 }))
    after(() => db.close())
    await migrate(db)
    const asked = await Promise.all(uses.map(async (use) => ({ ...use, statement: await statementOf(use) })))
    if (state === 'prepared on empty tables')
      for (const { statement } of asked) for (let time = 0; time < 10; time++) await run(db, statement)
    await fill(db)
    if (state !== 'prepared on empty tables') await runCommand(url, state === 'vacuumed' ? 'vacuum analyze' : 'analyze')
    const rows_read = sql`select coalesce(sum(idx_tup_fetch + seq_tup_read), 0) as fetched from pg_stat_xact_user_tables`
    for (const { what, statement, most } of asked.filter(({ analyzed }) => state !== 'prepared on empty tables' || !analyzed))
      for (let time = 0; time < 10; time++) {
        const [before, , after] = (await run(db, rows_read, statement, rows_read)) ?? []
        const fetched = fetchedBy(after) - fetchedBy(before)
        assert.ok(fetched <= most, `${fetched} rows for ${what}`)
      }
  })
