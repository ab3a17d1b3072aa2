/** Reads the words after `ostiary NOUN VERB`. An option or a word that the command does not have is refused by its name. */
import { nearest } from '@ostiary/server/base/nearest.ts'
import { UsageError } from '../usage.ts'
import type { Kind } from './fields.ts'

export interface ClientOption {
  /** Without the dashes. */
  readonly name: string
  /** `switch` has no value; the others are kinds of fields. */
  readonly kind: Kind | 'switch'
  readonly is_list?: boolean
  readonly is_nullable?: boolean
  readonly choices?: readonly string[]
  /** The name of the value in help. */
  readonly value?: string
  readonly help: string
}

/** What the caller wrote. A list has one value for each time, a switch is `true`. */
export interface Written {
  readonly words: readonly string[]
  readonly values: ReadonlyMap<string, unknown>
}

/** @throws UsageError with all mistakes */
export function readOptions(call: string, options: readonly ClientOption[], words: readonly string[], args: readonly string[]): Written {
  const values = new Map<string, unknown>()
  const positional: string[] = []
  const mistakes: string[] = []
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') positional.push(...rest.splice(0))
    else if (!arg.startsWith('-') || arg === '-') positional.push(arg)
    else {
      const mistake = readOption(arg, rest, options, values)
      if (mistake !== null) mistakes.push(mistake)
    }
  }
  for (const word of positional.slice(words.length)) mistakes.push(`${JSON.stringify(word)} is not expected here.`)
  for (const [index, word] of words.entries()) if (!positional[index]) mistakes.push(`${word} is missing.`)
  if (mistakes.length > 0) throw wrongCall(call, mistakes)
  return { words: positional, values }
}

/** The mistakes, and where to read on. */
export function wrongCall(call: string, mistakes: readonly string[]): UsageError {
  return new UsageError(`${mistakes.join('\n')}\n\n"ostiary ${call} --help" shows how to call it.`)
}

/** Reads one option, and its value from the words after it. Returns a mistake, or `null`. */
function readOption(arg: string, rest: string[], options: readonly ClientOption[], values: Map<string, unknown>): string | null {
  const at = arg.indexOf('=')
  const typed = at === -1 ? arg : arg.slice(0, at)
  const option = typed.startsWith('--') ? options.find(({ name }) => name === typed.slice(2)) : undefined
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
  if (text === null) return `--${name} needs a value${option.help === '' ? '.' : `: ${option.help}`}`
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

function readValue({ kind, is_nullable, choices = [] }: ClientOption, text: string): Read {
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

function unknownOption(typed: string, options: readonly ClientOption[]): string {
  const near = nearest(
    typed,
    options.map(({ name }) => `--${name}`),
  )
  return `There is no option ${JSON.stringify(typed)} here.${near === null ? '' : ` Did you mean ${near}?`}`
}
