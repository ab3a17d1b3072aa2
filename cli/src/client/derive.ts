/**
 * The commands of the client, derived from the route table: `ostiary NOUN VERB`. A new row is a new command.
 *
 *   GET    …/applications                            applications list
 *   POST   …/applications                            applications create
 *   GET    …/applications/{application_id}           applications get APPLICATION
 *   PATCH  …/applications/{application_id}           applications update APPLICATION
 *   DELETE …/applications/{application_id}           applications delete APPLICATION
 *   POST   …/applications/{application_id}/disable   applications disable APPLICATION
 *   GET    …/webhooks/{webhook_id}/deliveries        deliveries list WEBHOOK
 *   GET    …/settings                                settings get
 *
 * The tenant, the project and the environment before that come from options. The names of `names.ts` take precedence.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { z } from 'zod'
import { called_by, commands_of_rows, nouns, type RowName } from './names.ts'

/** A row of the route table, and where the parameters of its path come from. */
export interface Row {
  readonly name: RowName
  readonly route: Route
  /** From options or the profile. */
  readonly scope: readonly ScopeParameter[]
  /** From words of the command line, in this order. */
  readonly words: readonly string[]
}

export interface ClientCommand {
  readonly noun: string
  readonly verb: string
  /** Several rows differ in their credential: the first that takes the caller's is called. */
  readonly rows: readonly [Row, ...Row[]]
}

export type ScopeParameter = 'tenant_id' | 'project_id' | 'environment_id'

const scopes: Readonly<Record<string, ScopeParameter>> = {
  tenants: 'tenant_id',
  projects: 'project_id',
  environments: 'environment_id',
}

const table = Object.entries<Route>(routes) as [RowName, Route][] // as: the names of the table

/** All commands that are made from the route table, in its order. */
export function clientCommands(): ClientCommand[] {
  const commands = new Map<string, ClientCommand>()
  for (const [name, route] of table) {
    if (called_by[name] !== undefined) continue
    const { noun, verb, row } = commandOf(name, route)
    const known = commands.get(`${noun} ${verb}`)
    commands.set(`${noun} ${verb}`, { noun, verb, rows: known ? [...known.rows, row] : [row] })
  }
  return [...commands.values()]
}

function commandOf(name: RowName, route: Route): { noun: string; verb: string; row: Row } {
  const { scope, segments } = withoutScope(route.path)
  const words = segments.filter(isParameter).map((segment) => segment.slice(1, -1))
  const [noun, verb] = commands_of_rows[name] ?? nounAndVerb(route, segments)
  return { noun: nouns[noun] ?? noun, verb, row: { name, route, scope, words } }
}

/** The segments that name the object of a route, without its tenant, project and environment. */
function withoutScope(path: string): { scope: ScopeParameter[]; segments: string[] } {
  const segments = path.split('/').slice(2) // without `/v1`
  if (segments[0] === 'platform' || segments[0] === 'auth') segments.shift()
  const scope: ScopeParameter[] = []
  for (;;) {
    const parameter = scopes[segments[0] ?? '']
    if (parameter === undefined || segments[1] !== `{${parameter}}` || segments.length === 2) return { scope, segments }
    scope.push(parameter)
    segments.splice(0, 2)
  }
}

const by_method = { GET: 'get', POST: 'create', PATCH: 'update', DELETE: 'delete' } as const

function nounAndVerb(route: Route, segments: readonly string[]): [noun: string, verb: string] {
  const last = segments.at(-1) ?? ''
  const literals = segments.filter((segment) => !isParameter(segment))
  if (isParameter(last)) return [literals.at(-1) ?? '', by_method[route.method]]
  if (isList(route)) return [last, 'list']
  if (segments.length === 1 || (route.method === 'POST' && route.returns[0] === 201)) return [last, by_method[route.method]]
  // The words after the object are an action: `rotate-secret` of `applications/{application_id}/rotate-secret`.
  const end = segments.findLastIndex(isParameter)
  const noun = end === -1 ? literals[0] : segments[end - 1]
  const action = segments.slice(end === -1 ? 1 : end + 1).join('-')
  return [noun ?? '', route.method === 'GET' || route.method === 'POST' ? action : `${by_method[route.method]}-${action}`]
}

const isParameter = (segment: string) => segment.startsWith('{')

/** Whether a row answers a page of a list. */
export function isList({ method, returns: [, answer] }: Route): boolean {
  return method === 'GET' && answer instanceof z.ZodObject && 'next_cursor' in answer.shape
}

/** The row that lists the objects of a path parameter, where they can also be found by a name that people know. */
export function listedBy(row: Row, parameter: string): { row: Row; natural_key: 'slug' | 'email' } | null {
  const path = row.route.path.slice(0, row.route.path.indexOf(`/{${parameter}}`))
  return naturalList(path)
}

/** The list at a path, if it can be searched by slug or email. */
export function naturalList(path: string): { row: Row; natural_key: 'slug' | 'email' } | null {
  const found = table.find(([, route]) => route.path === path && isList(route))
  if (!found) return null
  const [name, route] = found
  const natural_key = route.query?.shape.slug ? 'slug' : route.query?.shape.email ? 'email' : null
  return natural_key && { row: commandOf(name, route).row, natural_key }
}

/** The command that lists the objects of a row, with the options of its scope. A path parameter is named as in help. */
export function listCommand(list: Row, options: readonly string[]): string {
  const { noun, verb } = commandOf(list.name, list.route)
  const taken = options.filter((_, index) => isTaken(list, options[index - (index % 2)] ?? ''))
  return [noun, verb, ...list.words.map(wordName), ...taken].join(' ')
}

function isTaken({ scope, route }: Row, option: string): boolean {
  if (option === '--tenant') return true
  const is_in_environment = route.credential.kind === 'secret' || scope.includes('environment_id')
  return is_in_environment || (option === '--project' && scope.includes('project_id'))
}

/** A row by its name. */
export const rowOf = (name: RowName): Row => commandOf(name, routes[name]).row

/** The name of a word in help: `APPLICATION` of `application_id`. */
export const wordName = (parameter: string) => parameter.replace(/_id$/, '').replaceAll('_', '-').toUpperCase()
