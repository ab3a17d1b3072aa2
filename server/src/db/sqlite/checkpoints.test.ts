import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { WritesFail } from '../db.ts'
import { createCheckpoints } from './checkpoints.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-checkpoints-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const looks = 64
const mebibyte = 1_048_576
const errorOf = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode })

/** Checkpoints of a database with a log of this size, by a thread that fails with an error while there is one. */
function setUp(name: string, mebibytes: number) {
  const path = join(folder, name)
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma wal_autocheckpoint = 0; create table a (filling blob)')
  for (let i = 0; i < mebibytes; i++) database.prepare('insert into a values (zeroblob(?))').run(mebibyte)
  after(() => database.close())
  const state = { error: null as Error | null, failures: [] as Error[], pauses: 0, resumes: 0, asked: 0 }
  const thread = {
    async checkpoint() {
      state.asked += 1
      if (state.error) throw state.error
    },
    end: async () => {},
  }
  const pause = () => {
    state.pauses += 1
    return () => {
      state.resumes += 1
    }
  }
  const checkpoints = createCheckpoints(path, database, { pause, failed: (error) => state.failures.push(error), thread })
  return {
    state,
    checkpoints,
    /** Counts as many commits as lead to a look. */
    async look() {
      for (let i = 0; i < looks; i++) checkpoints.committed()
      await checkpoints.end()
    },
  }
}

test('a short log is left alone, and a long one is moved in two parts, the second in a pause', async () => {
  const short = setUp('short.db', 8)
  await short.look()
  assert.equal(short.state.asked, 0)
  const long = setUp('long.db', 20)
  await long.look()
  assert.deepEqual([long.state.asked, long.state.pauses, long.state.resumes], [2, 1, 1])
})

for (const code of [1034, 1290]) // IOERR_FSYNC, IOERR_DIR_FSYNC
  test(`a failed sync of a checkpoint is reported (${code})`, async () => {
    const { state, look } = setUp(`${code}.db`, 20)
    state.error = errorOf(code)
    await look()
    assert.deepEqual(state.failures, [state.error])
  })

test('after another failure commits go on until the log is too long, and then again when it could be moved', async () => {
  const { state, checkpoints, look } = setUp('full.db', 20)
  state.error = errorOf(13) // FULL
  await look()
  assert.deepEqual([state.failures, checkpoints.refusal()], [[], null])

  const long = setUp('longest.db', 70)
  long.state.error = errorOf(13)
  await long.look()
  assert.ok(long.checkpoints.refusal() instanceof WritesFail)
  await long.checkpoints.end()
  long.state.error = null
  long.checkpoints.refusal() // tries again
  await long.checkpoints.end()
  assert.equal(long.checkpoints.refusal(), null)
})
