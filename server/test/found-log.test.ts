/** A start after a failed sync finds a log that the system may take for written. A power cut during the start still leaves a sound database. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { choiceOf, createDisk } from './support/disk/cuts.ts'
import { diskLayer, type WatchedFolder } from './support/disk/layer.ts'
import { memory_folder } from './support/memory-folder.ts'

const { layer, skip } = diskLayer()
const rows = 400

/** Opens the database of a service or a command, in a program of its own. */
const opening = (options: string) => `
  const { createDb, sql } = await import(${JSON.stringify(new URL('../src/db/db.ts', import.meta.url).href)})
  const { openSqlite } = await import(${JSON.stringify(new URL('../src/db/sqlite/sqlite.ts', import.meta.url).href)})
  const engine = openSqlite('a.db', ${options})
  engine.unusable?.then(() => process.exit(1))
  const db = createDb(engine)\n`
const table = 'create table a (id integer primary key, n integer, filling text)'
const filling = 'x'.repeat(200)
const scripts = {
  make: `await db.migrate([{ number: 1, name: 'tests', oldest_program: 1, statements: ['${table}', 'create index a_by_n on a (n, id)'] }])
    await db.batch(Array.from({ length: ${rows} }, (_, id) => sql\`insert into a (id, n, filling) values (\${id}, 0, '${filling}')\`))
    await db.close()`,
  // The log has begun when its sync fails.
  change: `await db.run(sql\`update a set n = 0 where id = 1\`)
    console.log('ready')
    process.stdin.once('data', () => db.run(sql\`update a set n = 1\`))`,
  start: 'process.exit()',
  command: `await db.close()`,
}

/** Runs a program to its end. `whenReady` is called when it prints, and then it goes on. */
async function runs({ folder, env }: WatchedFolder, script: string, options = '{ serves: true }', whenReady = () => {}): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', opening(options) + script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  child.stdout.once('data', () => {
    whenReady()
    child.stdin.write('go')
  })
  const [code] = await once(child, 'close')
  return code
}

for (const [what, script, options] of [
  ['a start', scripts.start, '{ serves: true }'],
  ['a command without a service', scripts.command, '{ is_alone: true }'],
] as const)
  test(`${what} brings the log to the disk again before it moves it`, { skip }, async () => {
    if (!layer) throw new Error('There is no layer.')
    const made = mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-found-'))
    after(() => rmSync(made, { recursive: true, force: true }))
    const watched = layer.watch(mkdtempSync(join(made, 'data-')))
    assert.equal(await runs(watched, scripts.make), 0)
    const change = () => runs(watched, scripts.change, '{ serves: true }', () => watched.set({ failing: ['log'] }))
    assert.equal(await change(), 1)
    watched.set({ failing: [] })
    const from = watched.length()
    assert.equal(await runs(watched, script, options), 0)

    const disk = createDisk()
    const damaged: string[] = []
    for (const [number, operation] of watched.operations().entries()) {
      disk.take(operation)
      if (operation.end <= from) continue
      for (const [name, bytes] of disk.image(choiceOf(number))) writeFileSync(join(made, name.replace('a.db', 'image.db')), bytes)
      const image = join(made, 'image.db')
      const problem = problemOf(image)
      if (problem) damaged.push(`${number}: ${problem}`)
      rmSync(image)
      rmSync(`${image}-wal`, { force: true })
    }
    assert.deepEqual(damaged, [])
  })

/** The batch is there or not, as a whole. */
function problemOf(path: string): string | null {
  const database = new DatabaseSync(path)
  try {
    const sound = database.prepare('pragma integrity_check').get()?.integrity_check
    if (sound !== 'ok') return String(sound)
    return database.prepare('select distinct n from a').all().length === 1 ? null : 'half of the batch'
  } catch (error) {
    return String(error)
  } finally {
    database.close()
  }
}
