/** The control of one setting, with its plain name, its effect, its unit, its range and its default. */
import { duration } from '../../parts/clock.ts'
import { FieldInput } from '../../parts/field-input.tsx'
import type { Field, Value } from './fields.ts'
import { problemOf } from './rules.ts'
import { inWords, shown } from './values.ts'

export interface InputProps {
  field: Field
  value: Value
  change: (value: Value) => void
  error: string | undefined
}

export function Input({ field, error, ...entered }: InputProps) {
  const { label, look, min, max } = field
  const by_default = typeof field.default === 'number' ? field.default : null
  return (
    <FieldInput
      {...entered}
      look={look}
      label={label}
      description={helpOf(field)}
      error={problemOf(field, entered.value) ?? error}
      empty={by_default}
      placeholder={by_default === null ? undefined : String(by_default)}
      min={min ?? undefined}
      max={max ?? undefined}
    />
  )
}

/** Describes the field, with its range and its default. */
function helpOf(field: Field): string {
  const { look, min, max } = field
  const limit = look === 'seconds' ? duration : (number: number) => number.toLocaleString('en')
  const range = min === null || max === null ? '' : ` ${limit(min)} to ${limit(max)}.`
  const by_default = look === 'text' || Array.isArray(field.default) ? '' : ` Default: ${shown(field, field.default)}.`
  return `${inWords(field)}${range}${by_default}`
}
