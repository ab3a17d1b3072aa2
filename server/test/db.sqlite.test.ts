import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { z } from 'zod'
import { createDb, type Db, sql } from '../src/db/db.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { databaseFiles } from './support/database-files.ts'
import { testConformance } from './support/db.conformance.ts'

const { freshFile } = databaseFiles()

await testConformance(async () => {
  const path = freshFile()
  return () => openSqlite(path)
})

const Row = z.object({ n: z.int() })
const two_tables = {
  number: 1,
  name: 'tests',
  oldest_program: 1,
  statements: ['create table a (id text, n {int})', 'create table b (id text, n {int})'],
}

// Commits that invalidate, or keep, the remembered answer of a look-up in table `a`.
const commits: { commit_kind: string; commit: (db: Db, other: Db) => Promise<unknown>; invalidates: boolean }[] = [
  { commit_kind: 'a change of the table', commit: (db) => db.run(sql`update a set n = n + 1`), invalidates: true },
  {
    commit_kind: 'a change within a batch',
    commit: (db) => db.batch([sql`update b set n = 0`, sql`update a set n = n + 1`]),
    invalidates: true,
  },
  {
    commit_kind: 'a row that is added with returning',
    commit: (db) => db.changeOne(Row, sql`insert into a values ('y', 1) returning n`),
    invalidates: true,
  },
  {
    commit_kind: 'a change of the table by another process',
    commit: (_, other) => other.run(sql`update a set n = n + 1`),
    invalidates: true,
  },
  {
    commit_kind: 'a change of any table by another process',
    commit: (_, other) => other.run(sql`update b set n = n + 1`),
    invalidates: true,
  },
  { commit_kind: 'a change of another table', commit: (db) => db.run(sql`update b set n = n + 1`), invalidates: false },
  {
    commit_kind: 'a change of another table whose condition names the table',
    commit: (db) => db.batch([sql`select 1 as held from a`, sql`update b set n = (select n from a) where exists (select 1 from a)`]),
    invalidates: false,
  },
  { commit_kind: 'a change that finds no row', commit: (db) => db.run(sql`update a set n = n + 1 where id = ${'z'}`), invalidates: false },
]
for (const { commit_kind, commit, invalidates } of commits) {
  test(`a look-up is ${invalidates ? 'repeated' : 'remembered'} after ${commit_kind}`, async () => {
    const path = freshFile()
    const [db, other] = [createDb(openSqlite(path)), createDb(openSqlite(path))]
    after(() => Promise.all([db.close(), other.close()]))
    await db.migrate([two_tables])
    await db.batch([sql`insert into a values ('x', 1)`, sql`insert into b values ('x', 1)`])
    const lookUp = () => db.maybeOne(Row, sql`select n from a where id = ${'x'}`)
    const before = await lookUp()
    await commit(db, other)
    await new Promise(setImmediate) // another event
    const now = await lookUp()
    assert.equal(now !== before, invalidates, 'a remembered row is the same object')
    assert.deepEqual(now, (await db.all(Row, sql`select n from a where id = ${'x'}`))[0])
  })
}

test('a read sees what another process has committed since an earlier event of the same turn', async () => {
  const path = freshFile()
  const [db, other] = [createDb(openSqlite(path)), new DatabaseSync(path)]
  after(() => db.close())
  after(() => other.close())
  await db.migrate([two_tables])
  await db.run(sql`insert into a values ('x', 1)`)
  const lookUp = () => db.maybeOne(Row, sql`select n from a where id = ${'x'}`)
  await new Promise(setImmediate)
  const seen = await new Promise<unknown>((resolve) => {
    // Node runs both in one turn of its event loop.
    setImmediate(() => void lookUp())
    setImmediate(() => {
      other.exec('update a set n = 2')
      resolve(lookUp())
    })
  })
  assert.deepEqual(seen, { n: 2 })
})
