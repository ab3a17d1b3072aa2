/** Migration 0101 on grants that the version before made, and its indexes where PostgreSQL has many of them (decision 0174). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createDb, type Db, sql } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { findReplaced } from '../../src/domain/sessions/grant-search.ts'
import { createGrantIndexes } from '../../src/workers/grant-indexes.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { freshDatabase, noPostgres, runCommand } from '../support/postgres.ts'
import { patient } from '../support/world.ts'

const environment_id = 'env_1' as EnvironmentId // as: an id of this test
const now = new Date(1_000_000)
const before = readMigrations().filter(({ number }) => number < 101)

/** Grants as the version before makes them. Those with a number that 10 divides were used last; one has expired. */
async function plant(db: Db, user_id: string, count: number, scope = 'openid'): Promise<void> {
  const id = sql`${user_id} || '_' || substr(cast(10000000 + i as text), 2)`
  await db.run(sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
                                       began_with, created_at, expires_at, visit_at, last_used_at, code_hash)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    select cast(${environment_id} as text), ${id}, cast(${user_id} as text), 'app_1', 'ses_1', cast(${scope} as text), '[]', 1, 0, '[]', '', 'email_code', i,
           case when i = 7 then 1 else 9000000 end, 9000000, case when i % 10 = 0 then 500000 else null end, ${id} from n`)
}

const replacedOf = async (db: Db, user_id: string, limit: number) => {
  const place = { environment_id, user_id, application_id: 'app_1', session_id: 'ses_1', is_offline: true }
  const { replaced } = await findReplaced(db, place, { limit, added: 1, most: 10 }, now)
  return replaced.map(({ id }) => Number(id.slice(-3)))
}

test('of grants that the version before made the same ones give way', async () => {
  const db = await emptyDatabase()
  await migrate(db, before)
  await plant(db, 'usr_1', 30)
  await migrate(db)
  assert.deepEqual(await replacedOf(db, 'usr_1', 30), [7])
  assert.deepEqual(await replacedOf(db, 'usr_1', 22), [7, 1, 2, 3, 4, 5, 6, 8, 9])
  // One that the version before adds while processes are replaced.
  await db.run(sql`update grants set used_since = created_at, lasts_until = expires_at where id < 'usr_1_0000020'`)
  assert.deepEqual(await replacedOf(db, 'usr_1', 29), [7, 1])
})

const Index = z.object({ name: z.string(), text: z.string(), is_whole: z.boolean() })
const indexesOf = async (db: Db) =>
  new Map(
    (
      await db.all(
        Index,
        sql`select c.relname as name, pg_get_indexdef(c.oid) as text, case when i.indisvalid then 1 else 0 end as is_whole
              from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass('grants') order by c.relname`,
      )
    ).map(({ name, text, is_whole }) => [name, is_whole ? text : 'cut short']),
  )

test(
  'on PostgreSQL many grants get their indexes beside changes, and then lose those whose place these take',
  { skip: noPostgres },
  async () => {
    const [url, url_of_few] = [await freshDatabase(), await freshDatabase()]
    const [db, few] = [createDb(openPostgres(url, { limits: patient })), createDb(openPostgres(url_of_few))]
    after(() => Promise.all([db.close(), few.close()]))
    await migrate(few)
    const wanted = await indexesOf(few)

    await migrate(db, before)
    await runCommand(url, 'alter table grants set (fillfactor = 10)') // each grant with such a scope takes a page
    await plant(db, 'usr_1', 30)
    await plant(db, 'usr_2', 7_000, 'x'.repeat(700))
    await migrate(db)
    const old = ['grants_by_session', 'grants_open_by_application']
    const added = ['grants_in_turn', 'grants_of_session']
    const left = async () => {
      const indexes = await indexesOf(db)
      return [added.filter((name) => indexes.get(name) !== wanted.get(name)), old.filter((name) => indexes.has(name))]
    }
    assert.deepEqual(await left(), [added, old])
    assert.deepEqual(await replacedOf(db, 'usr_1', 29), [7, 1])

    let at = now
    const signal = new AbortController().signal
    const process = () => createGrantIndexes({ db, now: () => at, random: randomBytes }, signal)
    const [one, two] = [process(), process()]
    await one.work()
    assert.deepEqual(await left(), [added.slice(1), old])
    await runCommand(url, `update pg_index set indisvalid = false where indexrelid = 'grants_in_turn'::regclass`) // as a killed process leaves it
    await two.work()
    assert.deepEqual(await left(), [added, old]) // another process has the lease
    at = new Date(at.getTime() + 61_000)
    await two.work() // removes what was cut short
    await two.work()
    assert.deepEqual(await left(), [added.slice(1), old])
    await two.work()
    assert.deepEqual(await left(), [[], old])
    await two.work()
    assert.deepEqual(await left(), [[], old.slice(0, 1)])
    await two.work()
    assert.deepEqual(await indexesOf(db), wanted)
    await two.work()
    assert.deepEqual(await replacedOf(db, 'usr_1', 29), [7, 1])
  },
)
