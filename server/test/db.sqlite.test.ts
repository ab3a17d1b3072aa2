import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSqlite } from '../src/db/sqlite.ts'
import { testConformance } from './db.conformance.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-sqlite-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

await testConformance(async () => {
  files += 1
  const path = join(folder, `${files}.db`)
  return () => openSqlite(path)
})
