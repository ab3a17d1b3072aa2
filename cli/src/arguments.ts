/** Reads the words after the name of a command, of the service and of the client. Refuses unknown options and words by name. */
import { nearest } from '@ostiary/server/base/nearest.ts'
import type { Command, OptionRow, Values } from './commands.ts'
import { UsageError } from './usage.ts'

/** Each command also has these. */
export const common_options = { help: '-h', version: '-V' } as const

/**
 * text     as written
 * number   a whole number or a fraction
 * boolean  `--disabled`, `--disabled false`
 * json     a value of any shape
 */
export type Kind = 'text' | 'number' | 'boolean' | 'json'

export interface Option extends OptionRow {
  /** Without the dashes. */
  readonly name: string
  /** A `switch` has no value. */
  readonly kind: Kind | 'switch'
  readonly is_list?: boolean
  readonly is_nullable?: boolean
  readonly choices?: readonly string[]
}

/** How a command is called. */
export interface Syntax {
  /** `serve`, `projects create`. */
  readonly call: string
  readonly options: readonly Option[]
  /** The names of the words that it needs; `any` for a command that takes none, one or many. */
  readonly words: readonly string[] | 'any'
}

/** The words and options that the caller wrote. A list has one value for each time, a switch is `true`. */
export interface Written {
  readonly words: readonly string[]
  readonly values: ReadonlyMap<string, unknown>
}

/** Returns what the caller asks about a command instead of running it. `null`: the command runs. */
export function questionIn(args: readonly string[]): keyof typeof common_options | null {
  const ours = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (ours.includes('--help') || ours.includes('-h')) return 'help'
  return ours.includes('--version') || ours.includes('-V') ? 'version' : null
}

/** Reads the arguments of a command by its row of the table. @throws UsageError with all mistakes */
export function readArguments<C extends Command>(name: string, command: C, args: readonly string[]): Values<C> {
  const options = Object.entries<OptionRow>(command.options).map(
    ([option, row]): Option => ({ name: option, kind: row.value ? 'text' : 'switch', ...row }),
  )
  const { values } = readWords({ call: name, options, words: command.words ? 'any' : [] }, args)
  return Object.fromEntries(values) as Values<C> // as: every value was read by the type of its option
}

/** @throws UsageError with all mistakes */
export function readWords({ call, options, words }: Syntax, args: readonly string[]): Written {
  const values = new Map<string, unknown>()
  const positional: string[] = []
  const mistakes: string[] = []
  const rest = [...args]
  let has_unknown = false
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') positional.push(...rest.splice(0))
    else if (!arg.startsWith('-') || arg === '-') positional.push(arg)
    else {
      const mistake = readOption(arg, rest, options, values)
      if (mistake !== null) mistakes.push(mistake)
      if (mistake === null || optionNamed(arg, options) !== undefined) continue
      // The next word is probably its value, and can be a password.
      has_unknown = true
      if (!arg.includes('=') && rest[0] !== undefined && !rest[0].startsWith('-')) rest.shift()
    }
  }
  if (words !== 'any') {
    for (const word of positional.slice(words.length)) mistakes.push(notExpected(word, options))
    if (!has_unknown) for (const [index, word] of words.entries()) if (!positional[index]) mistakes.push(`${word} is missing.`)
  }
  if (mistakes.length === 0)
    for (const { name, value, is_required, help } of options)
      if (is_required && !values.has(name)) mistakes.push(`--${name}${value ? ` ${value}` : ''} is missing: ${help}.`)
  if (mistakes.length > 0) throw wrongArguments(call, mistakes)
  return { words: positional, values }
}

/** A word in the place of an option: a file, a JSON pointer, or a field with its value. */
function notExpected(word: string, options: readonly Option[]): string {
  const [, name = ''] = /^\/?([a-z_][\w./-]*)(?:=.*)?$/s.exec(word) ?? []
  const field = optionOfPointer(name)
  const option = options.find((each) => each.name === field && each.kind !== 'switch')
  if (option !== undefined && /^\/|=/.test(word))
    return `${JSON.stringify(word.split('=')[0])} is not expected here. Write --${option.name}${option.value ? ` ${option.value}` : ''}.`
  const said = `${JSON.stringify(word)} is not expected here.`
  return options.some((each) => each.name === 'file') ? `${said} Did you mean --file ${word}?` : said
}

/** The option of a field by its JSON pointer, without an index: `redirect-uris` of `/redirect_uris/0`. */
export const optionOfPointer = (pointer: string) =>
  pointer
    .replace(/^\//, '')
    .replace(/(\/\d+)+$/, '')
    .replaceAll('_', '-')
    .replaceAll('/', '.')

/** The mistakes, and where to read on. */
export function wrongArguments(call: string, mistakes: readonly string[]): UsageError {
  return new UsageError(`${mistakes.join('\n')}\n\n"ostiary ${call} --help" shows how to call it.`)
}

const optionNamed = (arg: string, options: readonly Option[]) =>
  options.find(({ name }) => arg === `--${name}` || arg.startsWith(`--${name}=`))

/** Reads one option, and its value from the words after it. Returns a mistake, or `null`. */
function readOption(arg: string, rest: string[], options: readonly Option[], values: Map<string, unknown>): string | null {
  const at = arg.indexOf('=')
  const is_long = arg.startsWith('--')
  // Without what follows, which can be a password: "--passwort=…", "-p…".
  const typed = is_long ? arg.slice(0, at === -1 ? undefined : at) : arg.slice(0, 2)
  const option = optionNamed(arg, options)
  if (option === undefined) return unknownOption(typed, options)
  const { name, kind, is_list = false } = option
  const inline = at === -1 ? null : arg.slice(at + 1)
  const is_repeated = values.has(name) && !is_list
  if (kind === 'switch') {
    values.set(name, true)
    if (inline !== null) return `--${name} takes no value.`
    return is_repeated ? `--${name} is given twice.` : null
  }
  const text = inline ?? nextValue(kind, rest)
  if (is_repeated) return `--${name} is given twice.`
  if (text === null) return `--${name} needs a value${option.help === '' ? '' : `: ${option.help}`}.`
  const read = readValue(option, text)
  if ('mistake' in read) return `--${name} ${read.mistake}`
  values.set(name, is_list ? appended(values.get(name), read.value, text) : read.value)
  return null
}

/** The word after an option. Another option is not a value, and a boolean needs none. */
function nextValue(kind: Kind, rest: string[]): string | null {
  const next = rest[0]
  if (kind === 'boolean' && (next === undefined || !['true', 'false', 'null'].includes(next))) return 'true'
  if (next === undefined || next.startsWith('--')) return null
  return rest.shift() ?? null
}

type Read = { value: unknown } | { mistake: string }

function readValue({ kind, is_nullable, choices = [] }: Option, text: string): Read {
  if (is_nullable && text === 'null') return { value: null }
  switch (kind) {
    case 'number':
      return /^-?[0-9]+(\.[0-9]+)?$/.test(text) ? { value: Number(text) } : { mistake: 'takes a number.' }
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : { mistake: 'takes true or false.' }
    case 'json':
      return readJson(text)
    default:
      return choices.length === 0 || text === '' || choices.includes(text) ? { value: text } : { mistake: notAChoice(text, choices) }
  }
}

function notAChoice(text: string, choices: readonly string[]): string {
  const near = nearest(text, choices)
  return choices.length > 8 && near !== null ? `does not take this value. Did you mean ${near}?` : `takes one of ${choices.join(', ')}.`
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { mistake: 'takes JSON.' }
  }
}

/** One empty text stands for an empty list, and `null` for none. */
function appended(list: unknown, value: unknown, text: string): unknown {
  if (value === null) return null
  if (text === '' && list === undefined) return []
  return [...(Array.isArray(list) ? list : []), value]
}

function unknownOption(typed: string, options: readonly Option[]): string {
  const names = [...options.map(({ name }) => name), ...Object.keys(common_options)]
  const near = nearest(
    typed,
    names.map((name) => `--${name}`),
  )
  return `There is no option ${JSON.stringify(typed)}.${near === null ? '' : ` Did you mean ${near}?`}`
}
