/**
 * One of the processes that share the test files of a full run, begun by scripts/test.ts. Each takes the next
 * file that no other has taken. Most files then find the modules loaded and compiled, which saves about a third of the processor time. A
 * file is one test, and its own tests are subtests.
 */
import { channel } from 'node:diagnostics_channel'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
/** Names the present file to `server/test/support/record.mjs`. */
const begun = channel('ostiary.test-file')
const globals = new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, readGlobal(name)]))
const quarter_of_an_hour_ms = 15 * 60 * 1000

/** Runs files of this queue until none is left. `queue` is a folder with a list of paths, `files`. */
export async function work(queue: string): Promise<void> {
  const files = readFileSync(join(queue, 'files'), 'utf8').split('\n')
  for (const [index, file] of files.entries()) {
    if (!take(join(queue, String(index)))) continue
    begun.publish(relative(root, file).replaceAll('\\', '/'))
    await test(relative(root, file), { timeout: quarter_of_an_hour_ms }, (t) => runFile(file, t))
  }
}

async function runFile(file: string, t: TestContext): Promise<void> {
  const loaded = import(pathToFileURL(file).href)
  t.beforeEach(() => loaded) // its tests begin when all of it is loaded, as in a process of its own
  t.after(() => {
    const replaced = [...globals].filter(([name, value]) => !Object.is(readGlobal(name), value)).map(([name]) => name)
    if (replaced.length > 0) throw new Error(`${file} replaces ${replaced.join()}: name it in scripts/test-files.ts, or put it back.`)
  })
  await loaded
}

/** The value of a global name, or its getter. */
function readGlobal(name: string): unknown {
  const found = Object.getOwnPropertyDescriptor(globalThis, name)
  return found?.get ?? found?.value
}

/** Creates a folder, which only one process can do. */
function take(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
