/**
 * What happens to a field when the configuration of one environment is promoted to another. The table of each resource is beside its
 * schema.
 *
 * travels    copied
 * owned      belongs to its environment and is never copied
 * immutable  set at creation; `slug` says which object is which
 * never      a secret, an id, a time, or state that the service observes
 */
export type FieldClass = 'travels' | 'owned' | 'immutable' | 'never'

/** A class for every field of a record. */
export type FieldClasses<Fields> = { readonly [Name in keyof Required<Fields>]: FieldClass }

/** A class for every field of a document in groups. */
export type NestedFieldClasses = { readonly [name: string]: FieldClass | NestedFieldClasses }
