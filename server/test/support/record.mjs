/**
 * Records what each test file sends to a database and which source files it runs, for the laws of batches (`scripts/recorded-laws.ts`),
 * the choice of files for the second engine, and `npm test -- --changed`. `scripts/test.ts` loads it by `--import` into every process of a
 * run, also into the services that tests start. It is plain JavaScript, so that a process with nothing to record starts as fast as before.
 *
 * Each process appends to a file of its own in the folder OSTIARY_TEST_RECORD: a line for each new text, `{ id, text, guard, is_of_key, lives }`, one
 * for each new combination of statements in a test file, `{ file, engine, owner, ids, is_refused }`, and the sources that ran, `{ file, ran }`. A killed process
 * has written what it sent. Statements of the tests themselves are left out.
 */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.env.OSTIARY_TEST_RECORD
const root = fileURLToPath(new URL('../../../', import.meta.url))
const nameOf = (path) => relative(root, path).split(sep).join('/')

// The runner gives each file a process. A process that shares files says which one begins, and children inherit the name.
const main = process.argv[1] ?? ''
if (folder && process.env.NODE_TEST_CONTEXT) process.env.OSTIARY_TEST_FILE ??= nameOf(main)
// Neither tools nor an earlier program of ours, which a test starts in another folder. The processes of a queue begin in the folder of the run.
const is_of_queue = process.env.OSTIARY_TEST_RUN !== undefined && main.startsWith(process.env.OSTIARY_TEST_RUN)
const is_ours = main.startsWith(root) && !main.includes('node_modules')
if (folder && process.env.OSTIARY_TEST_FILE && (is_ours || is_of_queue)) record()

function record() {
  const place = `${folder}/${process.pid}-${process.hrtime.bigint()}.jsonl`
  const append = (line) => appendFileSync(place, `${JSON.stringify(line)}\n`)
  const idOf = numbering(append)
  const combinations = new Set()
  // To ask what ran since the file before makes V8 forget what it compiled: three files took 37 s instead of 32.
  const takeSources = is_of_queue ? () => [] : watchSources()
  const noteSources = () => {
    const file = process.env.OSTIARY_TEST_FILE
    const ran = takeSources()
    if (file !== undefined && ran.length > 0) append({ file, ran })
  }
  process.once('exit', noteSources)
  subscribe('ostiary.test-file', (file) => {
    noteSources()
    process.env.OSTIARY_TEST_FILE = file
  })
  subscribe('ostiary.statements', ({ engine, statements, owner, is_refused }) => {
    const file = process.env.OSTIARY_TEST_FILE
    const ids = statements.map(idOf).filter((id, index, all) => id !== all[index - 1])
    const about = owner === 'none' || owner === 'many' ? owner : isAboutOther(statements, owner) ? 'another' : 'environment'
    const combination = `${file} ${engine} ${about} ${ids}`
    const key = `${combination} ${is_refused}`
    if (combinations.has(key)) return
    // When a guard has refused a batch, its caller is no longer on the stack.
    if (is_refused ? !combinations.has(`${combination} false`) : isOfTest(new Error().stack ?? '')) return
    combinations.add(key)
    append({ file, engine, owner: about, ids, is_refused })
  })
}

/** Returns a function that gives each statement a number, and writes the text of a new one. */
function numbering(append) {
  const by_parts = new WeakMap()
  const by_text = new Map()
  return ({ parts, guard, is_of_key = false, lives }) => {
    const of_parts = by_parts.get(parts) ?? {}
    by_parts.set(parts, of_parts)
    const is_guard = guard !== undefined
    const kind = `${is_guard} ${is_of_key} ${lives}`
    if (of_parts[kind] !== undefined) return of_parts[kind]
    const text = shortened(parts.join('?'))
    const key = `${kind} ${text}`
    if (!by_text.has(key)) {
      by_text.set(key, by_text.size)
      append({ id: by_text.get(key), text, guard: is_guard, is_of_key, lives })
    }
    of_parts[kind] = by_text.get(key)
    return of_parts[kind]
  }
}

/** Whether a statement compares the environment of a row with another environment than that of its batch. */
function isAboutOther(statements, owner) {
  return statements.some(({ parts, values }) =>
    parts.some((part, index) => /\benvironment_id( \|\| '')? = $/.test(part) && index < values.length && values[index] !== owner),
  )
}

/** Lists of any length are one text, and so are lists of rows. */
function shortened(text) {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?(, \?)+/g, '?…')
    .replace(/(\([^()]*\))(, \1)+/g, '$1…')
}

/** Whether a test itself called the database: the first caller outside db.ts and its row cache is not a file of the service. */
function isOfTest(stack) {
  const caller = stack.split('\n').find((line) => /:\d+:\d+\)?$/.test(line) && !/\/db\/(db|memory)\.ts:|\/record\.mjs:|node:/.test(line))
  return caller !== undefined && /\/test\/|\.test\.ts:/.test(caller)
}

/** Returns a function that lists the sources of which a function ran since its last call. Loading a module counts as nothing. */
function watchSources() {
  const session = new Session()
  session.connect()
  const post = (method, parameters) => {
    let answer
    session.post(method, parameters, (_, result) => {
      answer = result
    })
    return answer
  }
  const start = () => post('Profiler.startPreciseCoverage', { callCount: false, detailed: false })
  post('Profiler.enable')
  start()
  return () => {
    const scripts = post('Profiler.takePreciseCoverage')?.result ?? []
    start() // V8 reports each function once, until the next start
    return scripts
      .filter(({ url, functions }) => url.startsWith('file:') && !url.includes('/node_modules/') && functions.some(hasRun))
      .map(({ url }) => nameOf(fileURLToPath(url)))
      .filter((name) => /^(contract|server|cli|sdk|scripts)\/.*\.ts$/.test(name))
      .sort()
  }
}

const hasRun = ({ functionName, ranges }) => ranges[0].count > 0 && (functionName !== '' || ranges[0].startOffset > 0)
