// pure
/** Turns the steps of a stored promotion into wanted values for its target: to apply it, the new ones; to revert it, the previous ones. */
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { object_descriptions } from '@ostiary/contract/objects/objects.ts'
import type { FieldChange, Left, NeededSecret, PlannedChange, Pruned, RevertConflict } from '@ostiary/contract/promotion.ts'
import type { Steps } from '../../base/steps.ts'
import type { Configuration, Fields } from './configuration.ts'
import { areEqual } from './equal.ts'
import { fieldsOf, smtp_password, valueAt } from './pointers.ts'
import type { Problem, Wanted, WantedField } from './wanted.ts'

export interface ConfigurationStep {
  readonly wanted: readonly Wanted[]
  readonly prune: readonly Pruned[]
}

/** A secret that the document names is wanted although the plan cannot see whether it changes. */
export function stepOfPlan({
  changes,
  needed_secrets,
}: {
  readonly changes: readonly PlannedChange[]
  readonly needed_secrets: readonly NeededSecret[]
}): ConfigurationStep {
  const wanted = new Map<string, { object: ObjectOfConfiguration; slug: string | null; fields: Map<string, WantedField> }>()
  const fieldsFor = (object: ObjectOfConfiguration, slug: string | null) => {
    const key = `${object}/${slug ?? ''}`
    const entry = wanted.get(key) ?? { object, slug, fields: new Map() }
    wanted.set(key, entry)
    return entry.fields
  }
  for (const { object, slug, action, fields } of changes)
    if (action !== 'delete') for (const [pointer, value] of valuesOf(fields, 'to')) fieldsFor(object, slug).set(pointer, wantedValue(value))
  for (const { name, object, slug, pointer } of needed_secrets) fieldsFor(object, slug).set(pointer, wantedValue(`\${${name}}`))
  return { wanted: [...wanted.values()], prune: changes.flatMap((change) => (change.action === 'delete' ? prunedOf(change) : [])) }
}

const wantedValue = (value: unknown): WantedField => ({ value, at: null })
const prunedOf = ({ object, slug }: PlannedChange): Pruned[] => (object === 'settings' || slug === null ? [] : [{ object, slug }])

/** A mail server is there as a whole or not at all. */
const server = '/email/smtp'

function valuesOf(fields: readonly FieldChange[], which: 'from' | 'to'): [pointer: string, value: unknown][] {
  const has_no_server = fields.some((field) => field.pointer === `${server}/host` && field[which] === null)
  const values = fields.map((field): [string, unknown] => [field.pointer, field[which]])
  return has_no_server ? [...values.filter(([pointer]) => !pointer.startsWith(`${server}/`)), [server, null]] : values
}

interface Present {
  readonly target: Configuration
  readonly idOf: (kind: Exclude<ObjectOfConfiguration, 'settings'>, slug: string) => string | null
  readonly versionOf: (kind: Exclude<ObjectOfConfiguration, 'settings'>, slug: string) => number | null
}

export interface RevertStep extends ConfigurationStep {
  /** Objects that the promotion created and the step deletes: whether they are used, only the database knows. */
  readonly created: readonly { readonly object: Exclude<ObjectOfConfiguration, 'settings'>; readonly slug: string; readonly id: string }[]
  readonly conflicts: readonly RevertConflict[]
  /** Mistakes in `leave`. */
  readonly problems: readonly Problem[]
}

/** Every changed field gets its former value, where it has the value that the promotion set; what it created goes. */
export function* revertSteps(changes: readonly PlannedChange[], leave: readonly Left[], present: Present): Steps<RevertStep> {
  const matched = new Set<number>()
  // Looked up by the object: the list can be as long as there are objects.
  const left = Map.groupBy(
    leave.map((entry, i) => ({ ...entry, i })),
    keyOf,
  )
  const isLeft = (change: PlannedChange, pointer: string | null) => {
    const entries = (left.get(keyOf(change)) ?? []).flatMap((entry) =>
      entry.pointer === undefined || entry.pointer === pointer ? [entry.i] : [],
    )
    for (const i of entries) matched.add(i)
    return entries.length > 0
  }
  const wanted: Wanted[] = []
  const created: RevertStep['created'][number][] = []
  const conflicts: RevertConflict[] = []
  for (const change of changes) {
    yield
    const { object, slug, action } = change
    if (action === 'create') {
      if (object === 'settings' || slug === null || isLeft(change, null)) continue
      const found = createdConflict(change, present)
      if (found) conflicts.push(found)
      else created.push({ object, slug, id: change.id ?? '' })
      continue
    }
    const fields = change.fields.filter(({ pointer }) => !isLeft(change, pointer))
    if (fields.length === 0) continue
    const current = currentOf(change, present)
    if (current === null) conflicts.push(conflict(change, '', 'deleted', 'The object was deleted.'))
    else {
      conflicts.push(...fields.flatMap((field) => editedConflict(change, field, current)))
      const values = valuesOf(fields, 'from').filter(([pointer, value]) => !isSecretAgain(object, pointer, value))
      wanted.push({ object, slug, fields: new Map(values.map(([pointer, value]) => [pointer, wantedValue(value)])) })
    }
  }
  const problems = leave.flatMap((_, i) =>
    matched.has(i)
      ? []
      : [
          {
            pointer: `/leave/${i}`,
            code: 'not_allowed',
            detail: 'The promotion changed no such object or field. An object that it created is left as a whole.',
          },
        ],
  )
  return { wanted, prune: created.map(({ object, slug }) => ({ object, slug })), created, conflicts, problems }
}

const keyOf = ({ object, slug }: Pick<Left, 'object' | 'slug'>) => `${object}/${slug ?? ''}`

function currentOf({ object, slug, id }: PlannedChange, { target, idOf }: Present): Fields | null {
  if (object === 'settings') return target.settings
  return idOf(object, slug ?? '') === id ? (target.objects[object].get(slug ?? '') ?? null) : null
}

const version_of_creation = 1

function createdConflict(change: PlannedChange, { idOf, versionOf }: Present): RevertConflict | null {
  const { object, slug, id } = change
  if (object === 'settings') return null
  if (idOf(object, slug ?? '') !== id) return conflict(change, '', 'deleted', 'The object was deleted.')
  if (versionOf(object, slug ?? '') === version_of_creation) return null
  return conflict(change, '', 'edited', 'The object was changed after the promotion created it.')
}

function editedConflict(change: PlannedChange, { pointer, to }: FieldChange, current: Fields): RevertConflict[] {
  const now = valueAt(current, pointer.slice(1).split('/')) ?? null
  const is_same = isSecret(change.object, pointer) ? (now === null) === (to === null) : areEqual(now, to)
  return is_same ? [] : [conflict(change, pointer, 'edited', 'The field has another value now than the promotion set.')]
}

const isSecret = (object: ObjectOfConfiguration, pointer: string): boolean =>
  pointer === smtp_password || fieldsOf(object).some((field) => field.pointer === pointer && field.class === 'secret')

/** A secret that ended never comes back. */
const isSecretAgain = (object: ObjectOfConfiguration, pointer: string, value: unknown): boolean =>
  value !== null && isSecret(object, pointer)

function conflict({ object, slug }: PlannedChange, pointer: string, code: RevertConflict['code'], detail: string): RevertConflict {
  const place = object === 'settings' ? '/settings' : `/${object_descriptions[object].section}/${slug ?? ''}`
  return { pointer: place + pointer, code, detail }
}

/** A conflict that only the database can see. */
export const inUse = (object: Exclude<ObjectOfConfiguration, 'settings'>, slug: string, detail: string): RevertConflict => ({
  pointer: `/${object_descriptions[object].section}/${slug}`,
  code: 'in_use',
  detail,
})
