/**
 * Migrations expand before they contract: the program of the last release runs on the newest schema, where that names it. It is built from the
 * tag of its release, so it needs the tags of the repository.
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
const linesOf = (...words: string[]) =>
  git(...words)
    .toString()
    .split('\n')
    .filter(Boolean)

/** The newest tag of a release since 0.2.0, the oldest version that upgrades; `null` without one. */
function lastRelease(): string | null {
  try {
    return linesOf('tag', '--list', 'v[0-9]*', '--sort=-version:refname')[0] ?? null
  } catch {
    return null // not a checkout
  }
}

/** The newest migration that the program of a release knows. */
const knownBy = (tag: string) =>
  Math.max(...linesOf('ls-tree', '--name-only', `${tag}:server/migrations`).map((file) => Number(file.slice(0, 4))))

const tag = lastRelease()
const oldest_program = Math.max(...readMigrations().map((migration) => migration.oldest_program))
const skip =
  tag === null
    ? 'needs the tag of a release'
    : knownBy(tag) < oldest_program
      ? `the newest schema needs a later program than ${tag}`
      : false

/** The program of a release, with its own workspaces and the packages of this one. */
function programOf(tag: string): string {
  const program = join(folder, 'program')
  mkdirSync(join(program, 'node_modules/@ostiary'), { recursive: true })
  execFileSync('tar', ['-x', '-C', program], { input: git('archive', tag, 'server', 'contract', 'cli', 'sdk', 'docs', 'package.json') })
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages).filter((name) => name !== '@ostiary'))
    symlinkSync(join(packages, name), join(program, 'node_modules', name))
  for (const name of ['server', 'contract', 'cli', 'sdk']) symlinkSync(join(program, name), join(program, 'node_modules/@ostiary', name))
  return join(program, 'cli/src/main.ts')
}

test(`the program of the last release, ${tag}, runs on the newest schema, and leaves it as it is`, { skip }, async () => {
  const data_dir = join(folder, 'data')
  mkdirSync(data_dir, { mode: 0o700 })
  const port = String(await freePort())
  const db = createDb(openSqlite(join(data_dir, 'ostiary.db')))
  await migrate(db)
  const before = await db.schema()
  const child = await serve({ OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: port }, programOf(tag ?? assert.fail()))
  assert.equal((await fetch(`http://localhost:${port}/readyz`)).status, 200)
  child.process.kill('SIGTERM')
  assert.equal((await child.ended).code, 0)
  assert.deepEqual(await db.schema(), before)
  await db.close()
})
