/**
 * `npm run mutants` applies each mutant of server/test/mutants/ to a copy of the repository, one at a time, and runs the test file that it
 * names: that test must fail. `npm run mutants invitation` runs those with the word in their rule, file or test, or in the name of their
 * list. Exits with 1 if a mutant survives or does not apply. A test that fails without the mutant proves nothing, so each file runs
 * unchanged first.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTemplate, noPostgres, type Postgres, startPostgres } from '../server/test/support/postgres.ts'
import { writeKeyPairs } from '../server/test/support/spare-keys.ts'
import { applied, failedTests, isKilled, type Mutant, readMutants, testOf } from './mutant-list.ts'

const root = join(import.meta.dirname, '..')
const left_out = ['node_modules', 'dist', 'release', '.git', '.node', '.ostiary']
const minutes_per_file = 4
/** Stands for the titles of a file that had to be ended: a mutant can make a loop that no limit of a test interrupts. */
const endless = 'the file did not end'

const words = process.argv.slice(2)
const { mutants, problems } = readMutants(root)
for (const problem of problems) console.log(`✖ ${problem}`)
const chosen = mutants.filter((mutant) => words.length === 0 || words.some((word) => Object.values(mutant).join('\n').includes(word)))
if (chosen.length === 0) throw new Error(`No mutant has ${words.join(' or ')} in its rule, file or test.`)

const folder = mkdtempSync(join(tmpdir(), 'ostiary-mutants-'))
const copy = join(folder, 'copy')
let postgres: Postgres | null = null
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(1))

const survivors = problems.length === 0 ? await runAll() : 0
await end(problems.length > 0 || survivors > 0 ? 1 : 0)

async function runAll(): Promise<number> {
  copyRepository()
  if (!noPostgres && chosen.some(({ engine }) => engine === 'postgres')) {
    postgres = await startPostgres()
    await createTemplate(postgres.url)
  }
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(tmpdir(), 'ostiary-test-compiled'),
    OSTIARY_TEST_KEY_PAIRS: await writeKeyPairs(folder, 12),
    ...(postgres ? { OSTIARY_TEST_POSTGRES: postgres.url } : {}),
  }
  const failing_before = new Map<string, string[]>()
  const count = { killed: 0, survived: 0, skipped: 0 }
  for (const mutant of chosen) {
    const outcome = await judge(mutant, env, failing_before)
    count[outcome.kind] += 1
    const mark = { killed: '✔', survived: '✖', skipped: '-' }[outcome.kind]
    console.log(`${mark} ${mutant.rule} (${mutant.engine}, ${mutant.test}): ${outcome.says}`)
  }
  console.log(`\n${chosen.length} mutants: ${count.killed} killed, ${count.survived} survived, ${count.skipped} skipped`)
  return count.survived
}

type Outcome = { kind: 'killed' | 'survived' | 'skipped'; says: string }

async function judge(mutant: Mutant, env: NodeJS.ProcessEnv, failing_before: Map<string, string[]>): Promise<Outcome> {
  if (mutant.engine === 'postgres' && noPostgres) return { kind: 'skipped', says: `PostgreSQL ${noPostgres}` }
  const test = testOf(root, mutant)
  const run = () => failuresOf(test, { ...env, OSTIARY_TEST_ENGINE: mutant.engine })

  const key = `${mutant.engine} ${test}`
  const before = failing_before.get(key) ?? (await run())
  failing_before.set(key, before)
  if (before.includes(endless) || isKilled(before, mutant))
    return { kind: 'survived', says: `the test fails without the mutant too: ${before[0]}` }

  const path = join(copy, mutant.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, applied(mutant, source))
  const failures = await run()
  writeFileSync(path, source)
  if (failures.includes(endless)) return { kind: 'killed', says: `${endless} within ${minutes_per_file} minutes` }
  if (isKilled(failures, mutant)) return { kind: 'killed', says: `${failures.length} failed` }
  return { kind: 'survived', says: failures.length === 0 ? 'nothing failed' : `only other tests failed: ${failures[0]}` }
}

/** Runs a test file of the copy, in this process group alone. Returns the titles of the tests that failed. */
async function failuresOf(file: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const flags = ['--test', '--test-isolation=none', '--test-reporter=tap']
  const options = { cwd: copy, env, timeout: minutes_per_file * 60_000, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, [...process.execArgv, ...flags, file], { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return child.signalCode === 'SIGKILL' ? [endless] : failedTests(printed)
}

/** Copies the sources. Packages are linked, and the workspaces are those of the copy. */
function copyRepository(): void {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) =>
      !relative(root, path)
        .split(/[\\/]/)
        .some((name) => left_out.includes(name)),
  })
  for (const modules of ['node_modules', 'dashboard/node_modules', 'examples/node_modules'])
    if (existsSync(join(root, modules))) linkPackages(modules)
}

function linkPackages(modules: string): void {
  mkdirSync(join(copy, modules), { recursive: true })
  for (const { name } of readdirSync(join(root, modules), { withFileTypes: true })) {
    const [from, to] = [join(root, modules, name), join(copy, modules, name)]
    if (name === '@ostiary') linkWorkspaces(from, to)
    else symlinkSync(from, to, 'junction')
  }
}

function linkWorkspaces(from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) symlinkSync(join(copy, basename(readlinkSync(join(from, name)))), join(to, name), 'junction')
}

async function end(code: number): Promise<void> {
  await postgres?.stop()
  process.exit(code)
}
