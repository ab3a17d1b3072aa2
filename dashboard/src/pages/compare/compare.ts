/** Compares Test and Live by meaning: settings by field, objects by slug. Pure functions of what the API answers. */
import type { Application, Provider, ResourceServer, Settings, Webhook } from '@ostiary/sdk'
import { duration } from '../../parts/clock.ts'
import { type Look, type ObjectKind, type Owned, objectFields, settingsGroups, type Travelling } from './fields.ts'

export interface Configuration {
  settings: Settings
  application: readonly Application[]
  resource_server: readonly ResourceServer[]
  provider: readonly Provider[]
  webhook: readonly Webhook[]
}

/**
 * same        both have the same value, or neither has one
 * differs     it travels and the values differ
 * to_do       Live has it, but not in a state that works for people
 * missing     only Test has it
 * own_values  each environment has its own
 * only_live   only Live has it
 */
export type State = 'same' | 'differs' | 'to_do' | 'missing' | 'own_values' | 'only_live'

/** A difference that can be taken to Live. */
export interface Change {
  kind: 'settings' | ObjectKind
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  path: string
  label: string
  look: Look
  old: unknown
  next: unknown
  affects: string
}

export interface Row {
  /** Unique in the comparison. It does not change when values do. */
  id: string
  label: string
  note: string | null
  test: string
  live: string
  state: State
  change: Change | null
  /** The page of Live where a person solves it; `null` where there is nothing to solve. */
  page: string | null
}

export interface Group {
  title: string
  rows: Row[]
}

export function compare(test: Configuration, live: Configuration): Group[] {
  const of_settings = settingsGroups.map(({ title, page, fields }) => ({
    title,
    rows: fields
      .map((field) => ('affects' in field ? travellingSetting(field, test, live) : ownedSetting(field, page, test, live)))
      .filter((row) => row !== null),
  }))
  const of_objects = kinds.map((kind) => ({ title: objectFields[kind].title, rows: objectRows(kind, test[kind], live[kind]) }))
  return [...of_settings, ...of_objects].filter(({ rows }) => rows.length > 0)
}

/** What a person sees first: everything that is neither equal nor meant to be each environment's own. */
export const isDifference = ({ state }: Row) => state !== 'same' && state !== 'own_values'

/** In this order changes are sent: an application may need a scope that its resource server gets by another change. */
const kinds = ['resource_server', 'provider', 'application', 'webhook'] as const

function travellingSetting(field: Travelling, test: Configuration, live: Configuration): Row {
  const { path, label, look, affects } = field
  const [next, old] = [valueAt(test.settings, path), valueAt(live.settings, path)]
  const is_same = areEqual(next, old)
  const change: Change = { kind: 'settings', slug: null, path, label, look, old, next, affects }
  const needs_mail = path === 'sign_in.email_code' && next === true && live.settings.email.delivery === 'none'
  return {
    id: `settings/${path}`,
    label,
    note: needs_mail && !is_same ? 'Needs mail in Live first' : null,
    test: show(look, next),
    live: show(look, old),
    state: is_same ? 'same' : 'differs',
    change: is_same ? null : change,
    page: null,
  }
}

/** Values of a mail server are shown only where an environment has one. */
function ownedSetting({ path, label, look, advice }: Owned, page: string, test: Configuration, live: Configuration): Row | null {
  const [of_test, of_live] = [valueAt(test.settings, path), valueAt(live.settings, path)]
  if (of_test === undefined && of_live === undefined) return null
  const sends_none = path === 'email.delivery' && of_live === 'none'
  const state = sends_none ? 'to_do' : ownedState(isSet(of_test), isSet(of_live))
  const is_open = state === 'to_do' || state === 'missing'
  return {
    id: `settings/${path}`,
    label,
    note: is_open ? advice : null,
    test: show(look, of_test),
    live: show(look, of_live),
    state,
    change: null,
    page: is_open ? page : null,
  }
}

function ownedState(test_has: boolean, live_has: boolean): State {
  if (live_has) return 'own_values'
  return test_has ? 'missing' : 'same'
}

type Object_ = { id: string; slug: string } & { readonly [name: string]: unknown }

function objectRows(kind: ObjectKind, of_test: readonly object[], of_live: readonly object[]): Row[] {
  const [test, live] = [bySlug(of_test), bySlug(of_live)]
  const slugs = [...new Set([...test.keys(), ...live.keys()])].sort()
  return slugs.flatMap((slug) => rowsOfObject(kind, slug, test.get(slug), live.get(slug)))
}

const bySlug = (objects: readonly object[]) => new Map((objects as readonly Object_[]).map((object) => [object.slug, object])) // as: every kind has an id and a slug

function rowsOfObject(kind: ObjectKind, slug: string, test: Object_ | undefined, live: Object_ | undefined): Row[] {
  const { page, advice, owned, travels } = objectFields[kind]
  const label = String(test?.name ?? test?.display_name ?? live?.name ?? live?.display_name ?? slug)
  const row = (fields: Pick<Row, 'test' | 'live' | 'state' | 'note' | 'page'>): Row => ({
    id: `${kind}/${slug}`,
    label,
    change: null,
    ...fields,
  })
  if (!live) return [row({ test: 'Exists', live: 'Missing', state: 'missing', note: advice, page: `${page}?new=1` })]
  if (!test) return [row({ test: 'Missing', live: 'Exists', state: 'only_live', note: 'Test has no object with this slug', page: null })]

  const here = kind === 'application' || kind === 'webhook' ? `${page}/${live.id}` : page
  const fixed = kind === 'application' ? 'application_type' : 'type'
  if (test[fixed] !== live[fixed]) {
    const note = 'The type is set at creation. Create it again in Live'
    return [row({ test: String(test[fixed]), live: String(live[fixed]), state: 'to_do', note, page: here })]
  }
  const differing = travels.filter(({ path }) => !areEqual(test[path], live[path]))
  const is_off = isOn(test) && !isOn(live)
  return [
    row({
      test: isOn(test) ? 'Exists' : 'Off',
      live: isOn(live) ? 'Exists' : 'Off',
      state: is_off ? 'to_do' : 'own_values',
      note: is_off ? 'Switch it on in Live' : `Never copied: ${ownedNames(owned, test, live)}`,
      page: is_off ? here : null,
    }),
    ...differing.map(({ path, label: name, look, affects }): Row => {
      const [next, old] = [test[path], live[path]]
      const change: Change = { kind, slug, path, label: `${label}: ${name}`, look, old, next, affects }
      const shown = { test: show(look, next), live: show(look, old) }
      return { id: `${kind}/${slug}/${path}`, label: change.label, note: null, ...shown, state: 'differs', change, page: null }
    }),
  ]
}

const isOn = ({ disabled, enabled }: Object_) => disabled !== true && enabled !== false

/** The names of the fields that one of both has for itself. */
const ownedNames = (owned: Readonly<Record<string, string>>, ...objects: Object_[]) =>
  Object.entries(owned)
    .filter(([path]) => objects.some((object) => isSet(object[path])) && !['disabled', 'enabled'].includes(path))
    .map(([, name]) => name)
    .join(', ')

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)

/** The value at a path such as `tokens.id_token_claims`; `undefined` where a group on the way is missing. */
export function valueAt(document: unknown, path: string): unknown {
  let value = document
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[name] // as: read by name
  }
  return value
}

/** Lists are sets here: the order of scopes and kinds means nothing. */
export const areEqual = (a: unknown, b: unknown) => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))

function canonical(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? null
  return value.map((entry) => (typeof entry === 'object' ? JSON.stringify(entry) : String(entry))).sort()
}

/** A value in words. */
export function show(look: Look, value: unknown): string {
  if (look === 'events' && Array.isArray(value) && value.length === 0) return 'All kinds'
  if (look === 'switch') return value === true ? 'On' : 'Off'
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'Not set'
  if (look === 'seconds') return duration(Number(value))
  const wordsOf = (one: unknown) => (typeof look === 'object' ? look[String(one)] : undefined) ?? String(one)
  if (Array.isArray(value)) return value.map((entry) => (typeof entry === 'object' ? String(entry?.name) : wordsOf(entry))).join(', ')
  return wordsOf(value)
}

/** One call to Live: a merge patch of one document. */
export interface Step {
  kind: Change['kind']
  slug: string | null
  changes: Change[]
  body: Record<string, unknown>
}

/** The chosen changes as one patch for each document. */
export function planOf(changes: readonly Change[]): Step[] {
  const documents = Map.groupBy(changes, ({ kind, slug }) => `${kind}/${slug ?? ''}`)
  return [...documents.values()]
    .map((changes) => ({ kind: changes[0]?.kind ?? 'settings', slug: changes[0]?.slug ?? null, changes, body: patchOf(changes) }))
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}

const order: readonly Change['kind'][] = ['settings', ...kinds]

function patchOf(changes: readonly Change[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { path, next } of changes) {
    const [group = '', name] = path.split('.')
    body[group] = name === undefined ? next : { ...(body[group] as object | undefined), [name]: next } // as: a group of this patch
  }
  return body
}

/** The changes of a step whose value in Live is no longer the one that was compared. */
export const changedMeanwhile = ({ changes }: Step, live: unknown): Change[] =>
  changes.filter(({ path, old }) => !areEqual(valueAt(live, path), old))
