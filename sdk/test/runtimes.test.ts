/** The tests of `portable/`, bundled, in the oldest Node that the package is for and in a browser. Other files run them in this Node. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { build, stop } from 'esbuild'
import { launchBrowser, noBrowser } from '../../server/test/support/chromium.ts'
import { world } from '../../server/test/support/world.ts'
import type { Result } from './portable/all.ts'
import { findNode20 } from './support/node-20.ts'

const w = await world()
const service = { base_url: w.reach(w.base_url), api_key: w.key }
const folder = mkdtempSync(join(tmpdir(), 'ostiary-runtimes-'))
after(() => rmSync(folder, { recursive: true }))

/** A script that starts all tests, and keeps the promise of their results in `globalThis.results`. */
async function scriptFor(prefix: string): Promise<string> {
  const contents = `import { runAll } from './all.ts'\nglobalThis.results = runAll(${JSON.stringify(service)}, '${prefix}')`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, 'portable') },
    bundle: true,
    format: 'iife',
    platform: 'browser', // so that nothing of Node can be imported
    write: false,
  })
  await stop()
  return outputFiles[0]?.text ?? ''
}

function assertPassed(results: Result[]): void {
  assert.ok(results.length > 70, `${results.length} tests`)
  assert.deepEqual(
    results.filter(({ problem }) => problem !== null),
    [],
  )
}

const node20 = findNode20()
test('verification, webhooks and client pass their tests in Node 20', { skip: node20 === null && 'needs Node 20' }, async () => {
  const file = join(folder, 'all.mjs')
  // A timeout alone does not keep Node running, and one test has nothing else.
  const print = `const running = setInterval(() => {}, 1000)
globalThis.results.then((results) => {
  console.log(JSON.stringify({ version: process.version, results }))
  clearInterval(running)
})`
  writeFileSync(file, `${await scriptFor('node-20')}\n${print}`)
  const child = spawn(node20 ?? '', [file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(status, 0, errors)
  const { version, results } = JSON.parse(output)
  assert.match(version, /^v20\./)
  assertPassed(results)
})

test('verification, webhooks and client pass their tests in a page of Chromium and in a worker', { skip: noBrowser }, async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`${service.base_url}/healthz`) // the API is for pages of its own origin
    await page.evaluate(await scriptFor('page'))
    assertPassed((await page.evaluate('globalThis.results')) as Result[]) // as: what runAll returns

    const script = `${await scriptFor('worker')}\nglobalThis.results.then(postMessage)`
    const reported = await page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })`)
    assertPassed(reported as Result[]) // as: what runAll returns
  } finally {
    await browser.close()
  }
})
