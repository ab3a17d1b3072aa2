/**
 * Edits an identity provider. A secret stays as it is unless a new one is entered. A new issuer needs its own secret, so that none is
 * ever sent to another issuer. It is switched on and off in the list, which asks first.
 */

import { Checkbox, TagsInput } from '@mantine/core'
import type { Provider } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { CopyButton } from '../../parts/copy.tsx'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing, type Version } from '../../parts/save.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { ProviderField } from './field.tsx'
import { type FieldName, fieldsOf, isSecret, kindOf } from './kinds.ts'
import { useProviderSave } from './use-save.ts'

export function EditProvider({ provider_id, close }: { provider_id: string; close: () => void }) {
  const read = useRead(providers.one(useEnvironment(), provider_id))
  return read.data ? <Editing latest={read.data}>{(base, report) => <Form base={base} report={report} close={close} />}</Editing> : null
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

interface FormProps {
  base: Version<Provider>
  report: (is_edited: boolean) => void
  close: () => void
}

function Form({ base, report, close }: FormProps) {
  const { data: provider } = base
  const kind = kindOf(provider.type)
  const { issuer, team_id, key_id } = provider
  const [display_name, setName] = useState(provider.display_name)
  const [client_id, setClientId] = useState(provider.client_id)
  const [scopes, setScopes] = useState(provider.scopes)
  const [links, setLinks] = useState(provider.link_by_verified_email)
  const [fields, setFields] = useState<Partial<Record<FieldName, string>>>({
    issuer: issuer ?? '',
    team_id: team_id ?? '',
    key_id: key_id ?? '',
  })
  const action = useProviderSave(base, close)
  const has_new_issuer = (fields.issuer ?? '') !== (issuer ?? '')
  const next = {
    display_name,
    client_id,
    scopes,
    link_by_verified_email: links,
    ...Object.fromEntries(
      fieldsOf(kind)
        .filter((name) => !isSecret(name) || fields[name])
        .map((name) => [name, fields[name] || null]),
    ),
  }
  const before = provider as unknown as Record<string, unknown> // as: read by name
  const change = Object.fromEntries(Object.entries(next).filter(([name, value]) => !same(before[name], value)))
  const is_edited = Object.keys(change).length > 0
  useEffect(() => {
    report(is_edited)
  }, [is_edited, report])
  const helpOf = (name: FieldName) => {
    if (!isSecret(name)) return undefined
    const is_set = name === 'client_secret' ? provider.has_client_secret : provider.has_private_key
    if (!is_set) return 'None is set.'
    return has_new_issuer ? 'A new issuer needs its own secret.' : 'Set, and never shown. Empty keeps it.'
  }
  const isNeeded = (name: FieldName) => {
    if (!isSecret(name)) return kind.needs.includes(name)
    return has_new_issuer && (name === 'client_secret' ? provider.has_client_secret : provider.has_private_key)
  }
  return (
    <FormDialog
      title={`Edit ${provider.display_name}`}
      lead={<InEnvironment />}
      submit="Save"
      action={action}
      disabled={!is_edited}
      onSubmit={() => action.run(change)}
      onClose={close}
    >
      <div>
        <div className="lab">Redirect URI to register there</div>
        <code className="any">{provider.callback_url}</code>{' '}
        <CopyButton value={provider.callback_url} label={`the redirect URI of ${provider.display_name}`} />
      </div>
      <NameField label="Name on the button" member="display_name" value={display_name} change={setName} error={action.error} />
      <ProviderField name="client_id" is_needed value={client_id} change={setClientId} error={action.error} />
      {fieldsOf(kind).map((name) => (
        <ProviderField
          key={name}
          name={name}
          is_needed={isNeeded(name)}
          help={helpOf(name)}
          value={fields[name] ?? ''}
          change={(value) => setFields((current) => ({ ...current, [name]: value }))}
          error={action.error}
        />
      ))}
      <TagsInput
        label="Scopes to request"
        value={scopes}
        onChange={setScopes}
        acceptValueOnBlur
        splitChars={[' ', ',']}
        error={fieldError(action.error, '/scopes')}
      />
      <Checkbox
        label="Link by verified email"
        description="A first sign-in joins the existing user with the same address, if both sides have verified it."
        checked={links}
        onChange={(event) => setLinks(event.currentTarget.checked)}
        error={fieldError(action.error, '/link_by_verified_email')}
      />
      {action.dialog}
    </FormDialog>
  )
}
