/**
 * `npm test` runs the checks and, beside them, every test. Tests of behaviour (server/test/flows, server/test/api and the client's) run on the
 * embedded database, and those that add something there again on PostgreSQL (`second-engine.ts`); some tests also run with issuers on
 * hosts of their own (`server/test/support/front.ts`). At the end it judges every batch that the tests sent (`recorded-laws.ts`).
 *
 *     npm test users db/          only the test files whose path contains one of these words, on both engines and without the checks
 *     npm test -- --changed       only what the changed files reach (`reach.ts`); --changed=main compares with a commit
 *     npm test -- --all           everything on both engines, and every rule of Test and Live in both
 *     npm run test:long           the files that end with .long.test.ts, which take minutes each and are in no other run
 *     npm run test:citus          the engine and one walk of each behaviour on three nodes of Citus; also with words, or -- --all for every behaviour
 *
 * In a full run processes share test files, which takes a quarter less; a file that changes its process is listed in `test-files.ts`.
 * OSTIARY_TEST_SHARED=0 gives each file its own. OSTIARY_TEST_ENGINE=sqlite or postgres limits the run to one engine, and
 * OSTIARY_TEST_RECORD=folder keeps what the run recorded. Other words that begin with a dash go to Node's test runner
 * (`npm test -- users --test-name-pattern=code`).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { createDistributedTemplate, noCitus, startCitus } from '../server/test/support/citus.ts'
import { both_issuers } from '../server/test/support/front.ts'
import { uniqueKeys, writeMigratedFile } from '../server/test/support/migrated-file.ts'
import { createTemplate, noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { writeKeyPairs } from '../server/test/support/spare-keys.ts'
import { chooseChanged } from './reach.ts'
import { readRecord } from './recorded.ts'
import { judgeRecord } from './recorded-laws.ts'
import { changedFiles, readImports, readReach, writeReach } from './repository.ts'
import { chooseAgain } from './second-engine.ts'
import { isOnCitus, needsMachine, needsOwnProcess, writeQueue } from './test-files.ts'
import { endReport, type Part } from './test-report.ts'
import type { Line } from './test-reporter.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const ours = words.filter((word) => /^--(all|citus|long|changed(=.*)?)$/.test(word))
const options = words.filter((word) => word.startsWith('-') && !ours.includes(word))
const filters = words.filter((word) => !word.startsWith('-'))
const is_changed_run = ours.some((word) => word.startsWith('--changed'))
const is_on_citus = ours.includes('--citus')
const is_long_run = ours.includes('--long')
const is_full_run = filters.length === 0 && options.length === 0 && !is_changed_run && !is_on_citus && !is_long_run
const is_shared_run = is_full_run && process.env.OSTIARY_TEST_SHARED !== '0'

if (is_on_citus && noCitus) {
  console.log(`No test ran on Citus: it ${noCitus}.`)
  process.exit(1)
}

/** Each part of a run is a group of processes, because the runner of Node leaves the files that it runs behind when it is ended. */
const has_groups = process.platform !== 'win32'
const children = new Set<ChildProcess>()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    for (const child of children) endGroup(child)
  })

const notes: string[] = []
const checking = is_full_run ? check() : { passed: true, printed: '' }

const files = filesToRun()
const behaviour_tests = files.filter((file) => /^(server\/test\/(flows|api)\/|sdk\/test\/(every-route|client)\.)/.test(file))

const folder = mkdtempSync(join(tmpdir(), 'ostiary-test-run-'))
const record = process.env.OSTIARY_TEST_RECORD ?? join(folder, 'record')
mkdirSync(record, { recursive: true })
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

// All files share one server, migrated databases and a stock of RSA key pairs, because each costs processor time.
const postgres = noPostgres ? null : await startPostgres()
if (postgres) await createTemplate(postgres.url)
const citus = is_on_citus ? await startCitus() : null
if (citus) await createDistributedTemplate(citus)
const batches_of_citus = join(folder, 'batches-of-citus')
const recorder = pathToFileURL(join(root, 'server/test/support/record.mjs')).href
const migrated_file = await writeMigratedFile(folder)
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(tmpdir(), 'ostiary-test-compiled'),
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${recorder}`.trim(),
  OSTIARY_TEST_RECORD: record,
  OSTIARY_TEST_RUN: folder,
  ...(ours.includes('--all') ? { OSTIARY_TEST_ALL: '1' } : {}),
  OSTIARY_TEST_MIGRATED: migrated_file,
  OSTIARY_TEST_KEY_PAIRS: await writeKeyPairs(folder, files.length),
  ...(postgres ? { OSTIARY_TEST_POSTGRES: postgres.url } : {}),
  ...(citus
    ? { OSTIARY_TEST_ENGINE: 'postgres', OSTIARY_TEST_CITUS: JSON.stringify(citus.nodes), OSTIARY_TEST_CITUS_BATCHES: batches_of_citus }
    : {}),
}

const parts: Part[] = []
const first_part = citus ? 'Citus' : process.env.OSTIARY_TEST_ENGINE === 'postgres' ? 'PostgreSQL' : 'embedded database'
const alone = files.filter(needsMachine)
const beside = files.filter((file) => !alone.includes(file))
const passed = beside.length > 0 ? [await run(first_part, beside, env, is_shared_run || citus ? beside : [])] : []
if (alone.length > 0) passed.push(await run(`${first_part}, alone`, alone, env, []))
if (process.env.OSTIARY_TEST_ENGINE === undefined && behaviour_tests.length > 0 && !citus) {
  const again = filesToRunAgain()
  if (noPostgres) notes.push(`No test ran on PostgreSQL, which ${noPostgres}.`)
  else if (again.length > 0) {
    console.log('\nThe same tests on PostgreSQL:\n')
    passed.push(await run('PostgreSQL', again, { ...env, OSTIARY_TEST_ENGINE: 'postgres' }))
  }
}
const on_own_hosts = citus ? [] : files.filter((file) => both_issuers.includes(file))
if (on_own_hosts.length > 0) {
  console.log('\nThe tests of issuers, on hosts of their own behind a proxy with TLS:\n')
  // Their authority is one that the process trusts until it ends, so no file with other tests shares it.
  passed.push(await run('issuers on own hosts', on_own_hosts, { ...env, OSTIARY_TEST_FRONT: 'node', OSTIARY_TEST_ISSUERS: 'host' }, []))
}
await postgres?.stop()
await citus?.stop()
const { batches, ran } = readRecord(record)
writeReach(ran)
const offences = judgeRecord(batches, uniqueKeys(migrated_file))
for (const { law, what, file } of offences) console.log(`✖ ${law} (scripts/recorded-laws.ts), in ${file}: ${what}`)
notes.push(`${batches.length} batches and queries were judged by the laws of batches: ${offences.length} offences.`)
if (citus) notes.push(`${countBatches()} batches of two or more statements failed at their end first, and left nothing on any node.`)
const checked = await checking
if (!checked.passed) {
  console.log(`\nnpm run check:\n\n${checked.printed}`)
  notes.push('npm run check failed, see above. This run counts as failed.')
}
console.log(`\n${endReport(parts, notes)}`)
process.exitCode = checked.passed && passed.every(Boolean) && offences.length === 0 ? 0 : 1

function filesToRun(): string[] {
  const all = globSync('{contract,server,cli,sdk,scripts,packaging,applications}/**/*.test.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.long.test.ts') === is_long_run)
    .sort()
  const chosen = is_on_citus ? all.filter((file) => isOnCitus(file, ours.includes('--all') || filters.length > 0)) : all
  const named = chosen.filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  if (named.length === 0) throw new Error(`No test file has ${filters.join(' or ')} in its path.`)
  if (!is_changed_run) return named
  const since = ours.find((word) => word.startsWith('--changed='))?.slice('--changed='.length) ?? null
  const reached = chooseChanged(changedFiles(since), { tests: named, imports: readImports(), ran: readReach() })
  const why = reached.everything === null ? '' : `: ${reached.everything}`
  notes.push(`The change reaches ${reached.files.length} of ${named.length} test files${why}.`)
  if (reached.unreached.length > 0) notes.push(`No test reaches ${reached.unreached.join(', ')}.`)
  for (const note of notes) console.log(note)
  if (reached.files.length === 0) process.exit(0)
  return [...reached.files]
}

/** Each combination of statements once. */
function countBatches(): number {
  return existsSync(batches_of_citus) ? new Set(readFileSync(batches_of_citus, 'utf8').split('\n').filter(Boolean)).size : 0
}

/** The tests of behaviour that run on PostgreSQL, by what they did on the embedded database. */
function filesToRunAgain(): string[] {
  if (filters.length > 0 || ours.includes('--all')) return behaviour_tests
  const { batches } = readRecord(record)
  const recorded = new Set(batches.map(({ file }) => file))
  const missing = behaviour_tests.filter((file) => !recorded.has(file))
  if (missing.length > behaviour_tests.length / 10) {
    console.log(
      `✖ ${missing.length} of ${behaviour_tests.length} files recorded nothing, ${missing[0]} is one: see server/test/support/record.mjs.`,
    )
    passed.push(false)
    return behaviour_tests
  }
  const took = new Map(parts.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'file' ? [[line.file, line.ms] as const] : []))))
  const chosen = chooseAgain(
    behaviour_tests,
    batches,
    (file) => readFileSync(join(root, file), 'utf8'),
    (file) => took.get(file) ?? 0,
  )
  const left = behaviour_tests.length - chosen.size
  if (left > 0)
    notes.push(
      `PostgreSQL: ${chosen.size} of ${behaviour_tests.length} files ran again; ${left} add nothing there (npm test -- --all runs them).`,
    )
  return [...chosen.keys()]
}

function isOfPages(file: string): boolean {
  return file.startsWith('server/test/browser/')
}

/** Runs test files. Processes share those of `shareable` that do not need their own. */
async function run(
  name: string,
  chosen: readonly string[],
  env: NodeJS.ProcessEnv,
  shareable = is_shared_run ? chosen : [],
): Promise<boolean> {
  // More than cores, because a test also waits, most of all one with a browser. The processes of a queue and the other files begin in
  // alphabetical order.
  const at_once = availableParallelism() + (is_full_run ? 1 : chosen.every(isOfPages) ? 1 : 0)
  const shared = shareable.filter((file) => !needsOwnProcess(file))
  const minutes = is_full_run && shared.length > 0 ? 39 : 15 // of a process; a file has 15. Only one that hangs takes that long.
  const lines = join(folder, `lines-${parts.length}`)
  const reporters = ['spec', join(root, 'scripts/test-reporter.ts')].map((reporter) => `--test-reporter=${reporter}`)
  const destinations = ['stdout', lines].map((destination) => `--test-reporter-destination=${destination}`)
  const flags = [...reporters, ...destinations, `--test-concurrency=${at_once}`, `--test-timeout=${minutes * 60_000}`]
  const apart = chosen.filter((file) => !shared.includes(file)).map((file) => join(root, file))
  const queue = shared.length > 0 ? writeQueue(join(folder, `queue-${parts.length}`), shared, at_once) : []
  const began = performance.now()
  const passed = await node(['--test', ...flags, ...options, ...apart, ...queue], env)
  parts.push({ name, ms: performance.now() - began, lines: readLines(lines) })
  return passed
}

function readLines(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** Runs the checks beside the tests, which also wait, and prints what they say when they are done. */
async function check(): Promise<{ passed: boolean; printed: string }> {
  const child = start([join(root, 'scripts/check.ts')], process.env, 'pipe')
  const [printed, [code]] = await Promise.all([child.stdout === null ? '' : text(child.stdout), once(child, 'close')])
  console.log(`\nnpm run check:\n\n${printed}`)
  return { passed: code === 0, printed }
}

/** Runs this Node; `true` if it exits with 0. */
async function node(args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const [code] = await once(start(args, env, 'inherit'), 'close')
  return code === 0
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(has_groups ? -pid : pid, 'SIGTERM')
}

function start(args: readonly string[], env: NodeJS.ProcessEnv, stdout: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd: root,
    stdio: ['inherit', stdout, 'inherit'],
    env,
    detached: has_groups,
  })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}
