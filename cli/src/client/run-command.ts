/** Runs a command that is made from the route table: finds its objects, sends its call and prints the answer. */
import { z } from 'zod'
import { readWords, type Written, wrongArguments } from '../arguments.ts'
import { readBody } from './body.ts'
import { allOptions, naturalKeyOf, optionsOf } from './command-options.ts'
import { confirm } from './confirm.ts'
import { type CallerKind, type Connection, connect, type Request } from './connection.ts'
import { createIfAbsent } from './create-if-absent.ts'
import { type ClientCommand, isList, type Row, wordName } from './derive.ts'
import { endingOf } from './endings.ts'
import type { Io } from './io.ts'
import { lostSecret } from './lost-secret.ts'
import { reads } from './names.ts'
import { Refused } from './refused.ts'
import { inScope, isId, objectId, resolveScope, type Scope } from './scope.ts'
import { isObject, jsonLine, listText, objectText, visible } from './show.ts'

const callOf = ({ noun, verb }: ClientCommand) => `${noun} ${verb}`

export async function runCommand(io: Io, command: ClientCommand, args: readonly string[]): Promise<number> {
  const options = optionsOf(command)
  const call = callOf(command)
  const written = readWords({ call, options: allOptions(options), words: command.rows[0].words.map(wordName) }, args)
  const connection = connect(io, textOf(written, 'profile'))
  const row = rowFor(command, connection.kind)
  const body = await readBody(io, { fields: options.fields, is_large: row.route.large_member !== undefined }, written.values)
  if ('mistakes' in body) throw wrongArguments(call, body.mistakes)

  const scope = await scopeFor(connection, row, written)
  const request: Request = { ...inScope(row, scope), origin: textOf(written, 'origin') ?? undefined }
  const params: Record<string, unknown> = { ...request.params }
  for (const [index, name] of row.words.entries())
    params[name] = await objectId(connection, row, { parameter: name, word: written.words[index] ?? '' }, scope)
  const known_filters = Object.keys(row.route.query?.shape ?? {})
  for (const { option, path } of options.filters) {
    const [name = ''] = path
    if (!written.values.has(option)) continue
    if (!known_filters.includes(name)) throw wrongArguments(call, [`--${option} does not work with this credential.`])
    params[name] = written.values.get(option)
  }

  const is_json = written.values.has('json')
  if (isList(row.route)) return printList(io, await readList(connection, row, { ...request, params }, howMany(call, written)), is_json)
  if (written.values.has('if-absent')) {
    const natural_key = naturalKeyOf(row)
    if (natural_key === null || typeof body.body[natural_key] !== 'string')
      throw wrongArguments(call, [`--if-absent needs --${natural_key}, by which it finds the object.`])
    const { answer, exit_code } = await createIfAbsent(io, connection, row, { natural_key, body: body.body, request, scope })
    return printAnswer(io, row, answer, written) || exit_code
  }
  const sent = { ...request, params }
  const ending = await endingOf(connection, { row, request: sent, body: body.body, scope, env: textOf(written, 'env') })
  // Standard input can be the body, and then nobody answers there.
  const asked = { ...io, is_interactive: io.is_interactive && written.values.get('data') !== '-' }
  if (ending !== null) await confirm(asked, ending, { word: textOf(written, 'confirm'), yes: written.values.has('yes') })
  const answer = await connection.call(row, { ...sent, ...(row.route.body ? { body: body.body } : {}) })
  const exit_code = printAnswer(io, row, answer, written)
  if (row.name === 'createApplication' && !is_json)
    await (await import('./templates.ts')).printSetup(io, connection, answer.data, body.body.url)
  return exit_code
}

export const textOf = ({ values }: Written, name: string): string | null => {
  const value = values.get(name)
  return typeof value === 'string' ? value : null
}

/** Options as the caller wrote them, for a command that goes on. */
export const writtenOptions = (written: Written, option_names: readonly string[]): string[] =>
  option_names.flatMap((name) => {
    const value = textOf(written, name)
    return value === null ? [] : [`--${name}`, value]
  })

const names: Readonly<Record<CallerKind, string>> = {
  platform: 'a platform key',
  secret: 'a secret key of an environment',
  publishable: 'a publishable key of an environment',
  administrator: 'the sign-in of an administrator',
}

/** The row of a command that accepts the credential of the caller. */
export function rowFor({ rows }: ClientCommand, kind: CallerKind): Row {
  const row = rows.find((each) => acceptedBy(each).includes(kind))
  if (row !== undefined) return row
  const wanted = [...new Set(rows.flatMap(acceptedBy))].map((each) => names[each]).join(' or ')
  const how = kind === 'administrator' ? 'Set OSTIARY_KEY.' : 'Unset OSTIARY_KEY and run "ostiary login", or set another key.'
  throw new Refused(`This command needs ${wanted}, and this is ${names[kind]}. ${how}`)
}

function acceptedBy({ route: { credential } }: Row): CallerKind[] {
  switch (credential.kind) {
    case 'platform':
      return ['platform', 'administrator']
    case 'secret':
      return credential.role === null ? ['secret'] : ['secret', 'administrator']
    case 'publishable':
      return ['publishable']
    case 'any_key':
      return ['platform', 'secret', 'publishable']
    default:
      return ['administrator']
  }
}

/** The scope of a call. A change in Live needs `--env` on the command line, so that no default reaches real users. */
export async function scopeFor(connection: Connection, row: Row, written: Written): Promise<Scope> {
  const env = textOf(written, 'env')
  const { key_environment } = connection
  if (key_environment !== null && env !== null && env !== key_environment)
    throw new Refused(`The key belongs to ${key_environment === 'live' ? 'Live' : 'Test'}, and --env says ${JSON.stringify(visible(env))}.`)
  const { words } = written
  const scope = await resolveScope(connection, row, { tenant: textOf(written, 'tenant'), project: textOf(written, 'project'), env, words })
  const changes = row.route.method !== 'GET' && !reads.includes(row.name)
  if (changes) refuseDefaultsInLive(connection, scope, written)
  return scope
}

/** A change in Live has its environment, and a project beside it, on the command line: no default reaches real users. */
export function refuseDefaultsInLive({ defaults }: Connection, scope: Scope, written: Written): void {
  if (scope.environment_type !== 'live') return
  const env = textOf(written, 'env')
  if (env === null) throw new Refused('This changes something in Live. Write --env live to do it.')
  if (textOf(written, 'project') === null && defaults.project !== null && !isId(env))
    throw new Refused(
      `This changes something in Live, where the project of the profile does not serve. Write --project ${visible(defaults.project)} to do it.`,
    )
}

const default_limit = 20

function howMany(call: string, { values }: Written): number {
  const limit = values.get('limit') ?? default_limit
  if (values.has('all') && values.has('limit')) throw wrongArguments(call, ['--all and --limit exclude each other.'])
  if (values.has('all')) return Number.POSITIVE_INFINITY
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) throw wrongArguments(call, ['--limit takes a number from 1.'])
  return limit
}

const Page = z.object({ data: z.array(z.record(z.string(), z.unknown())), has_more: z.boolean(), next_cursor: z.string().nullable() })
export type Page = z.infer<typeof Page>

const largest_page = 100

/** Reads pages until there are as many objects as the caller wants. */
export async function readList(connection: Connection, row: Row, request: Request, count: number): Promise<Page> {
  const all: Page = { data: [], has_more: true, next_cursor: null }
  let cursor = request.params?.cursor
  while (all.has_more && all.data.length < count) {
    const limit = Math.min(largest_page, count - all.data.length)
    const page = Page.parse((await connection.call(row, { ...request, params: { ...request.params, limit, cursor } })).data)
    all.data.push(...page.data)
    all.has_more = page.has_more && page.next_cursor !== null
    all.next_cursor = page.next_cursor
    cursor = page.next_cursor
  }
  return all
}

function printList(io: Io, page: Page, is_json: boolean): number {
  io.out(is_json ? jsonLine(page) : listText(page.data))
  if (page.has_more && !is_json) io.err('There are more: --limit N or --all shows them.\n')
  return 0
}

/** Prints an answer and returns the exit code: 1 if the answer lacks a secret that no later one has. */
function printAnswer(io: Io, row: Row, answer: { data: unknown; replayed: boolean }, written: Written): number {
  printObject(io, row, answer.data, written.values.has('json'))
  const lost = lostSecret(row, answer, writtenOptions(written, ['tenant', 'project', 'env', 'profile']))
  if (lost === null) return 0
  io.err(lost)
  return 1
}

/** Prints the object of an answer. A deletion has none. */
function printObject(io: Io, { route }: Row, object: unknown, is_json: boolean): void {
  if (!isObject(object)) {
    if (!is_json) io.err('Done.\n')
    return
  }
  const { data, ...others } = object
  if (is_json) io.out(jsonLine(object))
  else if (Array.isArray(data) && data.every(isObject)) io.out(listText(data) + objectText(others))
  else io.out(objectText(object))
  const secret = route.shown_once
  if (secret !== undefined && typeof object[secret] === 'string' && !is_json)
    io.err(`The ${secret.replaceAll('_', ' ')} is shown once. Keep it now.\n`)
}
