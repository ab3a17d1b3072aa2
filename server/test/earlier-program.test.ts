/**
 * Migrations expand before they contract: the program of the last commit before the newest migration runs on the newest schema, where
 * that migration names it. It needs the history of the repository.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDb } from '../src/db/db.ts'
import { migrate, readMigrations } from '../src/db/migrate.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { serve } from './support/cli-process.ts'
import { freePort } from './support/free-port.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'ostiary-earlier-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 28 })

/** The commit before the newest migration was added, even if it had a different number then; `null` without a history. */
function commitBefore(migration: string): string | null {
  try {
    const any_number = migration.replace(/^\d+/, '*')
    const added = git('log', '--diff-filter=A', '--format=%H', '--', `server/migrations/${any_number}`).toString().trim().split('\n').at(-1)
    return added ? git('rev-parse', `${added}^`).toString().trim() : null
  } catch {
    return null
  }
}

const files = readdirSync(join(root, 'server/migrations'))
  .filter((file) => file.endsWith('.sql'))
  .sort()
const commit = commitBefore(files.at(-1) ?? assert.fail('there are no migrations'))
const newest = readMigrations().at(-1) ?? assert.fail('there are no migrations')
const is_contract = newest.oldest_program === newest.number
const skip =
  commit === null ? 'needs the history of the repository' : is_contract ? 'the newest migration names its own program as the oldest' : false

/** The program of a commit, with its own workspaces and the packages of this one. */
function programOf(commit: string): string {
  const program = join(folder, 'program')
  mkdirSync(join(program, 'node_modules/@ostiary'), { recursive: true })
  execFileSync('tar', ['-x', '-C', program], { input: git('archive', commit, 'server', 'contract', 'cli', 'sdk', 'docs', 'package.json') })
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages).filter((name) => name !== '@ostiary'))
    symlinkSync(join(packages, name), join(program, 'node_modules', name))
  for (const name of ['server', 'contract', 'cli', 'sdk']) symlinkSync(join(program, name), join(program, 'node_modules/@ostiary', name))
  return join(program, 'cli/src/main.ts')
}

test('the program before the newest migration runs on the newest schema, and leaves it as it is', { skip }, async () => {
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir, { mode: 0o700 })
  const port = String(await freePort())
  const db = createDb(openSqlite(join(data_dir, 'ostiary.db')))
  await migrate(db)
  const before = await db.schema()
  const child = await serve({ OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: port }, programOf(commit ?? assert.fail()))
  assert.equal((await fetch(`http://localhost:${port}/readyz`)).status, 200)
  child.process.kill('SIGTERM')
  assert.equal((await child.ended).code, 0)
  assert.deepEqual(await db.schema(), before)
  await db.close()
})
