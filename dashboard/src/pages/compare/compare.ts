/**
 * Test and Live side by side. The service compares: the fields that travel and differ, and their errors, come from the dry run of a
 * promotion. The values are those of both documents. Pure functions of what the API answers.
 */
import type { EnvironmentConfiguration, Kept, Planned, Promotion, PromotionCheck, PromotionCheckCode } from '@ostiary/sdk'
import { objects } from '../../generated/objects.ts'
import {
  type Field,
  fieldAt,
  fieldsOf,
  inWords,
  kinds,
  type ObjectKind,
  of_one_type,
  pages,
  type Subject,
  settingsGroups,
} from './fields.ts'
import { type Fields, isSet, nameOf, objectsOf, shown, valueAt } from './values.ts'

export type Plan = Pick<Promotion, 'changes' | 'checks' | 'left_alone'>

export interface Compared {
  test: EnvironmentConfiguration
  live: EnvironmentConfiguration
  /** The dry run from Test to Live; `null` for a viewer, who cannot plan. Then differences are those of the values as shown. */
  plan: Plan | null
}

/**
 * same        both have the same value, or neither has one
 * differs     it travels and the values differ
 * kept        it is meant to differ
 * to_do       Live has it, but not in a state that works for people
 * missing     only Test has it
 * own_values  each environment has its own
 * only_live   only Live has it
 */
export type State = 'same' | 'differs' | 'kept' | 'to_do' | 'missing' | 'own_values' | 'only_live'

export interface Row {
  /** Unique in the comparison. It does not change when values do. */
  id: string
  label: string
  note: string | null
  test: string
  live: string
  state: State
  /** The entry in a plan that brings it to Live; `null` where there is nothing to bring. */
  entry: Planned | null
  /** Why Live would refuse it; `null` where it would not. */
  closed: string | null
  /** The place that `keeps` of Live names; `null` for a row that is never planned. */
  place: Place | null
  /** The page of Live where it is. */
  page: string
}

export interface Place {
  object: Subject
  slug: string | null
  pointer: string | null
}

export interface Group {
  title: string
  rows: Row[]
}

/** @param keeps what Live keeps, also what matches nothing now: each has a row, by which it can be taken out */
export function compare(compared: Compared, keeps: readonly Kept[] = []): Group[] {
  const of_settings = settingsGroups.map(({ title, fields }) => ({ title, rows: fields.flatMap((field) => settingRow(field, compared)) }))
  const of_objects = kinds.map((kind) => ({ title: objects[kind].many, rows: objectRows(kind, compared) }))
  const groups = [...of_settings, ...of_objects].map(({ title, rows }) => ({ title, rows: rows.map((row) => withReason(row, keeps)) }))
  const shown = new Set(groups.flatMap(({ rows }) => rows.flatMap(({ id, place }) => (place ? [id] : []))))
  const idle = keeps.filter((kept) => !shown.has(idOf(placeOf(kept)))).map(idleRow)
  return [...groups, { title: 'Matches nothing now', rows: idle }].filter(({ rows }) => rows.length > 0)
}

const placeOf = ({ object, slug, pointer }: Kept): Place => ({ object, slug: slug ?? null, pointer })

/** A row with the same value in both environments is kept too: the plan does not name it, since it changes nothing there. */
function withReason(row: Row, keeps: readonly Kept[]): Row {
  const kept = row.place && keeps.find((each) => idOf(placeOf(each)) === row.id)
  return kept ? { ...row, state: 'kept', note: kept.reason, entry: null, closed: null } : row
}

/** Returns the row of an entry in `keeps` whose object or field neither environment has any more. It is shown so that it can be removed. */
function idleRow(kept: Kept): Row {
  const place = placeOf(kept)
  const { object, slug, pointer } = place
  const field = pointer === null ? null : fieldAt(object, pointer).label
  const none = '–'
  return {
    id: idOf(place),
    label: [slug, field].filter((part) => part !== null).join(': '),
    note: kept.reason,
    test: none,
    live: none,
    state: 'kept',
    entry: null,
    closed: null,
    place,
    page: pages[object],
  }
}

/** Is true for rows that a person sees first: neither equal, nor each environment's own, nor meant to differ. */
export const isDifference = ({ state }: Row) => state !== 'same' && state !== 'own_values' && state !== 'kept'

/** Returns the entries that a plan would accept. */
export const entriesOf = (rows: readonly Row[]): Planned[] => rows.flatMap(({ entry, closed }) => (entry && closed === null ? [entry] : []))

/** Returns the entries of a plan of all rows: `undefined` for everything, if Live refuses none. A refused row need not have an entry. */
export const entriesOfAll = (rows: readonly Row[]): Planned[] | undefined =>
  rows.some(({ closed }) => closed !== null) ? entriesOf(rows) : undefined

const idOf = ({ object, slug, pointer }: Place) => `${object}${slug === null ? '' : `/${slug}`}${pointer ?? ''}`
const isAt = (place: Place) => (other: Place) => idOf(place) === idOf(other)

/** The checks that a person solves on the page of the plan: a value to give, or another object to bring with it. */
const solved_later: readonly PromotionCheckCode[] = [
  'value_required',
  'unknown_scope',
  'unknown_resource_server',
  'unknown_role',
  'quota_exceeded',
  'secret_required',
]

/** An error about a whole group, such as no way in, is about several rows together, so it closes none of them. */
function closedBy(place: Place, checks: readonly PromotionCheck[]): string | null {
  const isWithin = ({ object, slug, pointer }: PromotionCheck) =>
    object === place.object &&
    slug === place.slug &&
    (place.pointer === null || pointer === place.pointer || pointer?.startsWith(`${place.pointer}/`))
  const found = checks.find((check) => check.level === 'error' && !solved_later.includes(check.code) && isWithin(check))
  return found ? inWords(found.detail) : null
}

/** Errors that close no row: they are about the plan as a whole. */
export function errorsOfAll(rows: readonly Row[], plan: Plan | null): string[] {
  const shown = new Set(rows.map(({ closed }) => closed))
  const errors = (plan?.checks ?? []).filter(
    ({ level, code, detail }) => level === 'error' && !solved_later.includes(code) && !shown.has(inWords(detail)),
  )
  return [...new Set(errors.map(({ detail }) => inWords(detail)))]
}

/** A row about a field that travels. */
function fieldRow(
  { pointer, label, look }: Field,
  at: Omit<Place, 'pointer'>,
  sides: { of_test?: Fields | undefined; of_live?: Fields | undefined; name?: string; page: string },
  plan: Plan | null,
): Row {
  const place = { ...at, pointer }
  const [test, live] = [shown(look, valueAt(sides.of_test, pointer)), shown(look, valueAt(sides.of_live, pointer))]
  const kept = plan?.left_alone.find(isAt(place))
  const differs = plan
    ? plan.changes.some(
        (change) => change.object === at.object && change.slug === at.slug && change.fields.some((each) => each.pointer === pointer),
      )
    : test !== live
  const closed = differs && plan ? closedBy(place, plan.checks) : null
  return {
    id: idOf(place),
    label: sides.name ? `${sides.name}: ${label}` : label,
    note: kept?.reason ?? closed,
    test,
    live,
    state: kept ? 'kept' : differs ? 'differs' : 'same',
    entry: differs ? { object: at.object, ...(at.slug === null ? {} : { slug: at.slug }), pointer } : null,
    closed,
    place,
    page: sides.page,
  }
}

function settingRow(field: Field, { test, live, plan }: Compared): Row[] {
  if (field.class === 'secret' || of_one_type.has(field.pointer)) return []
  const [of_test, of_live] = [test.settings as unknown as Fields, live.settings as unknown as Fields] // as: read by name
  const at = { object: 'settings', slug: null } as const
  if (field.class === 'travels') return [fieldRow(field, at, { of_test, of_live, page: '/settings' }, plan)]
  const [in_test, in_live] = [valueAt(of_test, field.pointer), valueAt(of_live, field.pointer)]
  // Values of a mail server are shown only where an environment has one.
  if (in_test === undefined && in_live === undefined) return []
  const sends_none = field.pointer === '/email/delivery' && in_live === 'none'
  const state = sends_none ? 'to_do' : isSet(in_live) ? 'own_values' : isSet(in_test) ? 'missing' : 'same'
  const is_open = state === 'to_do' || state === 'missing'
  return [
    {
      id: idOf({ ...at, pointer: field.pointer }),
      label: field.label,
      note: is_open ? (field.advice ?? 'Set it in Live') : null,
      test: shown(field.look, in_test),
      live: shown(field.look, in_live),
      state,
      entry: null,
      closed: null,
      place: null,
      page: '/settings',
    },
  ]
}

function objectRows(kind: ObjectKind, compared: Compared): Row[] {
  const [of_test, of_live] = [objectsOf(compared.test, kind), objectsOf(compared.live, kind)]
  const slugs = [...new Set([...Object.keys(of_test), ...Object.keys(of_live)])].sort()
  return slugs.flatMap((slug) => rowsOfObject({ kind, slug }, of_test[slug], of_live[slug], compared.plan))
}

function rowsOfObject(
  { kind, slug }: { kind: ObjectKind; slug: string },
  test: Fields | undefined,
  live: Fields | undefined,
  plan: Plan | null,
): Row[] {
  const fields = fieldsOf(kind)
  const at = { object: kind, slug }
  const whole = { ...at, pointer: null }
  const name = nameOf(test ?? live, slug)
  const page = pageOf(kind, plan?.changes.find((change) => change.object === kind && change.slug === slug)?.id ?? null)
  const kept = plan?.left_alone.find((entry) => entry.why === 'kept' && isAt(whole)(entry))
  const closed = plan ? closedBy({ ...at, pointer: null }, plan.checks) : null
  const row = (state: State, more: Partial<Row> = {}): Row => ({
    id: idOf(whole),
    label: name,
    note: null,
    test: onOf(test),
    live: onOf(live),
    state,
    entry: null,
    closed: null,
    place: whole,
    page,
    ...more,
  })
  if (kept) return [row('kept', { note: kept.reason })]
  if (!live) return [row('missing', { note: closed ?? objects[kind].advice, closed, entry: at })]
  if (!test) return [row('only_live', { note: 'Test has no object with this slug' })]
  const type = fields.find((field) => field.class === 'fixed')
  if (type && valueAt(test, type.pointer) !== valueAt(live, type.pointer)) {
    const [in_test, in_live] = [test, live].map((object) => shown(type.look, valueAt(object, type.pointer)))
    return [row('to_do', { test: in_test ?? '', live: in_live ?? '', note: closed ?? 'The kind is set at creation', closed })]
  }
  const is_off = isOn(test) && !isOn(live)
  const owned = fields.filter(
    ({ class: of, pointer }) =>
      of === 'owned' && !switches.includes(pointer) && [test, live].some((object) => isSet(valueAt(object, pointer))),
  )
  const note = is_off ? 'Switch it on in Live' : `Never copied: ${owned.map(({ label }) => label).join(', ')}`
  return [
    row(is_off ? 'to_do' : 'own_values', { note }),
    ...fields
      .filter((field) => field.class === 'travels')
      .map((field) => fieldRow(field, at, { of_test: test, of_live: live, name, page }, plan)),
  ]
}

/** The fields that switch an object on and off. */
export const switches: readonly string[] = ['/disabled', '/enabled']
export const isOn = ({ disabled, enabled }: Fields) => disabled !== true && enabled !== false
const onOf = (object: Fields | undefined) => (object === undefined ? 'Missing' : isOn(object) ? 'Exists' : 'Off')

/** A document has no ids, so only what would change has a page of its own. */
const pageOf = (kind: ObjectKind, id: string | null) => {
  const list = pages[kind]
  if (id === null) return list
  return kind === 'application' || kind === 'webhook' ? `${list}/${id}` : `${list}?chosen=${id}`
}
