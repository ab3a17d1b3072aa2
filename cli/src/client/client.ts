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
import { nearest } from '@ostiary/server/base/nearest.ts'
import { questionIn, readWords, type Syntax } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import { helpOfCommand, helpOfNoun, helpOfOwn, nounTable, verbTable } from './client-help.ts'
import type { Io } from './io.ts'
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
  const near = nearest(
    verb,
    verbTable(noun).map(([name]) => name),
  )
  return new UsageError(
    `There is no command ${JSON.stringify(`${noun} ${verb}`)}.${near === null ? '' : ` Did you mean "${noun} ${near}"?`}\n\n${helpOfNoun(noun)}`,
  )
}

/** Reports what the service or the client refuses. */
async function reported(io: Io, words: readonly string[], work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (io.signal.aborted) return interrupted
    if (error instanceof Refused) io.err(`${error.message}\n${error.cause instanceof OstiaryError ? hintOf(error.cause, words) : ''}`)
    else if (error instanceof OstiaryError) io.err(problemText(error) + hintOf(error, words))
    else throw error
    return 1
  }
}

function problemText({ code, detail, errors: fields, required_scopes }: OstiaryError): string {
  const title = Object.entries(errors).find(([name]) => name === code)?.[1].title ?? 'The call failed'
  const lines = fields.map((field) => `  ${field.pointer}: ${field.detail}`)
  const scopes = required_scopes.length === 0 ? [] : [`  needed: ${required_scopes.join(', ')}`]
  return [`${title} (${code}): ${detail}`, ...lines, ...scopes].map((line) => `${visible(line)}\n`).join('')
}

/** How to read why the service refused the call. Refused calls of an environment are found there, others at their tenant. */
function hintOf({ request_id }: OstiaryError, [noun = '', ...args]: readonly string[]): string {
  if (request_id === null) return ''
  const rows = tableCommands().flatMap((command) => (command.noun === noun ? command.rows : []))
  const is_in_environment = rows.some(({ scope, route }) => scope.includes('environment_id') || route.credential.kind === 'secret')
  const scope = ['tenant', ...(is_in_environment ? ['project', 'env'] : [])].flatMap((name) => {
    const at = args.indexOf(`--${name}`)
    const value = at === -1 ? args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) : args[at + 1]
    return value === undefined ? [] : [`--${name} ${value}`]
  })
  const call = ['ostiary', is_in_environment ? 'requests' : 'tenant-requests', 'get', request_id, ...scope].join(' ')
  return `Request ${visible(request_id)}. More: ${visible(call)}\n`
}
