import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { currentBuild, makeBuild } from '../build.mjs'

/** Creates a tool of two files in a folder with a space. The first file imports the second dynamically. */
async function tool(t: TestContext) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ostiary build ')))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'server/migrations'), { recursive: true })
  await writeFile(join(root, 'server/migrations/0001_first.sql'), 'select 1;')
  await cp(join(import.meta.dirname, '../build.mjs'), join(root, 'build.mjs'))
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(root, 'main.ts'), `const { later } = await import('./later.ts'); console.log(later)`)
  await writeFile(join(root, 'later.ts'), `export const later: string = 'first'`)
  const make = () => makeBuild(root, 'main.ts', join(root, 'dist'))
  return { root, make, current: () => currentBuild(root, join(root, 'dist')) }
}

const chunksIn = async (root: string) => (await readdir(join(root, 'dist'))).filter((name) => /^later-.*\.js$/.test(name))

const outputOf = (file: string) => spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout

test('a build behaves like its sources', async (t) => {
  const { make } = await tool(t)
  assert.equal(outputOf(await make()), 'first\n')
})

test('there is no current build before the first one', async (t) => assert.equal((await tool(t)).current(), null))

test('a build stays current while nothing changes', async (t) => {
  const { make, current } = await tool(t)
  assert.equal(await make(), current())
})

test('a build contains the files that are read at run time, and a new one makes it stale', async (t) => {
  const { root, make, current } = await tool(t)
  const main = await make()
  assert.equal(await readFile(join(dirname(main), 'assets/migrations/0001_first.sql'), 'utf8'), 'select 1;')
  await writeFile(join(root, 'server/migrations/0002_second.sql'), 'select 2;')
  assert.equal(current(), null)
})

test('a build contains no file that its sources no longer have', async (t) => {
  const { root, make } = await tool(t)
  await make()
  await rename(join(root, 'server/migrations/0001_first.sql'), join(root, 'server/migrations/0001_initial.sql'))
  const main = await make()
  assert.deepEqual(await readdir(join(dirname(main), 'assets/migrations')), ['0001_initial.sql'])
})

const changes: { what: string; change: (root: string) => Promise<unknown> }[] = [
  { what: 'a source has another size', change: (root) => writeFile(join(root, 'later.ts'), `export const later = 'second'`) },
  { what: 'a source has another date', change: (root) => utimes(join(root, 'later.ts'), 1, 1) },
  { what: 'a source is gone', change: (root) => rm(join(root, 'later.ts')) },
  { what: 'the build script has changed', change: (root) => writeFile(join(root, 'build.mjs'), '') },
  { what: 'the lock file has changed', change: (root) => writeFile(join(root, 'package-lock.json'), '{ }') },
  { what: 'a chunk of it is gone', change: async (root) => rm(join(root, 'dist', (await chunksIn(root))[0] ?? '')) },
  { what: 'its record is broken', change: (root) => writeFile(join(root, 'dist/build.json'), '{"files":') },
]
for (const { what, change } of changes) {
  test(`a build is no longer current when ${what}`, async (t) => {
    const { root, make, current } = await tool(t)
    await make()
    await change(root)
    assert.equal(current(), null)
  })
}

test('the chunks of a build stay through the next build and are removed by the one after it', async (t) => {
  const { root, make } = await tool(t)
  const made: string[][] = []
  for (const word of ['one', 'three', 'eleven']) {
    await writeFile(join(root, 'later.ts'), `export const later = '${word}'`)
    await make()
    made.push(await chunksIn(root))
  }
  const [first = [], second = [], third = []] = made
  assert.deepEqual(second.filter((chunk) => first.includes(chunk)).length, first.length)
  assert.deepEqual(
    third.filter((chunk) => first.includes(chunk)),
    [],
  )
  assert.equal(outputOf(join(root, 'dist/main.js')), 'eleven\n')
})

test('the stack of an error shows positions in the sources', async (t) => {
  const { root, make } = await tool(t)
  const stack = join(import.meta.dirname, '../server/src/base/stack.ts')
  await writeFile(join(root, 'later.ts'), `\n\nexport const later = (await import(${JSON.stringify(stack)})).stackOf(new Error('thrown'))`)
  assert.match(outputOf(await make()), new RegExp(`^Error: thrown\\n +at ${pathToFileURL(join(root, 'later.ts'))}:3:\\d+\\n`))
})
