/** The embedded database of a service: commits are synced beside the main thread, and the log is moved into the database beside them. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { z } from 'zod'
import { createDb, sql } from '../src/db/db.ts'
import { openDatabaseFile, takeDataDirectory } from '../src/db/sqlite/data-directory.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { databaseFiles } from './support/database-files.ts'
import { testConformance } from './support/db.conformance.ts'

const { folder, freshFile } = databaseFiles()

await testConformance(async () => {
  const path = freshFile()
  return () => openSqlite(path, { serves: true })
})

const mebibyte = 1_048_576
const Row = z.object({ n: z.int() })
const one_table = { number: 1, name: 'tests', oldest_program: 1, statements: ['create table a (n {int}, filling text)'] }

test('the log stays short while commits never pause, and nothing of it is lost', async () => {
  const path = freshFile()
  const db = createDb(openSqlite(path, { serves: true }))
  await db.migrate([one_table])
  const filling = 'x'.repeat(mebibyte / 16)
  const [rows, callers] = [1_280, 4] // 80 MB
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = caller; n < rows; n += callers) await db.run(sql`insert into a (n, filling) values (${n}, ${filling})`)
    }),
  )
  const log_mib = statSync(`${path}-wal`).size / mebibyte
  assert.ok(log_mib < 64, `${log_mib} MiB`)
  assert.ok(statSync(path).size > 40 * mebibyte, 'most of it was moved')
  assert.equal((await db.all(Row, sql`select count(*) as n from a`))[0]?.n, rows)
  await db.close()
  assert.throws(() => statSync(`${path}-wal`), { code: 'ENOENT' })
})

/** Leaves a database with a log at a path, as a killed process does. */
function leaveLog(path: string): void {
  const left = freshFile()
  const killed = new DatabaseSync(left)
  killed.exec('pragma journal_mode = wal; pragma synchronous = normal; create table a (n integer); insert into a values (7)')
  for (const end of ['', '-wal']) copyFileSync(`${left}${end}`, `${path}${end}`)
  killed.close()
  assert.ok(statSync(`${path}-wal`).size > 0)
}

/** What is in the database without its log. */
function rowsWithoutLog(path: string): unknown {
  const copy = freshFile()
  copyFileSync(path, copy)
  const database = new DatabaseSync(copy)
  try {
    return { ...database.prepare('select n from a').get() }
  } catch {
    return null
  } finally {
    database.close()
  }
}

test('a start moves the log that it finds into the database', async () => {
  const path = freshFile()
  leaveLog(path)
  const db = createDb(openSqlite(path, { serves: true }))
  after(() => db.close())
  assert.equal(statSync(`${path}-wal`).size, 0)
  assert.deepEqual(rowsWithoutLog(path), { n: 7 })
})

test('a command moves the log that a service has left, and leaves the log of a running one alone', async () => {
  for (const is_served of [false, true]) {
    const data_dir = mkdtempSync(join(folder, 'data-'))
    const path = join(data_dir, 'ostiary.db')
    leaveLog(path)
    const lock = is_served ? takeDataDirectory(data_dir) : null
    const db = createDb(openDatabaseFile(data_dir))
    assert.deepEqual(rowsWithoutLog(path), is_served ? null : { n: 7 })
    assert.deepEqual(await db.all(Row, sql`select n from a`), [{ n: 7 }])
    await db.close()
    lock?.release()
    takeDataDirectory(data_dir).release()
  }
})

test('a command sees the commits of a service beside it, and the service those of the command', async () => {
  const path = freshFile()
  const [service, command] = [createDb(openSqlite(path, { serves: true })), createDb(openSqlite(path))]
  after(() => Promise.all([service.close(), command.close()]))
  await service.migrate([one_table])
  const find = sql`select count(*) as n from a`
  for (const [writes, reads] of [
    [service, command],
    [command, service],
  ] as const) {
    const [before] = await reads.all(Row, find)
    await writes.run(sql`insert into a (n) values (1)`)
    await new Promise(setImmediate)
    assert.equal((await reads.all(Row, find))[0]?.n, (before?.n ?? 0) + 1)
  }
})
