/**
 * `npm test`: the checks, then every test; what shows behaviour (server/test/flows and server/test/api) with the embedded
 * database and again with PostgreSQL. `npm test users db/` runs only the test files whose path contains one of these
 * words, without the checks; words that begin with a dash go to Node's test runner (`npm test -- users --test-name-pattern=code`).
 * OSTIARY_TEST_ENGINE=sqlite or postgres leaves it at that one.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { noPostgres, startPostgres } from '../server/test/support/postgres.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('-'))
const filters = words.filter((word) => !word.startsWith('-'))

let child: ChildProcess | null = null
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child?.kill('SIGTERM'))

const checked = words.length > 0 || (await node([join(root, 'scripts/check.ts')]))
if (!checked) console.log('✖ npm run check failed, see above; this run fails with it, and goes on with the tests\n')

const files = globSync('{contract,server,cli,scripts}/**/*.test.ts', { cwd: root, exclude: (path) => path.endsWith('node_modules') })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort()
if (files.length === 0) throw new Error(`No test file has ${filters.join(' or ')} in its path.`)
const of_behaviour = files.filter((file) => /^server\/test\/(flows|api)\//.test(file))

// One server for all files: starting one takes a second.
const postgres = noPostgres ? null : await startPostgres()
const env = { ...process.env, ...(postgres ? { OSTIARY_TEST_POSTGRES: postgres.url } : {}) }

const passed = [await run(files, env)]
if (process.env.OSTIARY_TEST_ENGINE === undefined && of_behaviour.length > 0) {
  if (noPostgres) console.log(`\nNot run with PostgreSQL, which ${noPostgres}.`)
  else {
    console.log('\nThe same with PostgreSQL:\n')
    passed.push(await run(of_behaviour, { ...env, OSTIARY_TEST_ENGINE: 'postgres' }))
  }
}
await postgres?.stop()
process.exitCode = checked && passed.every(Boolean) ? 0 : 1

function run(chosen: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const fifteen_minutes_ms = 15 * 60 * 1000 // for a whole file: only what hangs takes that long
  const how = ['--test-reporter=spec', `--test-concurrency=${availableParallelism()}`, `--test-timeout=${fifteen_minutes_ms}`]
  return node(['--test', ...how, ...options, ...chosen.map((file) => join(root, file))], env)
}

/** Runs this Node and says whether all went well. */
async function node(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  child = spawn(process.execPath, [...process.execArgv, ...args], { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'close')
  return code === 0
}
