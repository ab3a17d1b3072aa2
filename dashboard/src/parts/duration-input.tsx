/** A duration as a number and its unit. The value is in seconds; `null` is an empty field. */
import { Input, NativeSelect } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { durationUnits, secondsIn, unitOf } from './clock.ts'

interface DurationInputProps {
  label: string
  description: ReactNode
  error: ReactNode
  value: number | null
  /** The value of an empty field, in seconds. */
  empty: number | null
  change: (value: number | null) => void
}

/** Keeps the number and unit as they were typed, so that a number does not change its unit while it is typed. */
interface Typed {
  count: string
  unit_seconds: number
}

export function DurationInput({ label, description, error, value, empty, change }: DurationInputProps) {
  const id = useId()
  const [last, setLast] = useState<Typed | null>(null)
  const unit_of_empty = unitOf(empty ?? 60).seconds
  const typed = last && secondsOf(last) === value ? last : typedOf(value, unit_of_empty)
  const enter = (part: Partial<Typed>) => {
    const next = { ...typed, ...part }
    setLast(next)
    change(secondsOf(next))
  }
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <div className="duration">
        <Input
          id={id}
          type="number"
          min={0}
          step="any"
          error={Boolean(error)}
          placeholder={empty === null || empty % typed.unit_seconds !== 0 ? '' : String(empty / typed.unit_seconds)}
          value={typed.count}
          onChange={(event) => enter({ count: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label={`Unit of ${label}`}
          data={durationUnits.map(({ word, seconds }) => ({ label: word, value: String(seconds) }))}
          value={String(typed.unit_seconds)}
          onChange={(event) => enter({ unit_seconds: Number(event.currentTarget.value) })}
        />
      </div>
    </Input.Wrapper>
  )
}

function typedOf(value: number | null, unit_of_empty: number): Typed {
  if (value === null) return { count: '', unit_seconds: unit_of_empty }
  const unit_seconds = unitOf(value).seconds
  return { count: String(value / unit_seconds), unit_seconds }
}

const secondsOf = ({ count, unit_seconds }: Typed): number | null => (count === '' ? null : secondsIn(Number(count), unit_seconds))
