import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Statement, sql, withoutSync } from '../db.ts'
import { createChangeClock } from './clock.ts'
import { createGroupCommit } from './group-commit.ts'
import { createStatements } from './statements.ts'

/** SQLite's numbers for `pragma synchronous`. */
const [normal, full] = [1, 2]

const row = (n: number) => sql`insert into rows_of_test (n) values (${n})`

// biome-ignore format: this table is read by column
const groups: [what: string, batches: Statement[][], expected: number][] = [
  ['a group that must reach the disk',              [[row(1)]],                            full],
  ['a group that need not',                         [[withoutSync(row(2))]],               normal],
  ['a batch of which one statement must',           [[withoutSync(row(3)), row(4)]],       full],
  ['a group of which one batch must',               [[withoutSync(row(5))], [row(6)]],     full],
]
test('a commit reaches the disk at once, unless each statement of its group may wait', async () => {
  const database = new DatabaseSync(':memory:')
  database.exec('pragma synchronous = full; create table rows_of_test (n integer)')
  const options = { statements: createStatements(database), clock: createChangeClock(database), endReading: () => {} }
  const { add, flush } = createGroupCommit(database, options)
  const setting = () => database.prepare('pragma synchronous').get()?.synchronous
  for (const [what, batches, expected] of [...groups, ...groups.toReversed()]) {
    const written = batches.map((batch) => add(batch).written)
    flush()
    await Promise.all(written)
    assert.equal(setting(), expected, what)
  }
  assert.equal(database.prepare('select count(*) as count from rows_of_test').get()?.count, 12)
  database.close()
})
