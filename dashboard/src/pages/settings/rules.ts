/** What the page says about a value before it is saved. */
import type { Field, Value } from './fields.ts'

/** What is wrong with a number while it is typed. The service has the last word. */
export function problemOf({ min, max }: Field, value: Value): string | null {
  if (typeof value !== 'number' || min === null || max === null) return null
  if (!Number.isInteger(value)) return 'Use a whole number.'
  return value < min || value > max ? `Use ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.` : null
}

/** What a change of a lifetime ends; `null` where it is not lowered. */
export function endedBy(field: Field, before: Value, value: Value): string | null {
  const then = value ?? field.default
  return typeof before === 'number' && typeof then === 'number' && then < before ? field.lowered : null
}
