/** The control of one setting, with its plain name, its effect, its unit, its range and its default. */
import { duration } from '../../parts/clock.ts'
import { FieldInput } from '../../parts/field-input.tsx'
import { More } from '../../parts/more.tsx'
import type { Field, Value } from './fields.ts'
import { problemOf } from './rules.ts'
import { inWords, sentencesOf, shown } from './values.ts'

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
      description={<Help of={field} />}
      error={problemOf(field, entered.value) ?? error}
      empty={by_default}
      placeholder={by_default === null ? undefined : String(by_default)}
      min={min ?? undefined}
      max={max ?? undefined}
    />
  )
}

/** Describes the field in one sentence, with its range and its default. The rest opens below it. */
function Help({ of: field }: { of: Field }) {
  const { first, rest } = sentencesOf(inWords(field))
  return (
    <>
      {first} <span className="limits">{limitsOf(field)}</span>
      {rest === '' ? null : <More about={field.label}>{rest}</More>}
    </>
  )
}

function limitsOf(field: Field): string {
  const { look, min, max } = field
  const limit = look === 'seconds' ? duration : (number: number) => number.toLocaleString('en')
  const range = min === null || max === null ? '' : `${limit(min)} to ${limit(max)}. `
  return look === 'text' || Array.isArray(field.default) ? range : `${range}Default: ${shown(field, field.default)}.`
}
