/** The fields that restrict a key, for a new one and for an edit. */
import { TagsInput } from '@mantine/core'
import { useState } from 'react'
import { fieldError } from '../../parts/problem.tsx'
import { originOf } from './origin.ts'
import { type Rate, standardRate } from './restrictions.ts'

interface ListProps {
  value: string[]
  change: (value: string[]) => void
  error: unknown
}

export function OriginsField({ value, change, error, is_live }: ListProps & { is_live: boolean }) {
  const [note, setNote] = useState<string | null>(null)
  const read = (typed: string[]) => {
    const origins = typed.map((text) => originOf(text, is_live))
    change(origins.flatMap(({ origin }) => origin ?? []))
    setNote(origins.find(({ note }) => note)?.note ?? null)
  }
  return (
    <TagsInput
      label="Allowed origins"
      description="Scheme, host and port, without a path. At least one. In Live only https is accepted."
      placeholder={value.length === 0 ? 'https://app.example.com' : 'Add another'}
      value={value}
      onChange={read}
      acceptValueOnBlur
      splitChars={[',', ' ']}
      error={fieldError(error, '/allowed_origins') ?? note}
    />
  )
}

export const AddressesField = ({ value, change, error }: ListProps) => (
  <TagsInput
    label="Source addresses, optional"
    description="Empty means anywhere."
    placeholder={value.length === 0 ? '203.0.113.0/24' : ''}
    value={value}
    onChange={change}
    acceptValueOnBlur
    splitChars={[',', ' ']}
    error={fieldError(error, '/ip_allowlist')}
  />
)

interface RateProps {
  value: Rate
  change: (value: Rate) => void
  error: unknown
  is_live: boolean
}

export const RateField = ({ value, change, error, is_live }: RateProps) => (
  <div className="field">
    <span className="lab">Rate limit</span>
    <div className="rate">
      <input
        className="in"
        type="number"
        min={1}
        max={100_000}
        required
        aria-label="Requests"
        value={value.limit}
        onChange={(event) => change({ ...value, limit: event.target.value })}
      />
      <span className="muted nowrap">requests in</span>
      <input
        className="in"
        type="number"
        min={1}
        max={3_600}
        required
        aria-label="Seconds"
        value={value.window_seconds}
        onChange={(event) => change({ ...value, window_seconds: event.target.value })}
      />
      <span className="muted">s</span>
    </div>
    <p className="hint">
      {fieldError(error, '/rate_limit') ??
        `${standardRate(is_live).limit} in 10 s is the default ${is_live ? 'in Live and for platform keys' : 'in Test'}.`}
    </p>
  </div>
)

/** How long a key works from now on: days, and nothing for no end. */
export const lifetimes = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
