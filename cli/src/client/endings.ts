/**
 * Which commands end something, derived from the route table, so that a new route asks by itself:
 *
 *   DELETE …                       deletes, revokes, removes or ends
 *   POST …/rotate-secret           its last word rotates, ends, blocks and so on
 *   PATCH … {"disabled": true}     switches off; so does {"enabled": false}
 *   POST …/users/jobs             each action but `unblock`
 *   POST …/promotions/{id}/apply   only where the plan deletes in Live, and so does its revert
 *
 * The description of the route says what ends. Decision 0162.
 */
import { descriptions } from '@ostiary/contract/descriptions.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import type { Ending } from './confirm.ts'
import type { Connection, Request } from './connection.ts'
import { isList, type Row, rowOf, wordName } from './derive.ts'
import type { RowName } from './names.ts'
import { inScope, isId, type Scope } from './scope.ts'
import { isObject } from './show.ts'

type Json = Readonly<Record<string, unknown>>

const ending_actions = /^(rotate|revoke|end|block|disable|delete|remove|withdraw|disconnect|close|refuse|reset|purge)(-|$)/

/** Every call of the row ends something. */
const alwaysEnds = ({ method, path }: Route): boolean =>
  method === 'DELETE' || (method === 'POST' && ending_actions.test(path.slice(path.lastIndexOf('/') + 1)))

/** A job over users ends something by what it does to them. */
const isEndingJob = (name: RowName, { action }: Json): boolean => name === 'createUserJob' && action !== 'unblock'

const plans: readonly RowName[] = ['applyPromotion', 'revertPromotion']

/** Whether a command has the options of a question: one of its calls can end something. */
export const canEnd = ({ name, route }: Row, fields: readonly { path: readonly string[] }[]): boolean =>
  alwaysEnds(route) ||
  plans.includes(name) ||
  name === 'createUserJob' ||
  (route.method === 'PATCH' && fields.some(({ path }) => /^(disabled|enabled)$/.test(path.join('.'))))

/** The consequences of switching off, until the object is switched on again. */
export const switched_off: { readonly [Name in RowName]?: string } = {
  changeApplication: 'Switches the application off: every request of it is refused, so nobody signs in to it and it gets no tokens.',
  changeProvider:
    'Switches the provider off: its button leaves the sign-in page at once, and people who have no other way to sign in are locked out.',
  changeMetadataClient: 'Switches the client off: it is refused, and everything of it ends, for good.',
  changeOrganization: 'Switches the organization off: nobody acts in it.',
  changeWebhook: 'Switches the webhook off: its deliveries pause.',
}

export interface Call {
  readonly row: Row
  readonly request: Request & { readonly params: Json }
  readonly body: Json
  readonly scope: Scope
  /** `--env` as the caller wrote it. */
  readonly env: string | null
}

/** Returns the ending that a call causes; `null` if it ends nothing. Reads the object for its word. */
export async function endingOf(connection: Connection, call: Call): Promise<Ending | null> {
  const { row, body, scope } = call
  if (plans.includes(row.name)) return endingOfPlan(connection, call)
  const is_switch = row.route.method === 'PATCH' && (body.disabled === true || body.enabled === false)
  if (!is_switch && !alwaysEnds(row.route) && !isEndingJob(row.name, body)) return null
  const [noun, id] = objectOf(row, call.request.params) ?? ['environment', scope.environment_id ?? '']
  const word = row.words.length === 0 ? await slugOfEnvironment(connection, call) : wordOf(await readObject(connection, call), id)
  const place = { test: ' in Test', live: ' in Live' }
  return {
    what: `${is_switch ? (switched_off[row.name] ?? 'It is switched off.') : descriptions[row.name].replaceAll('`', '')}${await hurtBy(connection, call)}`,
    object: `${noun} ${word}${word === id ? '' : ` (${id})`}${scope.environment_type === null ? '' : place[scope.environment_type]}`,
    word,
    is_in_test: scope.environment_type === 'test',
  }
}

const Count = z.object({ count: z.int(), or_more: z.boolean() }).nullable()
const Counts = z.object({ grants: Count, people: Count, locked_out: Count, calls_30_days: z.int().nullable() })

/** Who would be hurt, in Live alone, where the service counts it for such an object and the caller may read it. */
async function hurtBy(connection: Connection, { row, request: { params, ...headers }, scope }: Call): Promise<string> {
  const last = row.words.at(-1)
  const path = row.route.path.slice(0, row.route.path.indexOf(`/{${last}}`))
  const counting = rowAt(({ route }) => route.path === `${path}/{${last}}/impact`)
  if (scope.environment_type === 'test' || row.words.length !== 1 || counting === undefined) return ''
  const names = [...counting.scope, ...counting.words]
  try {
    const read = { ...headers, params: Object.fromEntries(names.map((name) => [name, params[name]])) }
    return ` ${hurtWords(Counts.parse((await connection.call(counting, read)).data))}`
  } catch (error) {
    if (error instanceof OstiaryError && error.status === 403) return '' // the key does not read
    throw error
  }
}

/** The counts in a sentence. */
export function hurtWords({ grants, people, locked_out, calls_30_days }: z.infer<typeof Counts>): string {
  const counted = (count: z.infer<typeof Count>, one: string, many: string): string[] =>
    count === null ? [] : [`${count.count}${count.or_more ? ' or more' : ''} ${count.count === 1 && !count.or_more ? one : many}`]
  const parts = [
    ...counted(locked_out, 'person without another way to sign in', 'people without another way to sign in'),
    ...counted(people, 'person', 'people'),
    ...counted(grants, 'live grant', 'live grants'),
    ...counted(calls_30_days === null ? null : { count: calls_30_days, or_more: false }, 'use in 30 days', 'uses in 30 days'),
  ]
  return `Who would be hurt: ${parts.join(', ')}.`
}

/** The noun and the id of the object, which the last word names. */
function objectOf({ words }: Row, params: Json): [noun: string, id: string] | null {
  const last = words.at(-1)
  return last === undefined ? null : [wordName(last).toLowerCase().replaceAll('-', ' '), String(params[last])]
}

const wordOf = (object: Json, id: string): string =>
  [object.slug, object.email].find((word) => typeof word === 'string' && word !== '')?.toString() ?? id

const Page = z.object({ data: z.array(z.record(z.string(), z.unknown())) })

const largest_page = 100

/** The object, from its own route or its list. Empty where neither shows it to this caller: then its id is the word. */
async function readObject(connection: Connection, { row, request: { params, ...headers } }: Call): Promise<Json> {
  const last = row.words.at(-1)
  const path = row.route.path.slice(0, row.route.path.indexOf(`/{${last}}`))
  const one = rowAt(({ route }) => route.method === 'GET' && route.path === `${path}/{${last}}`)
  const list = rowAt(({ route }) => isList(route) && route.path === path)
  const wanted = one ?? list
  if (wanted === undefined) return {}
  const names = [...wanted.scope, ...wanted.words]
  const read = { ...headers, params: Object.fromEntries(names.map((name) => [name, params[name]])) }
  try {
    if (one) return z.record(z.string(), z.unknown()).parse((await connection.call(one, read)).data)
    const { data } = await connection.call(wanted, { ...read, params: { ...read.params, limit: largest_page } })
    return Page.parse(data).data.find((each) => Object.values(each).includes(params[String(last)])) ?? {}
  } catch (error) {
    if (error instanceof OstiaryError && error.status === 403) return {} // the key does not read
    throw error
  }
}

function rowAt(is: (row: Row) => boolean): Row | undefined {
  const names = Object.keys(routes) as RowName[] // as: the names of the table
  return names.map(rowOf).find(is)
}

/** Returns the slug of the environment, for calls without an object of their own, such as those for the signing key. */
async function slugOfEnvironment(connection: Connection, { scope, env, request: { params: _, ...headers } }: Call): Promise<string> {
  if (env !== null && !isId(env)) return env
  const { project_id, environment_id = '' } = scope
  const row = rowOf('getEnvironment')
  try {
    const { data } = await connection.call(row, { ...headers, params: { project_id, environment_id } })
    return isObject(data) && typeof data.slug === 'string' ? data.slug : environment_id
  } catch (error) {
    if (error instanceof OstiaryError && error.status === 403) return environment_id
    throw error
  }
}

const Plan = z.object({ changes: z.array(z.object({ object: z.string(), slug: z.string().nullable(), action: z.string() })) })
const Target = z.object({ slug: z.string(), type: z.string().nullable() })

/** A stored plan, or its revert, asks where it deletes in Live. */
async function endingOfPlan(connection: Connection, { row, request, body, scope }: Call): Promise<Ending | null> {
  if (body.dry_run === true) return null
  const promotion = rowOf('getPromotion')
  const { data: stored } = await connection.call(promotion, request)
  const environment_id = isObject(stored) ? stored.to_environment_id : ''
  const at = rowOf('getEnvironment')
  const { params, ...headers } = inScope(at, scope)
  const target = Target.parse((await connection.call(at, { ...headers, params: { ...params, environment_id } })).data)
  if (target.type !== 'live') return null
  const planned =
    row.name === 'applyPromotion' ? stored : (await connection.call(row, { ...request, body: { ...body, dry_run: true } })).data
  return endingOfChanges(Plan.parse(planned).changes, target)
}

/** Returns the ending of a plan that deletes in Live; `null` if it deletes nothing, or elsewhere. The word is the environment. */
export function endingOfChanges(
  changes: readonly z.infer<typeof Plan>['changes'][number][],
  target: z.infer<typeof Target>,
): Ending | null {
  const deleted = changes.filter(({ action }) => action === 'delete')
  if (target.type !== 'live' || deleted.length === 0) return null
  const list = deleted.slice(0, most_named).map(({ object, slug }) => `${object.replaceAll('_', ' ')} ${slug ?? ''}`.trim())
  const more = deleted.length > most_named ? ` and ${deleted.length - most_named} more` : ''
  return { what: `This deletes: ${list.join(', ')}${more}.`, object: `environment ${target.slug}`, word: target.slug, is_in_test: false }
}

const most_named = 10
