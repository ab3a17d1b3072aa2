/** `npm run check`: checks that do not run the service. All of them run, even after one has failed. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { missingCitations } from './citations.ts'
import { subjectProblem } from './commits.ts'
import { effectsWithoutBlock } from './effects.ts'
import { escapeHatches } from './escape-hatches.ts'
import { readMutants } from './mutant-list.ts'
import { bannedWords } from './words.ts'

type Outcome = { passed: boolean; output: string; summary?: string }

const root = join(import.meta.dirname, '..')

// biome-ignore format: this table is read by column
const checks: [string, () => Outcome][] = [
  ['lint and format (npx biome check --write)', () => node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings')],
  ['types (npx tsc)',                           () => node('node_modules/typescript/bin/tsc', '--project', root)],
  ['types of the dashboard',                    () => node('node_modules/typescript/bin/tsc', '--project', join(root, 'dashboard'))],
  ['nothing unused (npx knip)',                 () => node('node_modules/knip/bin/knip.js', '--no-progress')],
  ['docs are current (npm run docs)',           () => node('scripts/docs.ts', '--check')],
  ['escape hatches have reasons',               reasons],
  ['effects have a block body (scripts/effects.ts)', effects],
  ['mutants apply (server/test/mutants)',       mutantsApply],
  ['plain English (scripts/words.ts)',          plainEnglish],
  ['cited documents exist (scripts/citations.ts)', citations],
  ['subjects of commits (scripts/commits.ts)',  subjects],
]

let failures = 0
for (const [name, check] of checks) {
  const began = performance.now()
  const { passed, output, summary } = check()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${passed ? '✔' : '✖'} ${name}${summary ? `: ${summary}` : ''} (${seconds} s)`)
  if (passed) continue
  failures += 1
  console.log(`\n${output.trimEnd()}\n`)
}
process.exitCode = failures === 0 ? 0 : 1

/** Runs a tool by its path, with this Node; `npx` may find another version. */
function node(script: string, ...args: string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [...process.execArgv, join(root, script), ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { passed: status === 0, output: error ? String(error) : stdout + stderr }
}

function reasons(): Outcome {
  const files = globSync('{contract,server,cli,sdk,dashboard}/src/**/*.{ts,tsx}', { cwd: root }).concat(
    globSync('scripts/*.ts', { cwd: root }),
  )
  const hatches = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => escapeHatches(file, readFileSync(join(root, file), 'utf8')).map((hatch) => ({ file, ...hatch })))
  const bare = hatches.filter(({ has_reason }) => !has_reason)
  return {
    passed: bare.length === 0,
    summary: `${hatches.length} of them`,
    output: bare.map(({ file, line, what }) => `${file}:${line} says "${what}" without a reason in a comment on the same line`).join('\n'),
  }
}

function effects(): Outcome {
  const found = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    effectsWithoutBlock(file, readFileSync(join(root, file), 'utf8')).map((effect) => ({ file, ...effect })),
  )
  return {
    passed: found.length === 0,
    output: found.map(({ file, line, what }) => `${file}:${line}: ${what} needs a block body`).join('\n'),
  }
}

function mutantsApply(): Outcome {
  const { mutants, problems } = readMutants(root)
  return { passed: problems.length === 0, summary: `${mutants.length} of them`, output: problems.join('\n') }
}

function plainEnglish(): Outcome {
  const found = sources('ts,tsx,mjs,js,sql,md').flatMap((file) =>
    bannedWords(file, readFileSync(join(root, file), 'utf8')).map((word) => ({ file, ...word })),
  )
  return { passed: found.length === 0, output: found.map(({ file, line, word }) => `${file}:${line}: ${word}`).join('\n') }
}

function citations(): Outcome {
  const names = new Set(sources('md').map((file) => basename(file)))
  const decisions = new Set(globSync('docs/decisions/*.md', { cwd: root }).map((file) => basename(file).slice(0, 4)))
  const found = sources('ts,tsx,mjs,js,css,sql,sh,md,txt').flatMap((file) =>
    missingCitations(readFileSync(join(root, file), 'utf8'), { names, decisions }).map((citation) => ({ file, ...citation })),
  )
  return {
    passed: found.length === 0,
    output: found.map(({ file, line, cited }) => `${file}:${line} cites "${cited}", which is not in the repository`).join('\n'),
  }
}

function subjects(): Outcome {
  const judged_since = 'e9c5a5ec' // earlier commits have other subjects
  const log = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${judged_since}..HEAD`], { cwd: root, encoding: 'utf8' })
  if (log.status !== 0) return { passed: true, summary: 'skipped, since there is no history', output: '' }
  const commits = log.stdout.split('\n').filter(Boolean)
  const found = commits.flatMap((line) => {
    const problem = subjectProblem(line.slice(line.indexOf(' ') + 1))
    return problem === null ? [] : [`${line}: it ${problem}`]
  })
  return { passed: found.length === 0, summary: `${commits.length} of them`, output: found.join('\n') }
}

/** The files of the repository that people write, with one of these endings. */
function sources(endings: string): string[] {
  const ignored = ['node_modules', 'dist', '.node', '.git', '.ostiary']
  const exclude = (path: string) => path.split(/[\\/]/).some((name) => ignored.includes(name))
  return globSync(endings.includes(',') ? `**/*.{${endings}}` : `**/*.${endings}`, { cwd: root, exclude }).sort()
}
