import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { guard, type Statement, sql, withoutSync } from '../db.ts'
import { createChangeClock } from './clock.ts'
import { createGroupCommit } from './group-commit.ts'
import { createStatements } from './statements.ts'

const row = (n: number) => sql`insert into rows_of_test (n) values (${n})`

/** Groups on a log whose commits reach the disk when the test says so. */
function setUp() {
  const database = new DatabaseSync(':memory:')
  database.exec('create table rows_of_test (n integer); create table uses (n integer)')
  let last = 0
  let reached = 0
  let waiting: (() => void)[] = []
  const log = {
    get last() {
      return last
    },
    committed(is_awaited: boolean) {
      if (is_awaited) last += 1
    },
    committedElsewhere() {},
    refusal: () => null,
    reached: (commit: number) => (commit <= reached ? null : new Promise<void>((resolve) => waiting.push(resolve))),
    end: async () => {},
  }
  const clock = createChangeClock(database, log)
  const options = { statements: createStatements(database), clock, log, failed() {}, endReading() {} }
  return {
    clock,
    log,
    ...createGroupCommit(database, options),
    reachDisk() {
      reached = last
      for (const resolve of waiting) resolve()
      waiting = []
    },
  }
}

/** Reports for each batch whether it is settled by now. */
function settled(batches: readonly { written: Promise<unknown> }[]): Promise<boolean[]> {
  const isSettled = () => true
  const later = new Promise((resolve) => setImmediate(resolve, false))
  return Promise.all(batches.map(async ({ written }) => (await Promise.race([written.then(isSettled, isSettled), later])) === true))
}

// biome-ignore format: this table is read by column
const groups: [what: string, batches: Statement[][], is_answered: boolean][] = [
  ['a group that must reach the disk waits for it',              [[row(1)]],                            false],
  ['a group that need not is answered at once',                  [[withoutSync(row(2))]],               true],
  ['a batch waits of which one statement must reach it',         [[withoutSync(row(3)), row(4)]],       false],
  ['a group waits of which one batch must reach it',             [[withoutSync(row(5))], [row(6)]],     false],
  ['a refusal waits for the commits that it may show',           [[row(7)], [guard(sql`delete from rows_of_test where n = 9`)]], false],
]
for (const [what, batches, is_answered] of groups)
  test(what, async () => {
    const { add, flush, reachDisk } = setUp()
    const added = batches.map((batch) => add(batch))
    flush()
    assert.deepEqual(
      await settled(added),
      batches.map(() => is_answered),
    )
    reachDisk()
    assert.deepEqual(
      await settled(added),
      batches.map(() => true),
    )
  })

test('a group that need not reach the disk is answered at once, even while an earlier one waits', async () => {
  const { add, flush } = setUp()
  const first = add([row(1)])
  flush()
  const second = add([withoutSync(row(2))])
  flush()
  assert.deepEqual(await settled([first, second]), [false, true])
})

test('a batch that changes nothing waits for the commit before it', async () => {
  const { add, flush, reachDisk } = setUp()
  const first = add([row(1)])
  flush()
  const second = add([guard(sql`delete from rows_of_test where n = 9`)])
  flush()
  assert.deepEqual(await settled([first, second]), [false, false])
  reachDisk()
  await first.written
  await assert.rejects(second.written, { name: 'GuardFailed' })
})

test('a read waits for a table if a change of it must reach the disk, whatever else was in the group', async () => {
  const { add, flush, clock, log } = setUp()
  add([withoutSync(sql`insert into uses (n) values (1)`)])
  add([row(1)])
  flush()
  assert.equal(log.reached(clock.lastShown(['uses'])), null)
  assert.notEqual(log.reached(clock.lastShown(['rows_of_test'])), null)
  add([sql`insert into uses (n) values (1)`])
  add([withoutSync(sql`insert into uses (n) values (1)`)])
  flush()
  assert.notEqual(log.reached(clock.lastShown(['uses'])), null)
})

test('batches are held back during a pause, and written after it', async () => {
  const { add, flushSoon, pause, reachDisk } = setUp()
  const resume = pause()
  const { written, isWaiting } = add([row(1)])
  flushSoon()
  await new Promise(setImmediate)
  assert.ok(isWaiting())
  resume()
  await new Promise(setImmediate)
  assert.ok(!isWaiting())
  reachDisk()
  await written
})
