/** Reads the repository for `npm test -- --changed`: the changed files, the imports, and the files that each test ran in the last run. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const root = join(import.meta.dirname, '..')
const reach_file = join(root, '.node/test-reach.json')

/** The files that differ from a commit, or without one the files that are not committed, or else those of the last commit. */
export function changedFiles(since: string | null): string[] {
  const uncommitted = [...git('diff', '--name-only', '--no-renames', since ?? 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return uncommitted.length > 0 || since !== null ? uncommitted : git('diff', '--name-only', '--no-renames', 'HEAD~1', 'HEAD')
}

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

/** The files that each file of our own imports. */
export function readImports(): Map<string, string[]> {
  const files = globSync('{contract,server,cli,sdk,scripts,packaging,bench,applications}/**/*.{ts,mjs}', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  }).map((file) => file.replaceAll('\\', '/'))
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))
}

/** The files that a source names in imports. */
export function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(/(?:\bfrom|^import|\bimport\() ?'([^']+)'/gm)].flatMap(([, name = '']) => {
    if (name.startsWith('.')) return [posix.join(posix.dirname(file), name)]
    if (name.startsWith('@ostiary/contract/')) return [name.replace('@ostiary/contract/', 'contract/src/')]
    return []
  })
}

interface Stored {
  sources: string[]
  /** The numbers of the sources that each test file ran. */
  tests: Record<string, number[]>
}

export function readReach(): Map<string, Set<string>> {
  if (!existsSync(reach_file)) return new Map()
  const { sources, tests }: Stored = JSON.parse(readFileSync(reach_file, 'utf8'))
  return new Map(Object.entries(tests).map(([test, numbers]) => [test, new Set(numbers.flatMap((number) => sources[number] ?? []))]))
}

/** Stores what test files ran, beside what the last run of the others did. */
export function writeReach(ran: ReadonlyMap<string, ReadonlySet<string>>): void {
  const all = new Map([...readReach(), ...ran])
  const sources = [...new Set([...all.values()].flatMap((each) => [...each]))].sort()
  const number = new Map(sources.map((source, index) => [source, index]))
  const tests = Object.fromEntries([...all].map(([test, each]) => [test, [...each].flatMap((source) => number.get(source) ?? [])]))
  mkdirSync(dirname(reach_file), { recursive: true })
  writeFileSync(`${reach_file}.new`, JSON.stringify({ sources, tests } satisfies Stored))
  renameSync(`${reach_file}.new`, reach_file)
}
