/** Reads the arguments of a command by its row of the table. Every argument that is not in the table is refused by its name. */
import { parseArgs } from 'node:util'
import { nearest } from '@ostiary/server/base/nearest.ts'
import type { Command, Values } from './commands.ts'
import { UsageError } from './usage.ts'

/** Each command also has these. */
export const common_options = { help: '-h', version: '-V' } as const

/** Returns what the caller asks about a command instead of running it. `null`: the command runs. */
export function questionIn(args: readonly string[]): keyof typeof common_options | null {
  const ours = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (ours.includes('--help') || ours.includes('-h')) return 'help'
  return ours.includes('--version') || ours.includes('-V') ? 'version' : null
}

/** @throws UsageError with all mistakes */
export function readArguments<C extends Command>(name: string, command: C, args: readonly string[]): Values<C> {
  const known = Object.entries<Command['options'][string]>(command.options)
  const options = Object.fromEntries(known.map(([option, { value }]) => [option, { type: value ? 'string' : 'boolean' } as const]))
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  const values: Record<string, string | true> = {}
  const mistakes: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional' && command.words === undefined) mistakes.push(`${JSON.stringify(token.value)} is not expected here.`)
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
    const mistake = option && token.rawName.startsWith('--') ? mistakeIn(token, option, values) : unknown(token.rawName, command)
    if (mistake) mistakes.push(mistake)
    else values[token.name] = token.value ?? true
  }
  if (mistakes.length === 0)
    for (const [option, { is_required, value, help }] of known)
      if (is_required && !(option in values)) mistakes.push(`--${option}${value ? ` ${value}` : ''} is missing: ${help}.`)
  if (mistakes.length > 0) throw wrongArguments(name, mistakes)
  return values as Values<C> // as: every value was read by the type of its option
}

/** The mistakes, and where to read on. */
export function wrongArguments(name: string, mistakes: readonly string[]): UsageError {
  return new UsageError(`${mistakes.join('\n')}\n\n${usageLine(name)}`)
}

const usageLine = (name: string) => `"ostiary ${name} --help" shows how to call it.`

function mistakeIn(
  { name, value, inlineValue }: { name: string; value: string | undefined; inlineValue: boolean | undefined },
  option: Command['options'][string],
  values: Readonly<Record<string, unknown>>,
): string | null {
  if (name in values) return `--${name} is given twice.`
  if (!option.value) return value === undefined ? null : `--${name} takes no value.`
  // The next option is not a value: "--email --json" lacks one.
  return value === undefined || (!inlineValue && value.startsWith('--')) ? `--${name} needs a value: ${option.help}.` : null
}

function unknown(raw_name: string, { options }: Command): string {
  const near = nearest(
    raw_name,
    [...Object.keys(options), ...Object.keys(common_options)].map((name) => `--${name}`),
  )
  return `There is no option ${JSON.stringify(raw_name)}.${near ? ` Did you mean ${near}?` : ''}`
}
