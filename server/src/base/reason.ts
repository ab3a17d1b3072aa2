// pure
/**
 * The reason of a refusal: a fixed sentence for the developers of a tenant, with ids, numbers and words of our own as values. It is
 * recorded and logged, so it never contains text of a request: what a person typed, a token, a secret, a body, a query.
 *
 * The types enforce this. An error takes a text without values as its own reason. A text with values needs a `reason`, and only the tag
 * of this file makes one.
 */
import type { IdPrefix } from '@ostiary/contract/ids.ts'

declare const is_reason: unique symbol
export type Reason = string & { readonly [is_reason]: true }

declare const is_shown: unique symbol
/** Text that was compared with a list of ours or with the pattern of an id. */
type Shown = string & { readonly [is_shown]: true }

/** True for literals, and false for `string` and for texts with a part that varies: only literals are required members of a record. */
type IsFixed<T extends string> = Record<never, 1> extends Record<T, 1> ? false : true

type Value<T> = T extends number | Shown | Reason | `${IdPrefix}_${string}`
  ? T
  : T extends string
    ? IsFixed<T> extends true
      ? T
      : never
    : never

export function reason<const V extends readonly (string | number)[]>(
  texts: TemplateStringsArray,
  ...values: V & { readonly [I in keyof V]: Value<V[I]> }
): Reason {
  return String.raw({ raw: texts }, ...values) as Reason // as: only this function makes one
}

/** The parameters after the text of an error: a text that could contain more than our own words needs a reason beside it. */
export type Explained<Text extends string, Options extends { reason?: Reason }> = Text extends Reason
  ? [options?: Options]
  : IsFixed<Text> extends true
    ? [options?: Options]
    : [options: Options & { reason: Reason }]

const id_pattern = /^[a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** An id, or a stand-in where the text is not an id. */
export const idIn = (text: string): Shown => (id_pattern.test(text) ? text : 'of another form') as Shown // as: just checked

/** The text where it is one of these words, else the stand-in. */
export function oneOf<const S extends string>(words: Iterable<string>, text: string, otherwise: S): Shown {
  for (const word of words) if (word === text) return word as Shown // as: a word of ours
  return otherwise as string as Shown // as: a literal of the caller
}
