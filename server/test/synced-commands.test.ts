/** A command has on the disk what it prints (`support/disk/` says how a power cut is made). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { newestMigration } from '../src/db/migrate.ts'
import { type Child, run, serve } from './support/cli-process.ts'
import { onDiskAt } from './support/disk/cuts.ts'
import { diskLayer, type WatchedFolder } from './support/disk/layer.ts'
import { changesAfterFailure } from './support/disk/syncs.ts'
import { freePort } from './support/free-port.ts'
import { until } from './support/receiver.ts'

const { layer, skip } = diskLayer()
const options = {
  migrate: [],
  bootstrap: ['--email', 'a@example.com', '--tenant', 'Acme', '--password-stdin', '--json'],
  recover: ['--tenant', 'ostiary', '--email', 'b@example.com', '--json'],
  doctor: ['--json'],
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-synced-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function watchedFolder(): WatchedFolder {
  if (!layer) throw new Error('There is no layer.')
  return layer.watch(emptyFolder())
}

function start(command: keyof typeof options, { folder, env }: WatchedFolder): Child {
  const child = run(command, { ...env, OSTIARY_DATA_DIR: folder }, undefined, options[command])
  child.process.stdin?.end('correct horse battery staple\n')
  return child
}

/** Runs a command, and returns what it printed, and a folder with what a power cut leaves of its files at that moment. */
async function printed(command: keyof typeof options, watched: WatchedFolder) {
  const { code, stdout, stderr } = await start(command, watched).ended
  assert.equal(code, 0, stderr)
  const left = emptyFolder()
  const image = onDiskAt(new Map(), watched.operations(), (text) => stdout.startsWith(text))
  for (const [name, bytes] of image) writeFileSync(join(left, name), bytes, { mode: 0o600 })
  return { stdout, left }
}

/** Runs a service on the files, and asks it. */
async function asked(data_dir: string, path: string, headers: Record<string, string>) {
  const port = String(await freePort())
  const { process, ended } = await serve({ OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: port })
  const { status } = await fetch(`http://localhost:${port}${path}`, { headers })
  process.kill('SIGKILL')
  await ended
  return status
}

test('the key that bootstrap printed works after a power cut at that moment', { skip }, async () => {
  const { stdout, left } = await printed('bootstrap', watchedFolder())
  assert.equal(await asked(left, '/v1/api-keys/whoami', { 'x-api-key': JSON.parse(stdout).key }), 200)
})

test('the schema is there when migrate says so, and an invitation when its link is printed', { skip }, async () => {
  const watched = watchedFolder()
  const { left } = await printed('migrate', watched)
  assert.deepEqual(rowsIn(left, 'select max(number) as n from schema_migrations'), [{ n: newestMigration() }])
  const recovered = await printed('recover', watched)
  const { invitation_id } = JSON.parse(recovered.stdout)
  assert.deepEqual(rowsIn(recovered.left, 'select id from invitations'), [{ id: invitation_id }])
})

test('a command that cannot sync the log says so, ends with 1, and changes nothing afterwards', { skip }, async () => {
  for (const command of ['migrate', 'bootstrap', 'recover', 'doctor'] as const) {
    const watched = watchedFolder()
    if (command !== 'bootstrap') await printed('bootstrap', watched)
    watched.set({ failing: ['log'] })
    const { code, stdout, stderr } = await start(command, watched).ended
    assert.equal(code, 1, `${command}: ${stdout}${stderr}`)
    assert.match(stdout + stderr, /The database could not be written to its disk: .*(EIO|I\/O error)/, command)
    assert.doesNotMatch(stdout + stderr, /\n\s+at /, command)
    assert.deepEqual(changesAfterFailure(watched.operations()), [], command)
  }
})

/** Programs with a database whose rows are numbers: a service that adds one, and a command that prints all. */
const engine = JSON.stringify(new URL('../src/db/', import.meta.url).href)
const opening = (options: string) => `
  const { createDb, sql } = await import(${engine} + 'db.ts')
  const { openSqlite } = await import(${engine} + 'sqlite/sqlite.ts')
  const { z } = await import(${JSON.stringify(import.meta.resolve('zod'))})
  const db = createDb(openSqlite('a.db', ${options}))`
const service = `${opening('{ serves: true }')}
  await db.migrate([{ number: 1, name: 'tests', oldest_program: 1, statements: ['create table a (n {int})'] }])
  await db.run(sql\`insert into a (n) values (1)\`)
  console.log('ready')
  process.stdin.once('data', () => db.run(sql\`insert into a (n) values (2)\`))`
const command = `${opening('{}')}
  console.log((await db.all(z.object({ n: z.int() }), sql\`select n from a\`)).map(({ n }) => n).join())
  process.exit()`

test('a command beside a service prints a commit when the disk has it', { skip }, async () => {
  const watched = watchedFolder()
  const beside = started(service, watched)
  await until('the first commit', () => beside.printed() === 'ready\n')
  watched.set({ held: ['log'] })
  beside.child.stdin.write('go')
  await until('a commit whose sync hangs', () => watched.syncs().waiting === 1)
  const reading = started(command, watched)
  await until('the sync of the command', () => watched.syncs().waiting === 2 || reading.printed() !== '')
  assert.equal(reading.printed(), '')
  watched.set({ held: [] })
  await reading.ended
  assert.equal(reading.printed(), '1,2\n')
  beside.child.kill('SIGKILL')
  await beside.ended
})

function started(script: string, { folder, env }: WatchedFolder) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return { child, ended: once(child, 'close'), printed: () => text }
}

function rowsIn(folder: string, query: string): unknown[] {
  const database = new DatabaseSync(join(folder, 'ostiary.db'))
  const rows = database.prepare(query).all()
  database.close()
  return rows.map((row) => ({ ...row }))
}
