/** A promotion in words: what it is, what it does, and why a step cannot be taken now. Pure functions. */
import type { Environment, MadeSecret, PlannedChange, Promotion, PromotionCheck, PromotionInList } from '@ostiary/sdk'
import { objects } from '../../generated/objects.ts'
import { fieldAt, type Subject } from '../compare/fields.ts'
import { subjectOf } from '../compare/values.ts'

interface Status {
  word: string
  icon: 'check' | 'back' | 'warn' | 'clock'
  tone: '' | 'ok' | 'warn' | 'acc'
}

type Head = Pick<Promotion, 'status' | 'stale' | 'approval'>

export function statusOf({ status, stale, approval }: Head): Status {
  if (status === 'applied') return { word: 'Applied', icon: 'check', tone: 'ok' }
  if (status === 'reverted') return { word: 'Reverted', icon: 'back', tone: '' }
  if (stale) return { word: 'Out of date', icon: 'warn', tone: 'warn' }
  if (approval.required && approval.approved_at === null) return { word: 'Waits for approval', icon: 'clock', tone: 'warn' }
  return { word: 'Planned', icon: 'clock', tone: 'acc' }
}

export const inPlural = (count: number, one: string, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** `2 to create, 1 to change`. After the apply: `2 created, 1 changed`. */
export function summaryWords({ create, update, delete: deleted }: PromotionInList['summary'], status: Promotion['status']): string {
  const done = status !== 'planned'
  const parts = [
    [create, done ? 'created' : 'to create'],
    [update, done ? 'changed' : 'to change'],
    [deleted, done ? 'deleted' : 'to delete'],
  ] as const
  const words = parts.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString('en')} ${what}`)
  return words.length === 0 ? 'No change' : words.join(', ')
}

export const summaryOf = ({ changes, checks }: Pick<Promotion, 'changes' | 'checks'>): PromotionInList['summary'] => {
  const of = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length
  const at = (level: PromotionCheck['level']) => checks.filter((check) => check.level === level).length
  return { create: of('create'), update: of('update'), delete: of('delete'), errors: at('error'), warnings: at('warning') }
}

export interface Place {
  object: Subject
  slug: string | null
  pointer?: string | null | undefined
}

export const keyOf = ({ object, slug, pointer }: Place) => `${object}/${slug ?? ''}${pointer ?? ''}`

/** `Shop: Redirect URIs`. `names` has what people call the objects. */
export function placeWords({ object, slug, pointer }: Place, names: (object: Subject, slug: string) => string): string {
  const label = pointer ? fieldAt(object, pointer).label : null
  if (object === 'settings' || slug === null) return label ?? 'Settings'
  return label === null ? names(object, slug) : `${names(object, slug)}: ${label}`
}

/** Who did something: the address of a person or the label of a key, else the id. */
export const whoWords = (actor: Promotion['created_by']): string => actor?.label ?? actor?.id ?? ''

/** Names in a sentence, of very many the first ones. */
export function listed(names: readonly string[], most = 20): string {
  const first = names.slice(0, most).join(', ')
  return names.length > most ? `${first} and ${(names.length - most).toLocaleString('en')} more` : first
}

export const kindWords = (object: Subject) => (object === 'settings' ? 'Settings' : objects[object].one)

/** The objects to which a step gives a new secret. */
export const madeIn = (checks: readonly PromotionCheck[]): Place[] => [
  ...new Map(
    checks
      .filter(({ code }) => code === 'secret_made')
      .map(({ object, slug }) => ({ object, slug }))
      .map((place) => [keyOf(place), place] as const),
  ).values(),
]

/** Whose new secrets nobody has: the client repeats a call whose answer was lost, and the repeated answer has `null` for them. */
export const lostIn = (secrets: readonly MadeSecret[] | null, checks: readonly PromotionCheck[]): Place[] =>
  secrets === null ? madeIn(checks) : []

/** The errors that a value of the target solves: it is missing, or it is not accepted. */
export const isAboutValue = ({ level, object, pointer }: PromotionCheck): boolean =>
  level === 'error' && pointer !== null && fieldAt(object, pointer).class === 'owned'

export interface Standing {
  promotion: Promotion
  target: Environment
  /** Whether the person has this role at least. */
  can: (role: 'developer' | 'admin') => boolean
  /** The places of edits in the target whose replacement is not confirmed. */
  unconfirmed: number
  /** Secrets that are neither stored nor entered. */
  missing_secrets: number
}

const needsAdmin = (target: Pick<Environment, 'type'>) => (target.type === 'live' ? 'admin' : 'developer')

/** Why a promotion cannot be applied now; `null` where it can. */
export function whyNotApply({ promotion, target, can, unconfirmed, missing_secrets }: Standing): string | null {
  const { checks, approval, stale } = promotion
  const role = needsAdmin(target)
  const errors = checks.filter(({ level }) => level === 'error')
  const values = errors.filter(({ code }) => code === 'value_required').length
  const others = errors.length - values
  if (stale) return 'The plan is out of date'
  if (values > 0) return `${inPlural(values, 'value is', 'values are')} missing`
  if (others > 0) return `${inPlural(others, 'error is', 'errors are')} to be solved`
  if (!can(role)) return `Needs the role ${role}`
  if (approval.required && approval.approved_at === null) return 'Needs another administrator'
  if (missing_secrets > 0) return `${inPlural(missing_secrets, 'secret is', 'secrets are')} missing`
  if (unconfirmed > 0) return `${inPlural(unconfirmed, 'change')} made in ${target.name} would be replaced: tick each, or leave it out`
  return null
}

/** Why this person cannot approve it now; `null` where they can. */
export function whyNotApprove({ promotion, can }: Pick<Standing, 'promotion' | 'can'>, person: string): string | null {
  if (promotion.stale) return 'The plan is out of date'
  if (promotion.checks.some(({ level }) => level === 'error')) return 'The plan has errors'
  if (promotion.created_by?.id === person) return 'You planned this. Needs another administrator'
  return can('admin') ? null : 'Needs the role admin'
}

/** Why it cannot be reverted now; `null` where it can. */
export function whyNotRevert({ promotion, target, can }: Pick<Standing, 'promotion' | 'target' | 'can'>): string | null {
  if (!promotion.revertible) return 'It deleted objects, which cannot come back'
  const role = needsAdmin(target)
  return can(role) ? null : `Needs the role ${role}`
}

export interface ConflictPlace {
  object: Subject
  slug: string | null
  pointer: string | null
}

/** `/applications/shop/name`, `/settings/password/min_length`, `/applications/shop`. */
export function conflictPlace(path: string): ConflictPlace | null {
  const [section = '', ...rest] = path.slice(1).split('/')
  const object = subjectOf(section)
  if (object === undefined) return null
  if (object === 'settings') return { object, slug: null, pointer: `/${rest.join('/')}` }
  const [slug = '', ...names] = rest
  return { object, slug, pointer: names.length === 0 ? null : `/${names.join('/')}` }
}

/** Which of both ends has changed since the plan: `Live has changed since this plan`. */
export function movedWords(
  { from_config_version, to_config_version }: Pick<Promotion, 'from_config_version' | 'to_config_version'>,
  [source, target]: readonly [source: Environment | null, target: Environment],
): string {
  const moved = [
    ...(source && source.config_version !== from_config_version ? [source.name] : []),
    ...(target.config_version !== to_config_version ? [target.name] : []),
  ]
  return `${moved.join(' and ') || 'An environment'} ${moved.length === 2 ? 'have' : 'has'} changed since this plan`
}

/** The plan with which a planned one is compared: one to the same target, made before it. Ids are in the order of their time. */
export function comparedWith(plan: Promotion, other: Promotion | undefined): Promotion | undefined {
  if (!other || plan.id === null || other.id === null || plan.status !== 'planned') return undefined
  return other.to_environment_id === plan.to_environment_id && other.id < plan.id ? other : undefined
}

/** The changes of a plan that an earlier one did not have, as places. */
export function newIn(plan: Pick<Promotion, 'changes'>, earlier: Pick<Promotion, 'changes'>): ReadonlySet<string> {
  const before = new Map(earlier.changes.flatMap(entriesOf))
  return new Set(plan.changes.flatMap(entriesOf).flatMap(([place, values]) => (before.get(place) === values ? [] : [place])))
}

/** Returns the places that an earlier plan changed and this one does not. */
export function goneFrom(plan: Pick<Promotion, 'changes'>, earlier: Pick<Promotion, 'changes'>): Place[] {
  const now = new Set(plan.changes.flatMap(entriesOf).map(([place]) => place))
  return earlier.changes.flatMap(placesOf).filter((place) => !now.has(keyOf(place)))
}

/** Returns the places that a plan changes: fields, and created or deleted objects as a whole. */
export const placesOf = ({ object, slug, action, fields }: PlannedChange): Place[] =>
  action === 'update' ? fields.map(({ pointer }) => ({ object, slug, pointer })) : [{ object, slug }]

const entriesOf = ({ object, slug, action, fields }: PlannedChange): (readonly [place: string, values: string])[] =>
  action === 'update'
    ? fields.map(({ pointer, from, to }) => [keyOf({ object, slug, pointer }), JSON.stringify([from, to])] as const)
    : [[keyOf({ object, slug }), JSON.stringify([action, fields])]]
