/** The fields that restrict a key, for a new one and for an edit. */
import { NativeSelect, TagsInput, TextInput } from '@mantine/core'
import type { ApiKey } from '@ostiary/sdk'
import { useState } from 'react'
import { entered } from '../../parts/fields.tsx'
import { InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useScope } from '../../scope.tsx'
import { originOf } from './origin.ts'
import { type KeyValues, type Rate, standardRate } from './restrictions.ts'
import { ScopePicker } from './scope-picker.tsx'

/** Whether the keys of the page work in Live. A platform key works in every environment. */
export const useIsLive = () => useScope().environment?.type !== 'test'

/** Where the keys of the page work, for the head of a dialog. */
export function Where() {
  const { project, tenant } = useScope()
  return project ? <InEnvironment /> : `For ${tenant.name}, all projects.`
}

interface KeyFieldsProps {
  type: ApiKey['type']
  /** The choices of how long the key works. */
  lifetimes: { value: string; label: string }[]
  values: KeyValues
  change: (values: KeyValues) => void
  /** The error of the last attempt, which may name fields. */
  error: unknown
  /** Whether the key needs a label. */
  is_labelled: boolean
}

export function KeyFields({ type, lifetimes, values, change, error, is_labelled }: KeyFieldsProps) {
  const is_live = useIsLive()
  const enter = (part: Partial<KeyValues>) => change({ ...values, ...part })
  return (
    <>
      <TextInput
        label="Label, so that you know it again"
        required={is_labelled}
        maxLength={100}
        {...entered(values.label, (label) => enter({ label }), error, '/label')}
      />
      {type === 'platform_secret' ? <ScopePicker value={values.scopes} onChange={(scopes) => enter({ scopes })} /> : null}
      {type === 'auth_publishable' ? (
        <OriginsField
          value={values.allowed_origins}
          change={(allowed_origins) => enter({ allowed_origins })}
          is_live={is_live}
          error={error}
        />
      ) : null}
      <div className="two">
        <AddressesField value={values.ip_allowlist} change={(ip_allowlist) => enter({ ip_allowlist })} error={error} />
        <RateField value={values.rate} change={(rate) => enter({ rate })} is_live={is_live} error={error} />
      </div>
      <NativeSelect label="Expires" data={lifetimes} {...entered(values.days, (days) => enter({ days }), error, '/expires_at')} />
    </>
  )
}

interface ListProps {
  value: string[]
  change: (value: string[]) => void
  error: unknown
}

const typed_in_rows = { acceptValueOnBlur: true, splitChars: [',', ' '] }

function OriginsField({ value, change, error, is_live }: ListProps & { is_live: boolean }) {
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
      {...typed_in_rows}
      error={fieldError(error, '/allowed_origins') ?? note}
    />
  )
}

const AddressesField = ({ value, change, error }: ListProps) => (
  <TagsInput
    label="Source addresses, optional"
    description="Empty means anywhere."
    placeholder={value.length === 0 ? '203.0.113.0/24' : ''}
    value={value}
    onChange={change}
    {...typed_in_rows}
    error={fieldError(error, '/ip_allowlist')}
  />
)

interface RateProps {
  value: Rate
  change: (value: Rate) => void
  error: unknown
  is_live: boolean
}

function RateField({ value, change, error, is_live }: RateProps) {
  const number = (name: keyof Rate, label: string, max: number) => (
    <input
      className="in"
      type="number"
      min={1}
      max={max}
      required
      aria-label={label}
      value={value[name]}
      onChange={(event) => change({ ...value, [name]: event.target.value })}
    />
  )
  return (
    <div className="field">
      <span className="lab">Rate limit</span>
      <div className="rate">
        {number('limit', 'Requests', 100_000)}
        <span className="muted nowrap">requests in</span>
        {number('window_seconds', 'Seconds', 3_600)}
        <span className="muted">s</span>
      </div>
      <p className="hint">
        {fieldError(error, '/rate_limit') ??
          `${standardRate(is_live).limit} in 10 s is the default ${is_live ? 'in Live and for platform keys' : 'in Test'}.`}
      </p>
    </div>
  )
}

/** How long a key works from now on: days, and nothing for no end. */
export const lifetimes = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
