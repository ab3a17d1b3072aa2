/** The values that a plan asks the target for, as fields of a form. Pure functions. */
import { OstiaryError, type OwnedValue, type Promotion } from '@ostiary/sdk'
import { textOf, valueIn } from '../../parts/field-text.ts'
import { switches } from '../compare/compare.ts'
import { type Field, fieldAt, fieldsOf, type Subject } from '../compare/fields.ts'
import { isAboutValue, keyOf, type Place } from './words.ts'

export interface Asked {
  key: string
  object: Subject
  slug: string | null
  field: Field
  /** Whether the plan cannot be applied without it. */
  is_needed: boolean
  /** The present error of the field. */
  error: string | null
  /** The value that the plan has; `undefined` for none. */
  given: unknown
}

/**
 * Every field that can be asked for: what is missing or refused, what was given, and the rest of what a created object can have. It
 * begins switched off, and is switched on when it is ready.
 */
export function askedOf({ checks, values, changes }: Promotion): Asked[] {
  const places = [
    ...checks.filter(isAboutValue).map(({ object, slug, pointer }) => ({ object, slug, field: fieldAt(object, pointer ?? '') })),
    ...values.map(({ object, slug, pointer }) => ({ object, slug, field: fieldAt(object, pointer) })),
    ...changes
      .filter(({ action }) => action === 'create')
      .flatMap(({ object, slug }) =>
        fieldsOf(object)
          .filter((field) => field.class === 'owned' && !switches.includes(field.pointer))
          .map((field) => ({ object, slug, field })),
      ),
  ]
  // Each list is looked up by the place: a plan can have thousands of both.
  const refused = Map.groupBy(checks.filter(isAboutValue), (check) =>
    keyOf({ ...check, pointer: fieldAt(check.object, check.pointer ?? '').pointer }),
  )
  const given = new Map(values.map((value) => [keyOf(value), value.value]))
  const asked = new Map<string, Asked>()
  for (const { object, slug, field } of places) {
    const key = keyOf({ object, slug, pointer: field.pointer })
    const errors = refused.get(key) ?? []
    asked.set(key, {
      key,
      object,
      slug,
      field,
      is_needed: errors.length > 0,
      error: errors.find(({ code }) => code !== 'value_required')?.detail ?? null,
      given: given.get(key),
    })
  }
  return [...asked.values()].sort((a, b) => Number(b.is_needed) - Number(a.is_needed))
}

/** The typed texts, by the key of their field. */
export type Texts = ReadonlyMap<string, string>

/** The texts that the plan does not have yet, of fields that it asks for. */
export const unsent = (typed: Texts, asked: readonly Asked[]): Texts =>
  new Map(
    asked.flatMap(({ key, field: { look }, given }) => {
      const text = typed.get(key)
      return text === undefined || text === textOf(look, given) ? [] : [[key, text] as const]
    }),
  )

/** The values of the plan with those of the form in their place. */
export function valuesWith(values: readonly OwnedValue[], asked: readonly Asked[], texts: Texts): OwnedValue[] {
  const keys = new Set(asked.map(({ key }) => key))
  const entered = asked.flatMap(({ key, object, slug, field: { pointer, look }, given }) => {
    const text = texts.get(key)?.trim()
    const value = text === undefined ? given : valueIn(look, text)
    return text === '' || value === undefined ? [] : [{ object, slug, pointer, value }]
  })
  return [...values.filter((value) => !keys.has(keyOf(value))), ...entered]
}

export interface Marks {
  /** The sentences for each value, by its key. */
  at: ReadonlyMap<string, string>
  /** Whether every refused field of the call is one of them. */
  is_all: boolean
}

/** Which values a refused call is about. `sent` are those of that call, by whose order the refusal names them. */
export function marksOf(error: unknown, sent: readonly Place[], asked: ReadonlySet<string>): Marks {
  const errors = error instanceof OstiaryError ? error.errors : []
  const found = errors.flatMap(({ pointer, detail }) => {
    const value = sent[Number(/^\/values\/(\d+)(?:\/|$)/.exec(pointer)?.[1])]
    const key = value && keyOf(value)
    return key !== undefined && asked.has(key) ? [{ key, detail }] : []
  })
  const at = [...Map.groupBy(found, ({ key }) => key)].map(
    ([key, refused]) => [key, [...new Set(refused.map(({ detail }) => detail))].join(' ')] as const,
  )
  return { at: new Map(at), is_all: errors.length > 0 && found.length === errors.length }
}
