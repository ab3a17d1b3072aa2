/**
 * `npm test` runs the checks, then every test. Tests of behaviour (server/test/flows, server/test/api and the client's) run on the
 * embedded database and again on PostgreSQL; some tests also run with issuers on hosts of their own (`server/test/support/front.ts`). `npm test users db/`
 * runs only the test files whose path contains one of these words, each in its own process and without the checks. In a full run processes
 * share test files, which takes a quarter less; a file that changes its process is listed in `test-files.ts`. OSTIARY_TEST_SHARED=0 gives
 * each file its own.
 * Words that begin with a dash go to Node's test runner (`npm test -- users --test-name-pattern=code`).
 * OSTIARY_TEST_ENGINE=sqlite or postgres limits the run to one engine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { both_issuers } from '../server/test/support/front.ts'
import { createTemplate, noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { writeKeyPairs } from '../server/test/support/spare-keys.ts'
import { long_files, needsOwnProcess } from './test-files.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('-'))
const filters = words.filter((word) => !word.startsWith('-'))
const is_full_run = words.length === 0
const is_shared_run = is_full_run && process.env.OSTIARY_TEST_SHARED !== '0'

let child: ChildProcess | null = null
let queues = 0
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child?.kill('SIGTERM'))

const checked = !is_full_run || (await node([join(root, 'scripts/check.ts')]))
if (!checked) console.log('✖ npm run check failed, see above. The tests run all the same; this run counts as failed.\n')

const files = globSync('{contract,server,cli,sdk,scripts,packaging}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort()
if (files.length === 0) throw new Error(`No test file has ${filters.join(' or ')} in its path.`)
const behaviour_tests = files.filter((file) => /^(server\/test\/(flows|api)\/|sdk\/test\/(every-route|client)\.)/.test(file))

const folder = mkdtempSync(join(tmpdir(), 'ostiary-test-run-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

// All files share one server and a stock of RSA key pairs, because each costs a second or more of processor time.
const postgres = noPostgres ? null : await startPostgres()
if (postgres) await createTemplate(postgres.url)
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(tmpdir(), 'ostiary-test-compiled'),
  OSTIARY_TEST_KEY_PAIRS: await writeKeyPairs(folder, files.length),
  ...(postgres ? { OSTIARY_TEST_POSTGRES: postgres.url } : {}),
}

const passed = [await run(files, env)]
if (process.env.OSTIARY_TEST_ENGINE === undefined && behaviour_tests.length > 0) {
  if (noPostgres) console.log(`\nSkipped on PostgreSQL, which ${noPostgres}.`)
  else {
    console.log('\nThe same tests on PostgreSQL:\n')
    passed.push(await run(behaviour_tests, { ...env, OSTIARY_TEST_ENGINE: 'postgres' }))
  }
}
const on_own_hosts = files.filter((file) => both_issuers.includes(file))
if (on_own_hosts.length > 0) {
  console.log('\nThe tests of issuers, on hosts of their own behind a proxy with TLS:\n')
  // Each world of these tests adds an authority to its process, so no process runs two of them.
  passed.push(await run(on_own_hosts, { ...env, OSTIARY_TEST_FRONT: 'node', OSTIARY_TEST_ISSUERS: 'host' }, []))
}
await postgres?.stop()
process.exitCode = checked && passed.every(Boolean) ? 0 : 1

/** Runs test files. Processes share those of `shareable` that do not need their own. */
function run(chosen: readonly string[], env: NodeJS.ProcessEnv, shareable = is_shared_run ? chosen : []): Promise<boolean> {
  // One more than cores, because a test also waits. The processes of a queue and the other files begin in alphabetical order.
  const at_once = availableParallelism() + (is_full_run ? 1 : 0)
  const minutes = is_full_run ? 39 : 15 // of a process; a file has 15. Only one that hangs takes that long.
  const flags = ['--test-reporter=spec', `--test-concurrency=${at_once}`, `--test-timeout=${minutes * 60_000}`]
  const shared = shareable.filter((file) => !needsOwnProcess(file))
  const apart = chosen.filter((file) => !shared.includes(file)).map((file) => join(root, file))
  return node(['--test', ...flags, ...options, ...apart, ...(shared.length > 0 ? queue(shared, at_once) : [])], env)
}

/** Writes a queue of test files, those that take longest first. Returns the main modules of the processes that run them. */
function queue(shared: readonly string[], processes: number): string[] {
  queues += 1
  const place = join(folder, `queue-${queues}`)
  mkdirSync(place)
  const longest_first = [...long_files.filter((file) => shared.includes(file)), ...shared.filter((file) => !long_files.includes(file))]
  writeFileSync(join(place, 'files'), longest_first.map((file) => join(root, file)).join('\n'))
  const work = `import { work } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/test-worker.ts')).href)}\nawait work(import.meta.dirname)\n`
  return Array.from({ length: processes }, (_, index) => {
    const path = join(place, `process-${index + 1}.mjs`)
    writeFileSync(path, work)
    return path
  })
}

/** Runs this Node; `true` if it exits with 0. */
async function node(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  child = spawn(process.execPath, [...process.execArgv, ...args], { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'close')
  return code === 0
}
