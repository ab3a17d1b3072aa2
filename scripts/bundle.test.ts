import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { currentBundle, makeBundle } from '../bundle.mjs'

/** A tool in a folder with a space, of two files, of which the second is loaded when it is needed. */
async function tool(t: TestContext) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ostiary bundle ')))
  t.after(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'own'))
  await cp(join(import.meta.dirname, '../bundle.mjs'), join(root, 'bundle.mjs'))
  await writeFile(join(root, 'package-lock.json'), '{}')
  await writeFile(join(root, 'main.ts'), `const { later } = await import('./later.ts'); console.log(later, import.meta.url)`)
  await writeFile(join(root, 'later.ts'), `export const later: string = 'first'`)
  const make = () => makeBundle(root, 'main.ts', join(root, 'own'))
  return { root, make, current: () => currentBundle(root, join(root, 'own')) }
}

const saidBy = (file: string) => spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout

test('a bundle does what its sources do, which know their own address', async (t) => {
  const { root, make } = await tool(t)
  assert.equal(saidBy(await make()), `first ${pathToFileURL(join(root, 'main.ts'))}\n`)
})

test('nothing is current before the first bundle', async (t) => assert.equal((await tool(t)).current(), null))

test('a bundle stays current while nothing changes', async (t) => {
  const { make, current } = await tool(t)
  assert.equal(await make(), current())
})

const changes: { what: string; change: (root: string) => Promise<unknown> }[] = [
  { what: 'a source has another size', change: (root) => writeFile(join(root, 'later.ts'), `export const later = 'second'`) },
  { what: 'a source has another date', change: (root) => utimes(join(root, 'later.ts'), 1, 1) },
  { what: 'a source is gone', change: (root) => rm(join(root, 'later.ts')) },
  { what: 'the way bundles are made has changed', change: (root) => writeFile(join(root, 'bundle.mjs'), '') },
  { what: 'other packages are locked', change: (root) => writeFile(join(root, 'package-lock.json'), '{ }') },
  { what: 'it is gone', change: async (root) => rm(dirname(currentBundle(root, join(root, 'own')) ?? ''), { recursive: true }) },
  { what: 'its record is broken', change: (root) => writeFile(join(root, 'own/bundle.json'), '{"root":') },
]
for (const { what, change } of changes) {
  test(`a bundle is no longer current when ${what}`, async (t) => {
    const { root, make, current } = await tool(t)
    await make()
    await change(root)
    assert.equal(current(), null)
  })
}

test('a bundle is no longer current when everything was moved to another folder', async (t) => {
  const { root, make } = await tool(t)
  await make()
  await rename(root, `${root} moved`)
  t.after(() => rm(`${root} moved`, { recursive: true }))
  assert.equal(currentBundle(`${root} moved`, join(`${root} moved`, 'own')), null)
})

test('a process goes on with the bundle it started from when the next is made; the one before that is removed', async (t) => {
  const { root, make } = await tool(t)
  const made: string[] = []
  for (const word of ['one', 'three', 'eleven']) {
    await writeFile(join(root, 'later.ts'), `export const later = '${word}'`)
    made.push(await make())
  }
  assert.deepEqual(
    made.map((main) => existsSync(dirname(main))),
    [false, true, true],
  )
})

test('an error tells where it was thrown in the sources', async (t) => {
  const { root, make } = await tool(t)
  const stack = join(import.meta.dirname, '../server/src/stack.ts')
  await writeFile(join(root, 'later.ts'), `\n\nexport const later = (await import(${JSON.stringify(stack)})).stackOf(new Error('thrown'))`)
  assert.match(saidBy(await make()), new RegExp(`^Error: thrown\\n +at ${pathToFileURL(join(root, 'later.ts'))}:3:\\d+ `))
})
