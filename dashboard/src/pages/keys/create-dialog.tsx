/** Creating a key: kind, label, where it may be used from, how often, until when. Platform keys have scopes instead of a kind. */
import { NativeSelect, TagsInput, TextInput } from '@mantine/core'
import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { originOf } from './origin.ts'

export interface KeyForm {
  type: 'auth_publishable' | 'auth_secret'
  label: string
  allowed_origins: string[]
  ip_allowlist: string[]
  rate_limit?: { limit: number; window_seconds: number }
  expires_at?: string
}

const lifetimes = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

interface CreateProps {
  kinds: boolean
  is_live: boolean
  lead: ReactNode
  /** Further fields, such as scopes. */
  children?: ReactNode
  create: (form: KeyForm) => Promise<ApiKeyWithPlaintext>
  onCreated: (key: ApiKeyWithPlaintext) => void
  onClose: () => void
}

export function CreateKeyDialog({ kinds, is_live, lead, children, create, onCreated, onClose }: CreateProps) {
  const [type, setType] = useState<KeyForm['type']>(kinds ? 'auth_publishable' : 'auth_secret')
  const [label, setLabel] = useState('')
  const [origins, setOrigins] = useState<string[]>([])
  const [note, setNote] = useState<string | null>(null)
  const [addresses, setAddresses] = useState<string[]>([])
  const standard = is_live ? '1000' : '100'
  const [limit, setLimit] = useState(standard)
  const [window_seconds, setWindow] = useState('10')
  const [days, setDays] = useState('')
  const action = useAction(create, { done: onCreated })
  const is_publishable = type === 'auth_publishable'

  const changeOrigins = (values: string[]) => {
    const read = values.map((value) => originOf(value, is_live))
    setOrigins(read.flatMap(({ origin }) => origin ?? []))
    setNote(read.find(({ note }) => note)?.note ?? null)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const is_standard = limit === standard && window_seconds === '10'
    action.run({
      type,
      label,
      allowed_origins: is_publishable ? origins : [],
      ip_allowlist: addresses,
      ...(is_standard ? {} : { rate_limit: { limit: Number(limit), window_seconds: Number(window_seconds) } }),
      ...(days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
    })
  }
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Create a key"
      lead={lead}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="create-key" className="btn pri" disabled={action.busy}>
            Create key
          </button>
        </>
      }
    >
      <form id="create-key" onSubmit={submit}>
        {kinds ? (
          <fieldset>
            <legend className="lab">Kind</legend>
            <div className="kinds">
              <Kind is_chosen={is_publishable} choose={() => setType('auth_publishable')} icon="globe" name="Publishable">
                For browser code. Reads how sign-in is set up, nothing else.
              </Kind>
              <Kind is_chosen={!is_publishable} choose={() => setType('auth_secret')} icon="lock" name="Secret">
                For your server. Checks tokens, manages users and sessions.
              </Kind>
            </div>
          </fieldset>
        ) : null}
        <TextInput
          label="Label, so that you know it again"
          required
          withAsterisk={false}
          maxLength={100}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={fieldError(action.error, '/label')}
        />
        {children}
        {kinds && is_publishable ? (
          <TagsInput
            label="Allowed origins"
            description="Scheme, host and port, without a path. At least one. In Live only https is accepted."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder={origins.length === 0 ? 'https://app.example.com' : 'Add another'}
            value={origins}
            onChange={changeOrigins}
            acceptValueOnBlur
            splitChars={[',', ' ']}
            error={fieldError(action.error, '/allowed_origins') ?? note}
          />
        ) : null}
        <div className="two">
          <TagsInput
            label="Source addresses, optional"
            description="Empty means anywhere."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder={addresses.length === 0 ? '203.0.113.0/24' : ''}
            value={addresses}
            onChange={setAddresses}
            acceptValueOnBlur
            splitChars={[',', ' ']}
            error={fieldError(action.error, '/ip_allowlist')}
          />
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
                value={limit}
                onChange={(event) => setLimit(event.target.value)}
              />
              <span className="muted nowrap">requests in</span>
              <input
                className="in"
                type="number"
                min={1}
                max={3_600}
                required
                aria-label="Seconds"
                value={window_seconds}
                onChange={(event) => setWindow(event.target.value)}
              />
              <span className="muted">s</span>
            </div>
            <p className="hint">
              {fieldError(action.error, '/rate_limit') ??
                `${standard} in 10 s is the default ${is_live ? 'in Live and for platform keys' : 'in Test'}.`}
            </p>
          </div>
        </div>
        <NativeSelect
          label="Expires"
          data={lifetimes}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          error={fieldError(action.error, '/expires_at')}
        />
        {action.error ? <Problem error={action.error} focus /> : null}
      </form>
    </Dialog>
  )
}

function Kind({
  is_chosen,
  choose,
  icon,
  name,
  children,
}: {
  is_chosen: boolean
  choose: () => void
  icon: 'globe' | 'lock'
  name: string
  children: ReactNode
}) {
  return (
    <label className="kind">
      <input type="radio" name="kind" checked={is_chosen} onChange={choose} />
      <b>
        <Icon name={icon} /> {name}
      </b>
      <span>{children}</span>
    </label>
  )
}
