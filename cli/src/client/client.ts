/**
 * The client of the command line: commands that call a running service as an administrator or with a key. `main.ts` loads it for the
 * names that are not commands of the service itself.
 *
 *   derive.ts  names.ts      the commands, from the route table
 *   fields.ts                their options, from the schemas of the rows; command-options.ts orders them
 *   connection.ts            the credential: a key, or the sign-in of a profile
 *   session.ts  sign-in.ts   sign-ins; profiles.ts keeps them
 *   scope.ts                 slugs and emails become ids
 *   run-command.ts           one command; lost-secret.ts if its answer was lost
 *   own-commands.ts          the commands that no route makes
 *   configuration/           the configuration of an environment as a file: YAML with places, pull, diff, apply and promote
 */
import { errors } from '@ostiary/contract/errors.ts'
import { OstiaryError } from '@ostiary/sdk'
import { optionOfPointer, questionIn, readWords, type Syntax } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import { helpOfCommand, helpOfNoun, helpOfOwn, nounTable, verbTable } from './client-help.ts'
import { allOptions, optionsOf } from './command-options.ts'
import { type ClientCommand, isList, listCommand } from './derive.ts'
import type { Io } from './io.ts'
import { meantWords, nearNames } from './near.ts'
import { type OwnCommand, ownCommands, tableCommands } from './own-commands.ts'
import { Refused } from './refused.ts'
import { runCommand } from './run-command.ts'
import { visible } from './show.ts'

/** The first words that the client knows. */
export const clientNames = () => [
  ...new Set([...ownCommands().map(({ name }) => name.split(' ')[0] ?? ''), ...nounTable().map(([noun]) => noun)]),
]

const interrupted = 130 // 128 + SIGINT, as shells report it

/** Runs a command and returns its exit code. @throws UsageError */
export async function runClient(io: Io, [first = '', ...rest]: readonly string[]): Promise<number> {
  const single = ownCommands().find(({ name }) => name === first)
  if (single !== undefined) {
    if (questionIn(rest) === 'help') return print(io, helpOfOwn(single))
    return reported(io, [single.noun ?? first, ...rest], () => single.run(io, readWords(syntaxOf(single), rest)))
  }
  const [verb = '', ...args] = rest
  if (['', '--help', '-h', 'help'].includes(verb)) {
    if (verb === '') throw new UsageError(helpOfNoun(first))
    return print(io, helpOfNoun(first))
  }
  const own = ownCommands().find(({ name }) => name === `${first} ${verb}`)
  const command = tableCommands().find((each) => each.noun === first && each.verb === verb)
  if (own === undefined && command === undefined) throw unknownVerb(first, verb)
  if (questionIn(args) === 'help') return print(io, own ? helpOfOwn(own) : command ? helpOfCommand(command) : '')
  if (own) return reported(io, [first, ...rest], () => own.run(io, readWords(syntaxOf(own), args)))
  return reported(io, [first, ...rest], () => (command ? runCommand(io, command, args) : Promise.resolve(1)))
}

const syntaxOf = ({ name, options, words }: OwnCommand): Syntax => ({ call: name, options, words })

function print(io: Io, text: string): number {
  io.out(text)
  return 0
}

function unknownVerb(noun: string, verb: string): UsageError {
  const near = nearNames(
    verb,
    verbTable(noun).map(([name]) => name),
  )
  const meant = meantWords(near.map((name) => `${noun} ${name}`))
  return new UsageError(`There is no command ${JSON.stringify(visible(`${noun} ${verb}`))}.${meant}\n\n${helpOfNoun(noun)}`)
}

/** Returns candidates for an unknown first word: a noun or a command near it, or a verb that was written first or without its noun. */
export function nearCommands(name: string, [next = '']: readonly string[], known: readonly string[]): string[] {
  const near = nearNames(name, known)
  const with_verb = nounTable()
    .flatMap(([noun]) => verbTable(noun).map(([verb]) => [noun, verb] as const))
    .filter(([, verb]) => verb === name)
  const nouns = nearNames(
    next,
    with_verb.map(([noun]) => noun),
  )
  if (nouns.length > 0) return nouns.map((noun) => `${noun} ${name}`)
  return near.length > 0 || with_verb.length > most_verbs ? near : with_verb.map((words) => words.join(' '))
}

/** More nouns than this have verbs such as `list`, of which none is meant more than the others. */
const most_verbs = 3

/** Reports what the service or the client refuses. */
async function reported(io: Io, words: readonly string[], work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (io.signal.aborted) return interrupted
    if (error instanceof Refused) io.err(`${error.message}\n${error.cause instanceof OstiaryError ? hintOf(error.cause, words) : ''}`)
    else if (error instanceof OstiaryError) io.err(problemText(error, words) + hintOf(error, words))
    else throw error
    return 1
  }
}

function problemText({ code, detail, errors: fields, required_scopes }: OstiaryError, words: readonly string[]): string {
  const title = Object.entries(errors).find(([name]) => name === code)?.[1].title ?? 'The call failed'
  const lines = fields.map((field) => `  ${fieldName(field.pointer, words)}: ${field.detail}`)
  const scopes = required_scopes.length === 0 ? [] : [`  needed: ${required_scopes.join(', ')}`]
  // The service names the first field within its sentence, too, by its pointer.
  const said = fields.reduce((text, { pointer }) => text.replace(` (at ${pointer})`, ''), detail)
  return [`${title} (${code}): ${said}`, ...lines, ...scopes].map((line) => `${visible(line)}\n`).join('')
}

/** A field by its option, and by its pointer where the body was written as JSON. */
function fieldName(pointer: string, words: readonly string[]): string {
  const command = commandOf(words)
  const name = optionOfPointer(pointer)
  const option = command && allOptions(optionsOf(command)).find((each) => each.name === name)
  if (!option) return pointer
  const is_json = words.some((word) => word === '--data' || word.startsWith('--data='))
  const index = option.is_list ? /\/(\d+)$/.exec(pointer)?.[1] : undefined
  return `--${option.name}${index === undefined ? '' : `, value ${Number(index) + 1}`}${is_json ? ` (${pointer} in --data)` : ''}`
}

const commandOf = ([noun, verb]: readonly string[]): ClientCommand | undefined =>
  tableCommands().find((command) => command.noun === noun && command.verb === verb)

/** The commands that list what there is, where an object or its scope was not found. */
function listsOf([noun = '', verb = '', ...args]: readonly string[]): string {
  const command = commandOf([noun, verb])
  if (command === undefined) return ''
  const options = scopeOptions(['--tenant', '--project', '--env'], args)
  const given = (name: string, prefix: string) => options.some((word, index) => word.startsWith(prefix) && options[index - 1] === name)
  const lists = [
    ...(given('--project', 'prj_') ? [tableCommands().find((each) => each.noun === 'projects' && each.verb === 'list')] : []),
    ...(given('--env', 'env_') ? [tableCommands().find((each) => each.noun === 'environments' && each.verb === 'list')] : []),
    ...(command.rows[0].words.length > 0 ? [tableCommands().find((each) => each.noun === noun && isList(each.rows[0].route))] : []),
  ].flatMap((each) => (each === undefined ? [] : [`"ostiary ${visible(listCommand(each.rows[0], options))}"`]))
  return lists.length === 0 ? '' : `To see what there is: ${lists.join(', ')}.\n`
}

/** The options of the scope with their values, as the caller wrote them. */
const scopeOptions = (names: readonly string[], args: readonly string[]): string[] =>
  names.flatMap((name) => {
    const at = args.indexOf(name)
    const value = at === -1 ? args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) : args[at + 1]
    return value === undefined ? [] : [name, value]
  })

/** How to read why the service refused the call. Refused calls of an environment are found there, others at their tenant. */
function hintOf({ request_id, code }: OstiaryError, [noun = '', ...args]: readonly string[]): string {
  const lists = code === 'not_found' ? listsOf([noun, ...args]) : ''
  if (request_id === null) return lists
  const rows = tableCommands().flatMap((command) => (command.noun === noun ? command.rows : []))
  const is_in_environment = rows.some(({ scope, route }) => scope.includes('environment_id') || route.credential.kind === 'secret')
  const scope = scopeOptions(['--tenant', ...(is_in_environment ? ['--project', '--env'] : [])], args)
  const call = ['ostiary', is_in_environment ? 'requests' : 'tenant-requests', 'get', request_id, ...scope].join(' ')
  return `${lists}Request ${visible(request_id)}. More: ${visible(call)}\n`
}
