// pure
/**
 * Collects the fields that a plan wants in the target: from a source those that travel, from an own document every one that it names, and
 * the values that the caller gives for the target. Excludes fields that are meant to differ, and those that `only` leaves out.
 */
import { documentSchemas } from '@ostiary/contract/configuration.ts'
import type { Kept, ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import type { LeftAlone, OwnedValue, Planned, Pruned } from '@ostiary/contract/promotion.ts'
import { sentenceOf } from '@ostiary/contract/sentences.ts'
import { isRecord } from '../../base/record.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import type { Configuration, Fields } from './configuration.ts'
import { areEqual } from './equal.ts'
import { fieldsOf, type KnownField, patchAt, valueAt } from './pointers.ts'
import type { WrittenDocument } from './read-document.ts'
import { wayToGive } from './secret-names.ts'

/** A mistake in the request, at its place. */
export interface Problem {
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

export interface WantedField {
  /** `null` is the default of the field. */
  readonly value: unknown
  /** Where the caller wrote it, as a pointer into the request; `null` for a value of a source. */
  readonly at: string | null
}

export interface Wanted {
  readonly object: ObjectOfConfiguration
  readonly slug: string | null
  /** By their pointers. */
  readonly fields: ReadonlyMap<string, WantedField>
}

export interface Asked {
  readonly target: Configuration
  /** The configuration of another environment has every field, a document those that it names. */
  readonly source: Pick<WrittenDocument, 'settings' | 'objects'>
  readonly is_own: boolean
  readonly keeps: readonly Kept[]
  readonly values: readonly OwnedValue[]
  readonly only: readonly Planned[] | null
  readonly prune: readonly Pruned[]
}

interface Outcome {
  readonly wanted: readonly Wanted[]
  readonly left_alone: readonly LeftAlone[]
  readonly problems: readonly Problem[]
}

export function* wantedSteps(asked: Asked): Steps<Outcome> {
  const { target, source, is_own, keeps, values, only, prune } = asked
  // Each list is looked up by the object: a list can be as long as there are objects.
  const kept = new Map((is_own ? [] : keeps).map((entry) => [fieldKey(entry), entry]))
  const given = Map.groupBy(
    values.map((value, i) => ({ ...value, i })),
    objectKey,
  )
  const asked_for = new Set((only ?? []).flatMap(keysOf))
  const matched = new Set<string>()
  const left_alone: LeftAlone[] = []
  const wanted: Wanted[] = []

  const isAsked = (object: ObjectOfConfiguration, slug: string | null, pointer: string | null): boolean => {
    if (only === null) return true
    const heads = [object, objectKey({ object, slug })]
    const keys = pointer === null ? heads : heads.flatMap((head) => [`${head} `, `${head} ${pointer}`])
    const matching = keys.filter((key) => asked_for.has(key))
    for (const key of matching) matched.add(key)
    return matching.length > 0
  }

  const want = (object: ObjectOfConfiguration, slug: string | null, written: Fields) => {
    const current = object === 'settings' ? target.settings : target.objects[object].get(slug ?? '')
    const whole = kept.get(fieldKey({ object, slug, pointer: null }))
    if (whole) {
      left_alone.push({ object, slug, pointer: null, why: 'kept', reason: whole.reason })
      return
    }
    const fields = new Map<string, WantedField>()
    for (const { pointer, path, class: kind } of fieldsOf(object)) {
      const value = valueAt(written, path)
      if (value === undefined || !(is_own || kind === 'travels' || kind === 'immutable')) continue
      if (!isAsked(object, slug, current === undefined ? null : pointer)) continue
      const stays = kept.get(fieldKey({ object, slug, pointer }))
      if (!stays) fields.set(pointer, { value, at: is_own ? placeIn(object, slug, pointer) : null })
      else if (!areEqual(value, valueAt(current, path))) left_alone.push({ object, slug, pointer, why: 'kept', reason: stays.reason })
    }
    for (const { pointer, value, i } of given.get(objectKey({ object, slug })) ?? [])
      if (isAsked(object, slug, current === undefined ? null : pointer)) fields.set(pointer, { value, at: `/values/${i}/value` })
    if (fields.size > 0 || (current === undefined && isAsked(object, slug, null))) wanted.push({ object, slug, fields })
  }

  want('settings', null, source.settings)
  if (is_own && isRecord(source.settings.email) && source.settings.email.smtp === null && isAsked('settings', null, '/email/smtp'))
    wanted.push({
      object: 'settings',
      slug: null,
      fields: new Map([['/email/smtp', { value: null, at: '/document/settings/email/smtp' }]]),
    })
  yield
  for (const kind of object_kinds)
    for (const [slug, fields] of source.objects[kind]) {
      want(kind, slug, fields)
      yield
    }
  if (!is_own && only === null)
    for (const kind of object_kinds)
      for (const slug of target.objects[kind].keys())
        if (!source.objects[kind].has(slug)) {
          const whole = kept.get(fieldKey({ object: kind, slug, pointer: null }))
          left_alone.push({ object: kind, slug, pointer: null, why: whole ? 'kept' : 'only_there', reason: whole?.reason ?? null })
        }

  const unmatched = (only ?? []).flatMap((entry, i) =>
    keysOf(entry).some((key) => matched.has(key)) ? [] : [bad(`/only/${i}`, 'Nothing that could be planned matches this entry.')],
  )
  return { wanted, left_alone, problems: [...(yield* valueProblems(asked, kept)), ...unmatched, ...pruneProblems(asked, prune)] }
}

interface Named {
  readonly object: ObjectOfConfiguration
  readonly slug: string | null
}

/** No slug is empty. */
const objectKey = ({ object, slug }: Named) => `${object}/${slug ?? ''}`
const fieldKey = ({ pointer, ...named }: Named & { readonly pointer: string | null }) => `${objectKey(named)} ${pointer ?? ''}`

/**
 * The keys of an entry of `only`: one for new objects, whose fields all come, and one for fields. An entry without a slug is about every
 * object of the kind, one without a pointer about every field.
 */
function keysOf({ object, slug, pointer }: Planned): string[] {
  const head = slug === undefined ? object : objectKey({ object, slug })
  return [head, `${head} ${pointer ?? ''}`]
}

const placeIn = (object: ObjectOfConfiguration, slug: string | null, pointer: string) =>
  object === 'settings' ? `/document/settings${pointer}` : `/document/${object_descriptions[object].section}/${slug}${pointer}`

const bad = (pointer: string, detail: string, code = 'not_allowed'): Problem => ({ pointer, code, detail })

function* valueProblems({ values, source, target, is_own }: Asked, kept: ReadonlyMap<string, Kept>): Steps<Problem[]> {
  if (is_own && values.length > 0) return [bad('/values', 'A document of the target itself has its values. Write them into the document.')]
  return yield* flatMapSteps(values.entries(), ([i, value]): Problem[] => {
    const { object, slug, pointer } = value
    if ((object === 'settings') !== (slug === null)) return [bad(`/values/${i}/slug`, 'Objects have a slug, and the settings have none.')]
    if (object !== 'settings' && !source.objects[object].has(slug ?? ''))
      return [bad(`/values/${i}/slug`, 'The source has no such object.')]
    const field = fieldsOf(object).find((each) => each.pointer === pointer)
    if (field?.class === 'secret')
      return [
        bad(
          `/values/${i}/pointer`,
          `Values hold no secrets. ${wayToGive({ object, slug, field: field.path.at(-1) ?? '' }, { is_own: false, can_wait: object === 'provider' })}`,
        ),
      ]
    if (field?.class !== 'owned')
      return [
        bad(`/values/${i}/pointer`, 'Only fields that belong to their environment can be given: those that travel come from the source.'),
      ]
    if (kept.has(fieldKey({ object, slug, pointer: null })) || kept.has(fieldKey({ object, slug, pointer })))
      return [
        bad(`/values/${i}`, 'This is meant to differ, so a promotion leaves it alone. Change it in the target, or take it out of `keeps`.'),
      ]
    return wrongValue(value, field, target.environment.type).map((detail) => bad(`/values/${i}/value`, detail))
  })
}

/** Judges a value by the schema of its field. */
function wrongValue({ object, slug, value }: OwnedValue, { path }: KnownField, type: 'test' | 'live'): string[] {
  const written =
    object === 'settings'
      ? { settings: patchAt(path, value) }
      : { [object_descriptions[object].section]: { [slug ?? '']: patchAt(path, value) } }
  const read = documentSchemas[type].safeParse({ version: 1, ...written }, { error: sentenceOf })
  return read.success ? [] : read.error.issues.slice(0, 1).map(({ message }) => message)
}

function pruneProblems({ target, source, is_own }: Asked, prune: readonly Pruned[]): Problem[] {
  if (!is_own && prune.length > 0) return [bad('/prune', 'Only a document of the target itself can delete objects.')]
  return prune.flatMap(({ object, slug }, i) => {
    if (!target.objects[object].has(slug)) return [bad(`/prune/${i}/slug`, 'The target has no such object.')]
    return source.objects[object].has(slug) ? [bad(`/prune/${i}/slug`, 'The document has this object, so it cannot be deleted.')] : []
  })
}
