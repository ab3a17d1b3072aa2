/** The layer below SQLite (`support/disk/`): it traces what happens, and a power cut of the trace leaves what SQLite promises. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { choiceOf, createDisk } from './support/disk/cuts.ts'
import { diskLayer, type WatchedFolder } from './support/disk/layer.ts'
import { memory_folder } from './support/memory-folder.ts'
import { until } from './support/receiver.ts'

const { layer, skip } = diskLayer()
const made = mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-watched-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(made, { recursive: true, force: true })
})

function watchedFolder(files: Record<string, string> = {}): WatchedFolder {
  if (!layer) throw new Error('There is no layer.')
  const folder = mkdtempSync(join(made, 'folder-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return layer.watch(folder)
}

/** Runs a script in the folder, with the modules that it needs as `fs` and `open`, a function that opens a database. */
function start({ folder, env }: WatchedFolder, script: string) {
  const opening = `const fs = require('node:fs'); const { DatabaseSync } = require('node:sqlite')
    const open = (pragmas) => { const file = new DatabaseSync('a.db'); file.exec(pragmas); return file }\n`
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', opening + script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, printed }))
  return { child, ended, printed: () => printed }
}

async function run(watched: WatchedFolder, script: string): Promise<string> {
  const { code, printed } = await start(watched, script).ended
  assert.equal(code, 0)
  return printed.trim()
}

/** What the whole trace leaves where everything is written: the files themselves. */
function replayed(watched: WatchedFolder, files: Record<string, string> = {}): Record<string, string> {
  const disk = createDisk(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])))
  for (const operation of watched.operations()) disk.take(operation)
  return Object.fromEntries([...disk.image(choiceOf(1))].map(([name, bytes]) => [name, bytes.toString('latin1')]).sort())
}

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  )

// biome-ignore format: this table is read by column
const programs: [what: string, script: string][] = [
  ['files written in each way',           `fs.writeFileSync('b', 'text'); fs.appendFileSync('b', ' and more'); fs.writeFileSync('old', 'x'); const f = fs.openSync('c', 'w+'); fs.writeSync(f, 'abc'); fs.writeSync(f, 'de'); fs.writeSync(f, 'X', 1); fs.writevSync(f, [Buffer.from('12'), Buffer.from('34')], 700); fs.ftruncateSync(f, 702)`],
  ['files renamed, removed, made again',  `fs.writeFileSync('b', 'new'); fs.renameSync('b', 'old'); fs.writeFileSync('c', '1'); fs.unlinkSync('c'); fs.writeFileSync('c', '22'); fs.truncateSync('c', 1)`],
  ['operations that fail',                `for (const fail of [() => fs.unlinkSync('none'), () => fs.renameSync('none', 'old'), () => fs.truncateSync('none', 1)]) try { fail() } catch {}`],
  ['writes of the thread pool',           `Promise.all([...'abcdef'].map(async (name) => { const f = await fs.promises.open(name, 'w'); await f.write(name.repeat(3000), 0); await f.datasync(); await f.truncate(2000); await f.close() }))`],
  ['a database in WAL mode',              `const d = open('pragma journal_mode = wal; create table t (n, b)'); for (let n = 0; n < 50; n++) d.exec("insert into t values (" + n + ", zeroblob(3000))"); d.exec('pragma wal_checkpoint(passive); delete from t where n < 25'); process.kill(process.pid, 'SIGKILL')`],
  ['a database that is closed',           `const d = open('pragma journal_mode = wal; create table t (n, b)'); d.exec('insert into t values (1, zeroblob(9000))'); d.close()`],
]
for (const [what, script] of programs)
  test(`the trace replays ${what}`, { skip }, async () => {
    const watched = watchedFolder({ old: 'old text' })
    await start(watched, script).ended
    assert.deepEqual(replayed(watched, { old: 'old text' }), filesIn(watched.folder))
  })

test('processes one after another append to one trace', { skip }, async () => {
  const watched = watchedFolder()
  const insert = (n: number) =>
    `const d = open('pragma journal_mode = wal; create table if not exists t (n)'); d.exec('insert into t values (${n})');`
  for (const n of [1, 2, 3]) {
    await start(watched, `${insert(n)} process.kill(process.pid, 'SIGKILL')`).ended
    watched.mend()
  }
  assert.equal(await run(watched, `${insert(4)} console.log(d.prepare('select group_concat(n) as all_n from t').get().all_n)`), '1,2,3,4')
  assert.deepEqual(replayed(watched), filesIn(watched.folder))
})

test('the trace has what is printed, between the writes before and after it', { skip }, async () => {
  const watched = watchedFolder()
  await run(watched, `fs.writeFileSync('a', 'x'); console.log('printed'); process.stdout.write('more', () => fs.writeFileSync('b', 'y'))`)
  const kinds = watched.operations().map((each) => (each.kind === 'output' ? each.text : each.kind))
  assert.deepEqual(kinds, ['create', 'write', 'printed\n', 'more', 'create', 'write'])
})

test('files elsewhere are not traced', { skip }, async () => {
  const watched = watchedFolder()
  await run(watched, `fs.writeFileSync(${JSON.stringify(join(made, 'elsewhere'))}, 'x')`)
  assert.deepEqual(watched.operations(), [])
})

const commits = `const d = open('pragma journal_mode = wal; create table t (n)'); let n = 0
  setInterval(() => { try { d.exec('insert into t values (' + ++n + ')'); console.log(n) } catch (error) { console.log(error.message) } }, 1)`

test('syncs take as long as the test says', { skip }, async () => {
  const watched = watchedFolder()
  watched.set({ delay_us: 30_000 })
  const took = await run(
    watched,
    `const f = fs.openSync('a', 'w'); const began = performance.now(); fs.fsyncSync(f); fs.fdatasyncSync(f); console.log(performance.now() - began)`,
  )
  assert.ok(Number(took) >= 60, took)
})

test('syncs hang until the test lets them go on', { skip }, async () => {
  const watched = watchedFolder()
  const { child, ended, printed } = start(watched, commits)
  await until('a commit', () => printed().includes('1'))
  watched.set({ held: ['log'] })
  await until('a sync that hangs', () => watched.syncs().waiting === 1)
  const before = printed()
  const { ended: ended_before } = watched.syncs()
  watched.set({ held: [] })
  await until('a later commit', () => printed().length > before.length)
  assert.ok(watched.syncs().ended > ended_before)
  child.kill('SIGKILL')
  await ended
})

for (const [role, name] of [
  ['log', 'a.db-wal'],
  ['database', 'a.db'],
] as const)
  test(`syncs of the ${role} fail while the test says so`, { skip }, async () => {
    const watched = watchedFolder()
    watched.set({ failing: [role] })
    const tried = await run(
      watched,
      `const failed = []; for (const name of ['a.db', 'a.db-wal']) { const f = fs.openSync(name, 'w'); try { fs.fdatasyncSync(f) } catch (error) { failed.push(name, error.code) } } console.log(failed.join())`,
    )
    assert.equal(tried, `${name},EIO`)
  })

/** Cuts the power at many moments of the trace. Returns the moments at which a commit that was printed before is missing. */
async function losses(watched: WatchedFolder): Promise<number> {
  const seen: { n: number; length: number }[] = []
  const { child, ended } = start(watched, commits)
  child.stdout?.on('data', (text: string) => seen.push({ n: Number(text.trim().split('\n').at(-1)), length: watched.length() }))
  await until('enough commits', () => (seen.at(-1)?.n ?? 0) >= 60)
  child.kill('SIGKILL')
  await ended
  const operations = watched.operations()
  const disk = createDisk()
  let lost = 0
  let taken = 0
  for (const [cut, { n, length }] of seen.entries()) {
    for (let next = operations[taken]; next && next.end <= length; next = operations[++taken]) disk.take(next)
    for (const seed of [cut * 2, cut * 2 + 1]) {
      const folder = mkdtempSync(join(made, 'image-'))
      for (const [name, bytes] of disk.image(choiceOf(seed))) writeFileSync(join(folder, name), bytes)
      if (greatest(join(folder, 'a.db')) < n) lost++
      rmSync(folder, { recursive: true })
    }
  }
  return lost
}

function greatest(path: string): number {
  const file = new DatabaseSync(path)
  try {
    assert.equal(file.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    const { n } = file.prepare('select max(n) as n from t').get() as { n: number } // as: the columns of the query
    return n
  } catch (error) {
    if (/no such table/.test(String(error))) return 0
    throw error
  } finally {
    file.close()
  }
}

test('SQLite with synchronous=full loses no commit in a power cut', { skip }, async () => {
  assert.equal(await losses(watchedFolder()), 0)
})

test('on a disk that lies about the syncs of the log, it loses commits, and the cuts find them', { skip }, async () => {
  const watched = watchedFolder()
  watched.set({ lying: ['log'] })
  assert.ok((await losses(watched)) > 10)
})
