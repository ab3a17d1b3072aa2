/** Creating a key: kind, label, where it may be used from, how often, until when. Platform keys have scopes instead of a kind. */
import { NativeSelect, TextInput } from '@mantine/core'
import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { AddressesField, lifetimes, OriginsField, RateField } from './fields.tsx'
import { endAfter, limitOf, standardRate } from './restrictions.ts'

export interface KeyForm {
  type: 'auth_publishable' | 'auth_secret'
  label: string
  allowed_origins: string[]
  ip_allowlist: string[]
  rate_limit?: { limit: number; window_seconds: number }
  expires_at?: string
}

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
  const [addresses, setAddresses] = useState<string[]>([])
  const [rate, setRate] = useState(standardRate(is_live))
  const [days, setDays] = useState('')
  const action = useAction(create, { secret: true, done: onCreated })
  const is_publishable = type === 'auth_publishable'

  const submit = () => {
    const rate_limit = limitOf(rate, is_live)
    const expires_at = endAfter(days, new Date())
    action.run({
      type,
      label,
      allowed_origins: is_publishable ? origins : [],
      ip_allowlist: addresses,
      ...(rate_limit ? { rate_limit } : {}),
      ...(expires_at ? { expires_at } : {}),
    })
  }
  return (
    <FormDialog title="Create a key" lead={lead} submit="Create key" action={action} onSubmit={submit} onClose={onClose}>
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
        maxLength={100}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={fieldError(action.error, '/label')}
      />
      {children}
      {kinds && is_publishable ? <OriginsField value={origins} change={setOrigins} is_live={is_live} error={action.error} /> : null}
      <div className="two">
        <AddressesField value={addresses} change={setAddresses} error={action.error} />
        <RateField value={rate} change={setRate} is_live={is_live} error={action.error} />
      </div>
      <NativeSelect
        label="Expires"
        data={lifetimes}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        error={fieldError(action.error, '/expires_at')}
      />
    </FormDialog>
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
