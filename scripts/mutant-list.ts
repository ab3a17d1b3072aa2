/**
 * The mutants of rules: changes of one expression, each of which breaks a rule, with the test that must then fail. They are in
 * server/test/mutants/*.json. `npm run mutants` runs them, and `npm run check` finds those that no longer apply.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { findSpan, hasSyntaxErrors, type Parsed, parseSource, replaceSpan } from './mutant-syntax.ts'

const line = z.string().regex(/^[^\n]+$/, 'must be one line')

const Mutant = z.strictObject({
  rule: line.describe('The rule that the change breaks, as a sentence.'),
  file: line.describe('The file that is changed.'),
  function: line
    .optional()
    .describe('The function or table in it, with the names around it where one does not do. Files of other languages have none.'),
  replaces: line.describe(
    'What is replaced: an expression, a statement, an element of a list, or a part of a template. It occurs once there.',
  ),
  becomes: z
    .string()
    .regex(/^[^\n]*$/, 'must be one line')
    .describe('The code in its place.'),
  test: line.describe('A part of the path of the test file, and of no other.'),
  title: line.optional().describe('A part of the title of a test that must fail. Without it, any test of the file.'),
  engine: z.enum(['sqlite', 'postgres']),
})

export type Mutant = z.infer<typeof Mutant>

/** `list` is the name of its list. */
export type ListedMutant = Mutant & { list: string }

export interface MutantList {
  mutants: ListedMutant[]
  /** The problems of the lists, one sentence each. */
  problems: string[]
}

/** Reads all lists below a root, and judges their mutants by the files there. */
export function readMutants(root: string): MutantList {
  const tests = testFiles(root)
  const mutants: ListedMutant[] = []
  const problems: string[] = []
  for (const file of globSync('server/test/mutants/*.json', { cwd: root }).sort()) {
    const read = z.array(Mutant).safeParse(parsed(readFileSync(join(root, file), 'utf8')))
    if (!read.success)
      problems.push(...read.error.issues.map(({ path, message }) => `${file} at ${path.join('.') || 'the top'}: ${message}`))
    else {
      mutants.push(...read.data.map((mutant) => ({ ...mutant, list: basename(file, '.json') })))
      const wrong = read.data.map((mutant) => [mutant.rule, problemOf(mutant, sourceOf(root, mutant.file), tests)])
      problems.push(...wrong.flatMap(([rule, problem]) => (problem === null ? [] : [`${file}: "${rule}": ${problem}`])))
    }
  }
  return { mutants, problems }
}

/** Says why a mutant cannot be run, or `null`. `source` is `null` if its file does not exist. */
export function problemOf(mutant: Mutant, source: string | null, tests: readonly string[]): string | null {
  if (source === null) return `${mutant.file} does not exist.`
  const { file, function: name, becomes } = mutant
  if (/\.tsx?$/.test(file) && name === undefined) return 'it names no function.'
  const parsed = parsedOnce(file, source)
  const span = findSpan(parsed, mutant)
  if (typeof span === 'string') return `${span} in ${file}.`
  const changed = replaceSpan(parsed, span, becomes)
  if (changed === source) return 'it changes nothing.'
  if (hasSyntaxErrors(file, changed)) return `${file} is no longer a program.`
  const found = tests.filter((test) => test.includes(mutant.test))
  return found.length === 1 ? null : `"${mutant.test}" is in the path of ${found.length} test files.`
}

/** Many mutants are of one file. */
const parsed_files = new Map<string, Parsed>()
function parsedOnce(file: string, source: string): Parsed {
  const known = parsed_files.get(file)
  if (known?.text === source) return known
  const parsed = parseSource(file, source)
  parsed_files.set(file, parsed)
  return parsed
}

/** Returns the source with the change of a mutant without a problem. */
export function applied(mutant: Mutant, source: string): string {
  const parsed = parseSource(mutant.file, source)
  const span = findSpan(parsed, mutant)
  if (typeof span === 'string') throw new Error(span)
  return replaceSpan(parsed, span, mutant.becomes)
}

/** Returns the path of the test file of a mutant without a problem. */
export const testOf = (root: string, mutant: Mutant): string => testFiles(root).find((file) => file.includes(mutant.test)) ?? mutant.test

/** Returns the titles of failed tests in an output in TAP. A file that does not load is a failed test with its own path as the title. */
export function failedTests(tap: string): string[] {
  return [...tap.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, title = '']) => title.replace(/ # .*$/, '').replace(/\\(.)/g, '$1'))
}

/** Reports whether these failures show that the test noticed the mutant. A file that does not load shows nothing. */
export const isKilled = (failures: readonly string[], { title = '' }: Pick<Mutant, 'title'>): boolean =>
  failures.some((failure) => failure.includes(title) && !failure.endsWith('.test.ts'))

const testFiles = (root: string): string[] =>
  globSync(['{contract,server,cli,sdk}/{src,test}/**/*.test.ts', '{scripts,applications}/*.test.ts'], { cwd: root }).map((file) =>
    file.replaceAll('\\', '/'),
  )

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function sourceOf(root: string, file: string): string | null {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return null
  }
}
