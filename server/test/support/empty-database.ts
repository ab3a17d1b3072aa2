/** An empty database of the engine under test, without a schema. It goes with the test file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createDb } from '../../src/db/db.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { openSqlite } from '../../src/db/sqlite/sqlite.ts'
import { dropDatabase, freshDatabase } from './postgres.ts'

export async function emptyDatabase() {
  if (process.env.OSTIARY_TEST_ENGINE === 'postgres') {
    const url = await freshDatabase()
    const db = createDb(openPostgres(url))
    after(async () => {
      await db.close()
      await dropDatabase(url)
    })
    return db
  }
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-migration-'))
  const db = createDb(openSqlite(join(folder, 'ostiary.db')))
  after(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return db
}
