import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openLogFile } from './log-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-log-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function opened(name: string) {
  const path = join(folder, name)
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table a (n integer)')
  const log = openLogFile(path)
  after(() => {
    log.close()
    database.close()
  })
  return { path, database, log }
}

test('the log that SQLite writes is synced, even when SQLite has begun the log again', async () => {
  const { database, log } = opened('a.db')
  await log.sync()
  database.exec('insert into a values (1); pragma wal_checkpoint(restart); insert into a values (2)')
  await log.sync()
  database.exec('pragma wal_checkpoint(truncate); insert into a values (3)')
  await log.sync()
})

test('a sync fails when another file has the place of the log, or none', async () => {
  const { path, log } = opened('b.db')
  renameSync(`${path}-wal`, `${path}-moved`)
  await assert.rejects(log.sync(), { code: 'ENOENT' })
  copyFileSync(`${path}-moved`, `${path}-wal`)
  await assert.rejects(log.sync(), /was replaced by another file/)
  renameSync(`${path}-moved`, `${path}-wal`)
  await log.sync()
})
