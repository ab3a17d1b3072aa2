// pure
/** The target as a plan would leave it: its settings and each object, before and after. */
import {
  documentDefaults,
  type ObjectKind,
  object_descriptions,
  object_kinds,
  secretsOf,
  setOnce,
} from '@ostiary/contract/objects/objects.ts'
import type { FieldChange, PlannedChange, Pruned } from '@ostiary/contract/promotion.ts'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { mergePatch } from '../../base/merge-patch.ts'
import { isRecord } from '../../base/record.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import type { Configuration, Fields } from './configuration.ts'
import { areEqual } from './equal.ts'
import { rulesOf } from './kinds.ts'
import { fieldsOf, patchAt, smtp_password, valueAt } from './pointers.ts'
import type { Wanted, WantedField } from './wanted.ts'

export interface ObjectDraft {
  readonly kind: ObjectKind
  readonly slug: string
  /** `null` for an object that the plan creates. */
  readonly current: Fields | null
  /** `null` for one that it deletes. */
  readonly next: Fields | null
  readonly wanted: ReadonlyMap<string, WantedField>
  /** One slug with two types: nothing is changed. */
  readonly type_differs: boolean
}

export interface SettingsDraft {
  readonly current: Fields
  readonly next: Fields
  /** The values that differ, as a merge patch. */
  readonly patch: Fields
  readonly wanted: ReadonlyMap<string, WantedField>
}

export interface Drafts {
  readonly settings: SettingsDraft
  /** Those that the plan is about, in the order in which they are written. */
  readonly objects: readonly ObjectDraft[]
}

export function* draftSteps(target: Configuration, wanted: readonly Wanted[], prune: readonly Pruned[], is_own: boolean): Steps<Drafts> {
  const of_settings = wanted.filter(({ object }) => object === 'settings').flatMap(({ fields }) => [...fields])
  const settings = settingsDraft(target.environment.type, target.settings, new Map(of_settings))
  yield
  const objects: ObjectDraft[] = []
  for (const kind of object_kinds) {
    for (const { object, slug, fields } of wanted) {
      if (object !== kind) continue
      objects.push(objectDraft({ kind, slug: slug ?? '', current: target.objects[kind].get(slug ?? '') ?? null }, fields, is_own))
      yield
    }
    for (const { object, slug } of prune) {
      const current = object === kind ? target.objects[kind].get(slug) : undefined
      if (current) objects.push({ kind, slug, current, next: null, wanted: new Map(), type_differs: false })
    }
  }
  return { settings, objects }
}

type DraftedObject = Pick<ObjectDraft, 'kind' | 'slug' | 'current'>

function objectDraft({ kind, slug, current }: DraftedObject, wanted: Wanted['fields'], is_own: boolean): ObjectDraft {
  const { fixed } = object_descriptions[kind]
  const written = Object.fromEntries([...wanted].map(([pointer, { value }]) => [pointer.slice(1), value]))
  const type_differs = current !== null && fixed !== null && written[fixed] !== undefined && written[fixed] !== current[fixed]
  if (type_differs) return { kind, slug, current, next: current, wanted, type_differs }
  const rules = rulesOf[kind]
  const has_type = fixed === null || (current ?? written)[fixed] != null
  const defaults = has_type ? documentDefaults(kind, current ?? written) : {} // the checks say that the type is missing
  const base = current ?? { ...defaults, ...(is_own ? {} : rules.begins) }
  const values = Object.fromEntries(Object.entries(written).map(([name, value]) => [name, value ?? defaults[name] ?? null]))
  const next: Record<string, unknown> = { ...base, ...values }
  if (current) for (const name of setOnce(kind)) next[name] = current[name] ?? null
  // Only an apply compares secrets: one that is stored stays stored, whatever its name.
  for (const name of secretsOf(kind)) if (current?.[name] != null && next[name] !== null) next[name] = current[name]
  return { kind, slug, current, next, wanted, type_differs }
}

function settingsDraft(type: EnvironmentType, current: Fields, wanted: ReadonlyMap<string, WantedField>): SettingsDraft {
  const asked = [...wanted].reduce<unknown>(
    (patch, [pointer, { value }]) => deepMerge(patch, patchAt(pointer.slice(1).split('/'), value)),
    {},
  )
  const next = settingsAfter(type, current, asked as Fields) // as: made of patches
  const differing = fieldsOf('settings').filter(({ path }) => !areEqual(valueAt(current, path), valueAt(next, path)))
  const loses_server = valueAt(current, ['email', 'smtp']) != null && valueAt(next, ['email', 'smtp']) == null
  const differing_patch = differing.reduce<unknown>((patch, { pointer, path }) => {
    if (loses_server && pointer.startsWith('/email/smtp/')) return deepMerge(patch, { email: { smtp: null } })
    return deepMerge(patch, patchAt(path, valueAt(next, path) ?? null))
  }, {})
  return { current, next, patch: differing_patch as Fields, wanted } // as: made of patches
}

/** The settings in effect after a patch. Where the schema refuses them, which the checks say, the values as they are written. */
export function settingsAfter(type: EnvironmentType, current: Fields, patch: Fields): Fields {
  const merged = mergePatch(storable(current), patch)
  const parsed = settingsSchemas[type].safeParse(merged)
  const next = parsed.success ? (parsed.data as Fields) : (deepMerge(settingsSchemas[type].parse({}), merged) as Fields) // as: settings are objects
  const smtp = valueAt(next, ['email', 'smtp'])
  if (smtp == null) return next
  const stored = valueAt(current, ['email', 'smtp', 'password'])
  const named = valueAt(next, ['email', 'smtp', 'password'])
  const password = named == null ? null : (stored ?? named)
  return mergeAll(next, { email: { smtp: { password } } })
}

/**
 * The patch of the stored settings: a value that is equal to the default is stored as the default, and a password by its value.
 * @param password absent where the stored one stays
 */
export function storedPatch(type: EnvironmentType, { patch }: Pick<SettingsDraft, 'patch'>, password?: string): Fields {
  const defaults = settingsSchemas[type].parse({})
  const values = fieldsOf('settings').flatMap(({ pointer, path }): (readonly [readonly string[], unknown])[] => {
    const value = valueAt(patch, path)
    if (value === undefined || (pointer === smtp_password && value !== null)) return []
    return [[path, areEqual(value, valueAt(defaults, path) ?? null) ? null : value]]
  })
  const smtp = ['email', 'smtp']
  if (valueAt(patch, smtp) === null) values.push([smtp, null])
  if (password !== undefined) values.push([[...smtp, 'password'], password])
  return values.reduce((merged, [path, value]) => mergeAll(merged, patchAt(path, value)), {})
}

/** The document shows a password that is not set as `null`, and the stored settings have none. */
export const storable = (settings: Fields): Fields =>
  valueAt(settings, ['email', 'smtp', 'password']) === null
    ? (mergePatch(settings, { email: { smtp: { password: null } } }) as Fields) // as: a patch of an object onto an object is an object
    : settings

const mergeAll = (target: Fields, patch: Fields): Fields => deepMerge(target, patch) as Fields // as: objects

/** Like a merge patch, but `null` is a value. */
function deepMerge(target: unknown, patch: unknown): unknown {
  if (!isRecord(target) || !isRecord(patch)) return patch
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) merged[name] = deepMerge(merged[name], value)
  return merged
}

export type IdOf = (kind: ObjectKind, slug: string) => string | null

/** The differences of a plan, settings first. */
export function* changeSteps({ settings, objects }: Drafts, idOf: IdOf): Steps<PlannedChange[]> {
  const of_settings = differences('settings', settings.current, settings.next)
  const change = ({ kind, slug, current, next }: ObjectDraft): PlannedChange[] => {
    const head = { object: kind, slug, id: current ? idOf(kind, slug) : null } as const
    if (current === null) return [{ ...head, action: 'create', fields: differences(kind, {}, next ?? {}) }]
    if (next === null) return [{ ...head, action: 'delete', fields: [] }]
    const fields = differences(kind, current, next)
    return fields.length === 0 ? [] : [{ ...head, action: 'update', fields }]
  }
  return [
    ...(of_settings.length > 0
      ? [{ object: 'settings' as const, slug: null, id: null, action: 'update' as const, fields: of_settings }]
      : []),
    ...(yield* flatMapSteps(objects, change)),
  ]
}

const differences = (object: ObjectKind | 'settings', current: Fields, next: Fields): FieldChange[] =>
  fieldsOf(object).flatMap(({ pointer, path }) => {
    const [from, to] = [valueAt(current, path) ?? null, valueAt(next, path) ?? null]
    return areEqual(from, to) ? [] : [{ pointer, from, to }]
  })
