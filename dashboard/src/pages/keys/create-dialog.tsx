/** Creating a key: kind, label, where it may be used from, how often, until when. Platform keys have scopes instead of a kind. */
import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ChoiceCards } from '../../parts/choice-cards.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useScope } from '../../scope.tsx'
import { KeyFields, lifetimes, useIsLive, Where } from './fields.tsx'
import type { KeyForm } from './kind.ts'
import { endAfter, type KeyValues, limitOf, standardRate } from './restrictions.ts'

const kinds = [
  {
    value: 'auth_publishable',
    name: (
      <>
        <Icon name="globe" /> Publishable
      </>
    ),
    text: 'For browser code. Reads how sign-in is set up, nothing else.',
  },
  {
    value: 'auth_secret',
    name: (
      <>
        <Icon name="lock" /> Secret
      </>
    ),
    text: 'For your server. Checks tokens, manages users and sessions.',
  },
] as const

interface CreateProps {
  create: (form: KeyForm) => Promise<ApiKeyWithPlaintext>
  onCreated: (key: ApiKeyWithPlaintext) => void
  onClose: () => void
}

export function CreateKeyDialog({ create, onCreated, onClose }: CreateProps) {
  const { environment } = useScope()
  const is_live = useIsLive()
  const [type, setType] = useState<KeyForm['type']>('auth_publishable')
  const [values, setValues] = useState<KeyValues>({
    label: '',
    scopes: [],
    allowed_origins: [],
    ip_allowlist: [],
    rate: standardRate(is_live),
    days: '',
  })
  const action = useAction(create, { secret: true, done: onCreated })
  const submit = () => {
    const { rate, days, allowed_origins, ...entered } = values
    const rate_limit = limitOf(rate, is_live)
    const expires_at = endAfter(days, new Date())
    action.run({
      ...entered,
      type,
      allowed_origins: type === 'auth_publishable' ? allowed_origins : [],
      ...(rate_limit ? { rate_limit } : {}),
      ...(expires_at ? { expires_at } : {}),
    })
  }
  return (
    <FormDialog title="Create a key" lead={<Where />} submit="Create key" action={action} onSubmit={submit} onClose={onClose}>
      {environment ? <ChoiceCards legend="Kind" options={kinds} value={type} choose={setType} /> : null}
      <KeyFields
        type={environment ? type : 'platform_secret'}
        lifetimes={lifetimes}
        values={values}
        change={setValues}
        error={action.error}
        is_labelled
      />
    </FormDialog>
  )
}
