/**
 * An object of an environment is described once, by a table with a row for each field, in the order of its record. The table gives the
 * schemas of the record, of a creation and of a change, the defaults, the place of a field in a document and in a promotion, the changes that
 * need a fresh sign-in, the words of forms and of the comparison, and the columns of the store.
 */
import { z } from 'zod'
import { EnvironmentId, ProjectId, TenantId } from '../ids.ts'
import { slugs, Time } from '../values.ts'

/**
 * How a promotion treats a field from one environment to another.
 *
 * travels    copied
 * owned      belongs to its environment and is never copied
 * immutable  set at creation; `slug` says which object is which
 * never      a secret, an id, a time, or state that the service observes
 */
export type FieldClass = 'travels' | 'owned' | 'immutable' | 'never'

/** A class for every field of a document in groups. */
export type NestedFieldClasses = { readonly [name: string]: FieldClass | NestedFieldClasses }

/** In which environments the change of a field needs a fresh sign-in. */
export type Where = 'always' | 'in_live'

/**
 * Which change of a field needs a fresh sign-in.
 *
 * changed     every change of its value; of an object, of any of its members
 * sent        the field is in the body: it is write-only, so no change of its value can be seen
 * added_to    the list has an element that it did not have; one that only loses elements closes something
 * turned_on   from false to true
 * turned_off  from true to false
 * widened     the key can do more than before, or can be used from more places or for longer; the role gives more than before; the
 *             application admits people whom it refused, or the environment clients
 */
export type When = 'changed' | 'sent' | 'added_to' | 'turned_on' | 'turned_off' | 'widened'

export interface FreshField {
  where: Where
  when: When
}

/**
 * How a value is shown and edited. An object has the words of each choice; a value with several of them is a list.
 *
 * date    a day, of which a time is the beginning in UTC
 * lines   a text of several lines
 * list    several texts, one a line
 * words   several texts without spaces
 * scopes  the scopes of a resource server, one a line
 */
export type Look = (typeof looks)[number] | Readonly<Record<string, string>>
export const looks = ['switch', 'number', 'seconds', 'text', 'date', 'lines', 'list', 'words', 'events', 'scopes', 'json'] as const

export interface FieldWords {
  /** The name of the field for people, in forms and in the comparison. */
  readonly label: string
  readonly look: Look
  /** Who notices a change, and when; absent for a field that never changes. */
  readonly affects?: string
  /** The text below the field in a form. */
  readonly hint?: string
}

/**
 * When a request can send a field.
 *
 * always       at creation and in a change
 * at_creation  it never changes
 * secret       at creation and in a change, and the record does not have it
 * shown_once   never: the answer of the creation has it, and the record does not
 * never        the service sets it
 */
type Written = 'always' | 'at_creation' | 'secret' | 'shown_once' | 'never'

/** The parameter of a function is the field that says of which type the object is, such as `application_type`. */
type Default<Value> = Value | ((type: never) => Value)

interface Options<Type extends z.ZodType> extends FieldWords {
  /** The value that a creation without the field stores, and `null` in a change restores. Absent where a creation needs the field. */
  readonly default?: Default<z.output<Type>>
  readonly fresh?: FreshField
}

export interface Field<Type extends z.ZodType = z.ZodType, W extends Written = Written, HasDefault extends boolean = boolean> {
  /** Of the record; of a secret, of the body. */
  readonly type: Type
  readonly class: FieldClass
  readonly written: W
  readonly has_default: HasDefault
  readonly default?: Default<unknown>
  readonly fresh?: FreshField
  readonly words?: FieldWords
}

export type Table = Readonly<Record<string, Field>>

type HasDefault<O> = O extends { default: unknown } ? true : false

const writable =
  (of: FieldClass) =>
  <Type extends z.ZodType, const O extends Options<Type>>(type: Type, options: O): Field<Type, 'always', HasDefault<O>> =>
    field(type, of, 'always', options)

export const travels = writable('travels')
export const owned = writable('owned')

/** A field that is set at creation. */
export const fixed = <Type extends z.ZodType, const O extends Options<Type>>(
  type: Type,
  options: O,
  of: 'immutable' | 'owned' = 'immutable',
): Field<Type, 'at_creation', HasDefault<O>> => field(type, of, 'at_creation', options)

/** A write-only field. A document has the name of the secret in its place. */
export const secret = <Type extends z.ZodType>(type: Type, options: Omit<Options<Type>, 'default'>): Field<Type, 'secret', true> =>
  field(type, 'never', 'secret', { ...options, default: null as never }) // as: no secret is set

/** A secret that the service makes. */
export const shownOnce = <Type extends z.ZodType>(type: Type) => set(type, 'never', 'shown_once')

/** An id, a time, or state that the service observes. */
export const observed = <Type extends z.ZodType>(type: Type) => set(type, 'never', 'never')

/** The slug: the bodies have its own schemas. */
const named = <Type extends z.ZodType>(type: Type) => set(type, 'immutable', 'never')

const set = <Type extends z.ZodType, W extends Written>(type: Type, of: FieldClass, written: W): Field<Type, W, true> => ({
  type,
  class: of,
  written,
  has_default: true,
})

function field<Type extends z.ZodType, W extends Written, Has extends boolean>(
  type: Type,
  of: FieldClass,
  written: W,
  { default: value, fresh, ...words }: Options<Type>,
): Field<Type, W, Has> {
  const has_default = (value !== undefined) as Has // as: by the type of the options
  return { type, class: of, written, has_default, words, ...(has_default ? { default: value } : {}), ...(fresh ? { fresh } : {}) }
}

type NamesOf<T extends Table, W extends Written> = { [N in keyof T]: T[N]['written'] extends W ? N : never }[keyof T]
type DefaultedNames<T extends Table> = { [N in keyof T]: T[N] extends Field<z.ZodType, 'always', true> ? N : never }[keyof T]
type OrNull<Type extends z.ZodType> = Type extends z.ZodNullable ? Type : z.ZodNullable<Type>

type RecordShape<T extends Table> = { -readonly [N in Exclude<keyof T, NamesOf<T, 'secret' | 'shown_once'>>]: T[N]['type'] }
type CreationShape<T extends Table> = {
  -readonly [N in NamesOf<T, 'always' | 'at_creation' | 'secret'>]: T[N]['has_default'] extends true
    ? z.ZodOptional<T[N]['written'] extends 'secret' ? OrNull<T[N]['type']> : T[N]['type']>
    : T[N]['type']
}
type ChangeShape<T extends Table> = {
  -readonly [N in NamesOf<T, 'always' | 'secret'>]: z.ZodOptional<T[N]['has_default'] extends true ? OrNull<T[N]['type']> : T[N]['type']>
}
type FixedShape<T extends Table> = { -readonly [N in NamesOf<T, 'at_creation'>]: z.ZodOptional<T[N]['type']> }

/** The fields that a change can have, with their values. */
export type FieldsOf<T extends Table> = { -readonly [N in NamesOf<T, 'always'>]: z.output<T[N]['type']> }
export type DefaultsOf<T extends Table> = { -readonly [N in DefaultedNames<T>]: z.output<T[N]['type']> }

const isWritten = ({ written }: Field, ...by: Written[]) => by.includes(written)
const orNull = (type: z.ZodType): z.ZodType => (type instanceof z.ZodNullable ? type : type.nullable())

/** The rows that `which` accepts, each by `of`. */
const each = <Of>(table: Table, which: (row: Field) => boolean, of: (row: Field) => Of): Record<string, Of> =>
  Object.fromEntries(Object.entries(table).flatMap(([name, row]) => (which(row) ? [[name, of(row)]] : [])))

export const recordShape = <T extends Table>(table: T): RecordShape<T> =>
  each(
    table,
    (row) => !isWritten(row, 'secret', 'shown_once'),
    ({ type }) => type,
  ) as RecordShape<T> // as: each row by its name

export const creationShape = <T extends Table>(table: T): CreationShape<T> =>
  each(
    table,
    (row) => isWritten(row, 'always', 'at_creation', 'secret'),
    ({ type, written, has_default }) => (has_default ? (written === 'secret' ? orNull(type) : type).optional() : type),
  ) as CreationShape<T> // as: each row by its name

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field and removes a secret. */
export const changeShape = <T extends Table>(table: T): ChangeShape<T> =>
  each(
    table,
    (row) => isWritten(row, 'always', 'secret'),
    ({ type, has_default }) => (has_default ? orNull(type) : type).optional(),
  ) as ChangeShape<T> // as: each row by its name

/** The fields that are set at creation, as a document has them. */
export const fixedShape = <T extends Table>(table: T): FixedShape<T> =>
  each(
    table,
    (row) => isWritten(row, 'at_creation'),
    ({ type }) => type.optional(),
  ) as FixedShape<T> // as: each row by its name

/** @param type as in `defaultsOf` */
export const defaultOf = ({ default: value }: Field, type: unknown): unknown => (typeof value === 'function' ? value(type as never) : value) // as: the type that decides the default

/** @param type the value of the field that decides the defaults, such as that of `application_type` */
export const defaultsOf = <T extends Table>(table: T, type?: unknown): DefaultsOf<T> =>
  each(
    table,
    (row) => isWritten(row, 'always') && row.has_default,
    (row) => defaultOf(row, type),
  ) as DefaultsOf<T> // as: each row by its name

/** The names of the fields that a change can have, in the order of the record. */
export const changeableNames = <T extends Table>(table: T): (keyof FieldsOf<T> & string)[] => namesWritten(table, 'always')

/** The fields of an object that a change can have, of an object with more. */
export const fieldsOf = <T extends Table>(table: T, object: FieldsOf<T>): FieldsOf<T> =>
  Object.fromEntries(changeableNames(table).map((name) => [name, object[name]])) as FieldsOf<T> // as: each of its names

/** The names of the write-only fields. */
export const secretNames = <T extends Table>(table: T): (NamesOf<T, 'secret'> & string)[] => namesWritten(table, 'secret')

const namesWritten = <T extends Table, W extends Written>(table: T, written: W) =>
  Object.keys(table).filter((name) => table[name]?.written === written) as (NamesOf<T, W> & string)[] // as: the keys of the table

export const classesOf = <T extends Table>(table: T) =>
  each(
    table,
    () => true,
    (row) => row.class,
  ) as { readonly [N in keyof T]: FieldClass } // as: each row by its name

export const freshFieldsOf = (table: Table): Readonly<Record<string, FreshField>> =>
  Object.fromEntries(Object.entries(table).flatMap(([name, { fresh }]) => (fresh ? [[name, fresh]] : [])))

const fresh = (where: Where) => (when: When) => ({ where, when })
export const always = fresh('always')
export const inLive = fresh('in_live')

/** Where an object is. */
export const place = {
  tenant_id: observed(TenantId),
  project_id: observed(ProjectId),
  environment_id: observed(EnvironmentId),
  slug: named(slugs.record),
}

export const dates = { created_at: observed(Time), updated_at: observed(Time) }
