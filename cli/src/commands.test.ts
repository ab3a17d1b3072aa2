/** Help, versions and wrong arguments of every command, through the launcher and the build, as users run them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readArguments } from './arguments.ts'
import { type Command, commands, developer_commands } from './commands.ts'
import { usageOf } from './help.ts'
import { UsageError } from './usage.ts'

const launcher = join(import.meta.dirname, '../../launch.mjs')
const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-arguments-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))
const unused_settings = { OSTIARY_DATA_DIR: data_dir, OSTIARY_PORT: '1' }

async function ostiary(words: readonly string[], env: Record<string, string> = unused_settings) {
  const child = spawn(process.execPath, [launcher, ...words], { env: { PATH: process.env.PATH, ...env } })
  const output = { out: '', err: '' }
  child.stdout.on('data', (data) => {
    output.out += data
  })
  child.stderr.on('data', (data) => {
    output.err += data
  })
  child.stdin.end('a long enough password')
  const [code] = await once(child, 'close')
  return { code, ...output }
}

const everything: [string, Command][] = Object.entries({ ...commands, ...developer_commands })

/** These are refused before a command reads its configuration, so a wrong setting is not mentioned. */
const wrong_setting = { ...unused_settings, OSTIARY_MASTER_KEY: 'abc' }

for (const [name, command] of everything) {
  test(`ostiary ${name} --help shows how to call it and does nothing`, async () => {
    const { code, out, err } = await ostiary([name, '--help'], wrong_setting)
    assert.deepEqual([code, err], [0, ''])
    if (name === 'bench') return assert.match(out, /^npm run bench -- \[options\]/)
    assert.ok(out.startsWith(`Usage: ${usageOf(name, command)}\n\n`), out)
    for (const option of Object.keys(command.options)) assert.match(out, new RegExp(`^ {2}--${option} .*\\S`, 'm'))
  })

  test(`ostiary ${name} --version prints the version`, async () => {
    assert.deepEqual(await ostiary([name, '--version'], wrong_setting), { code: 0, out: 'ostiary 0.6.0\n', err: '' })
  })

  if (!command.passes_options_on)
    test(`ostiary ${name} refuses an unknown option by name, before it does anything`, async () => {
      const { code, out, err } = await ostiary([name, '--foo=secret'], wrong_setting)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /"--foo"/)
      assert.doesNotMatch(err, /secret|MASTER_KEY/)
    })
}

/** The mistakes that the arguments are refused for; `null` if they are accepted. */
function mistakesIn(name: string, command: Command, args: readonly string[]): string | null {
  try {
    readArguments(name, command, args)
    return null
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

for (const [name, command] of everything.filter(([, { passes_options_on }]) => !passes_options_on)) {
  for (const [what, argument, mistake] of [
    ['an unknown letter', '-x', 'There is no option "-x".'],
    ['a mistyped option', '--hepl', 'There is no option "--hepl". Did you mean --help?'],
    ...(command.words ? [] : [['a word', 'now', '"now" is not expected here.'] as const]),
  ] as const)
    test(`ostiary ${name} refuses ${what} by name`, () => assert.ok(mistakesIn(name, command, [argument])?.startsWith(mistake)))

  for (const [option, { value }] of Object.entries(command.options)) {
    const mistakes: [string, string[], string][] = value
      ? [
          ['without a value', [`--${option}`], `--${option} needs a value: `],
          ['with the next option as its value', [`--${option}`, '--json'], `--${option} needs a value: `],
          ['given twice', [`--${option}=a`, `--${option}=b`], `--${option} is given twice.`],
        ]
      : [
          ['with a value', [`--${option}=yes`], `--${option} takes no value.`],
          ['given twice', [`--${option}`, `--${option}`], `--${option} is given twice.`],
        ]
    for (const [how, args, says] of mistakes)
      test(`ostiary ${name} refuses --${option} ${how}`, () => assert.ok(mistakesIn(name, command, args)?.startsWith(says)))
  }

  const required = Object.entries(command.options).filter(([, { is_required }]) => is_required)
  if (required.length > 0)
    test(`ostiary ${name} without arguments names every required option at once`, () => {
      const mistakes = mistakesIn(name, command, [])?.split('\n') ?? []
      assert.deepEqual(
        mistakes.slice(0, -2).map((mistake) => /^--([\w-]+)/.exec(mistake)?.[1]),
        required.map(([option]) => option),
      )
      assert.equal(mistakes.at(-1), `"ostiary ${name} --help" shows how to call it.`)
    })
}

const usages: { words: string[]; code: number; out?: RegExp; err?: RegExp }[] = [
  { words: ['--help'], code: 0, out: /^Usage: ostiary COMMAND/ },
  { words: ['-h'], code: 0, out: /^Usage: ostiary COMMAND/ },
  { words: ['serve', '-h'], code: 0, out: /^Usage: ostiary serve/ },
  { words: ['serve', '--help', '--foo'], code: 0, out: /^Usage: ostiary serve/ },
  { words: ['help'], code: 0, out: /^Usage: ostiary COMMAND/ },
  { words: ['help', 'doctor'], code: 0, out: /^Usage: ostiary doctor \[--json\]\n/ },
  { words: ['--version'], code: 0, out: /^ostiary 0\.6\.0\n$/ },
  { words: ['-V'], code: 0, out: /^ostiary 0\.6\.0\n$/ },
  { words: [], code: 2, err: /^Usage: ostiary COMMAND/ },
  { words: ['strat'], code: 2, err: /^There is no command "strat"\. Did you mean "start"\?\n\n"ostiary --help" lists the commands\.\n$/ },
  { words: ['help', 'strat'], code: 2, err: /^There is no command "strat"\. Did you mean "start"\?\n/ },
  { words: ['frobnicate'], code: 2, err: /^There is no command "frobnicate"\.\n/ },
  { words: ['constructor'], code: 2, err: /^There is no command "constructor"\.\n/ },
  { words: ['--verison'], code: 2, err: /^There is no option "--verison"\. Did you mean "--version"\?\n/ },
  { words: ['distribute'], code: 1, err: /^The embedded database is one file and cannot be distributed\./ },
  { words: ['distribute', '--shards', '0'], code: 2, err: /^--shards takes a number from 1 to 512\.\n/ },
  { words: ['distribute', '--shards', '513'], code: 2, err: /^--shards takes a number from 1 to 512\.\n/ },
  { words: ['serve', '--workers', '65'], code: 2, err: /^--workers takes a number from 1 to 64\.\n/ },
  {
    words: ['bootstrap', '--email', 'ada', '--tenant', '', '--slug', 'A', '--password-stdin'],
    code: 2,
    err: /^--email takes .+\n--tenant takes .+\n--slug takes /,
  },
  { words: ['recover', '--email', 'ada', '--tenant', 'A'], code: 2, err: /^--tenant takes .+\n--email takes / },
]
for (const { words, code, out = /^$/, err = /^$/ } of usages)
  test(`ostiary ${words.join(' ')}: ${code === 0 ? 'answers' : 'is refused'}`, async () => {
    const result = await ostiary(words)
    assert.equal(result.code, code)
    assert.match(result.out, out)
    assert.match(result.err, err)
  })

test('none of these calls stored anything', () => assert.deepEqual(readdirSync(data_dir), []))
