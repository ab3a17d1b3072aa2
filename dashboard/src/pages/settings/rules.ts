/** The hints of the page about a value before it is saved. */
import { duration } from '../../parts/clock.ts'
import type { SwitchedMethod } from '../../parts/words.ts'
import type { Field, Value } from './fields.ts'

/** Returns the problem of a number while it is typed. The service decides. */
export function problemOf({ look, min, max }: Field, value: Value): string | null {
  if (typeof value !== 'number' || min === null || max === null) return null
  const is_time = look === 'seconds'
  if (!Number.isInteger(value)) return is_time ? 'Use whole seconds.' : 'Use a whole number.'
  const limit = is_time ? duration : (number: number) => number.toLocaleString('en')
  return value < min || value > max ? `Use ${limit(min)} to ${limit(max)}.` : null
}

/** Returns the effect of a lower lifetime; `null` if the change does not lower it. */
export function endedBy(field: Field, before: Value, value: Value): string | null {
  const then = value ?? field.default
  return typeof before === 'number' && typeof then === 'number' && then < before ? field.lowered : null
}

const methods: readonly string[] = ['password', 'email_code', 'passkey'] satisfies SwitchedMethod[]

/** The sign-in methods that these changes switch off. */
export const switchedOff = (changed: readonly (readonly [Field, Value])[]): { field: Field; method: SwitchedMethod }[] =>
  changed.flatMap(([field, value]) =>
    field.group === 'sign_in' && methods.includes(field.name) && (value ?? field.default) === false
      ? [{ field, method: field.name as SwitchedMethod }] // as: the list has it
      : [],
  )
