/**
 * Edits an identity provider. A secret stays as it is unless a new one is entered. A new issuer needs its own secret, so that none is
 * ever sent to another issuer. It is switched on and off in the list, which asks first.
 */

import '../../styles/sign-in-objects.css'
import { Checkbox } from '@mantine/core'
import type { Provider } from '@ostiary/sdk'
import { useState } from 'react'
import { CopyButton } from '../../parts/copy.tsx'
import { changedMembers, type Edited, useEdit } from '../../parts/edit.tsx'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { ProviderField, ScopesField } from './field.tsx'
import { type FieldName, fieldsOf, isSecret, kindOf } from './kinds.ts'
import { RegisterThere } from './register.tsx'
import { savingProvider } from './saving.ts'

interface EditProps {
  provider_id: string
  close: () => void
  check: (provider: Provider) => void
}

export function EditProvider({ provider_id, ...rest }: EditProps) {
  const read = useRead(providers.one(useEnvironment(), provider_id))
  return read.data ? <Editing latest={read.data}>{(base, report) => <Form base={base} report={report} {...rest} />}</Editing> : null
}

function Form({ base, report, close, check }: Edited<Provider> & Omit<EditProps, 'provider_id'>) {
  const here = useEnvironment()
  const { data: provider } = base
  const kind = kindOf(provider.type)
  const { issuer, team_id, key_id } = provider
  const [display_name, setName] = useState(provider.display_name)
  const [client_id, setClientId] = useState(provider.client_id)
  const [scopes, setScopes] = useState(provider.scopes)
  const [links, setLinks] = useState(provider.link_by_verified_email)
  const [takes_name, setTakesName] = useState(provider.accept_preferred_username)
  const [sign_out, setSignOut] = useState(provider.sign_out)
  const [fields, setFields] = useState<Partial<Record<FieldName, string>>>({
    issuer: issuer ?? '',
    team_id: team_id ?? '',
    key_id: key_id ?? '',
  })
  const done = () => {
    check(provider)
    close()
  }
  const has_new_issuer = (fields.issuer ?? '') !== (issuer ?? '')
  const next = {
    display_name,
    client_id,
    scopes,
    link_by_verified_email: links,
    accept_preferred_username: takes_name,
    sign_out,
    ...Object.fromEntries(
      fieldsOf(kind)
        .filter((name) => !isSecret(name) || fields[name])
        .map((name) => [name, fields[name] || null]),
    ),
  }
  const edit = useEdit({ ...savingProvider(here, base), report, change: changedMembers(provider, next), done })
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
  const field = (name: FieldName) => (
    <ProviderField
      key={name}
      kind={kind}
      name={name}
      is_needed={isNeeded(name)}
      help={helpOf(name)}
      value={fields[name] ?? ''}
      change={(value) => setFields((current) => ({ ...current, [name]: value }))}
      error={edit.error}
    />
  )
  return (
    <FormDialog
      title={`Edit ${provider.display_name}`}
      lead={<InEnvironment />}
      submit="Save"
      action={edit}
      disabled={!edit.is_edited}
      onSubmit={edit.submit}
      onClose={close}
    >
      <RegisterThere kind={kind} name={provider.display_name} callback_url={provider.callback_url} />
      {fieldsOf(kind)
        .filter((name) => name === 'issuer')
        .map(field)}
      <ProviderField kind={kind} name="client_id" is_needed value={client_id} change={setClientId} error={edit.error} />
      {fieldsOf(kind)
        .filter((name) => name !== 'issuer')
        .map(field)}
      <ScopesField value={scopes} change={setScopes} error={edit.error} />
      <NameField label="Name on the button" member="display_name" value={display_name} change={setName} error={edit.error} />
      <Checkbox
        label="Link by verified email"
        description="A first sign-in joins the existing user with the same address, if both sides have verified it."
        checked={links}
        onChange={(event) => setLinks(event.currentTarget.checked)}
        error={fieldError(edit.error, '/link_by_verified_email')}
      />
      <Checkbox
        label="Take the user name"
        description="A first sign-in stores the user name of the provider, if no other user has it. Applications see it as preferred_username."
        checked={takes_name}
        onChange={(event) => setTakesName(event.currentTarget.checked)}
        error={fieldError(edit.error, '/accept_preferred_username')}
      />
      {provider.type === 'github' ? null : (
        <Checkbox
          label="Sign out there too"
          description="A person who signs out here is led through the provider, which ends its own session. Register the address below there."
          checked={sign_out === 'rp_initiated'}
          onChange={(event) => setSignOut(event.currentTarget.checked ? 'rp_initiated' : 'none')}
          error={fieldError(edit.error, '/sign_out')}
        />
      )}
      {sign_out === 'rp_initiated' ? (
        <div>
          <div className="lab">Address after a sign-out to register there</div>
          <code className="any">{provider.post_logout_redirect_uri}</code>{' '}
          <CopyButton value={provider.post_logout_redirect_uri} label={`the address after a sign-out of ${provider.display_name}`} />
        </div>
      ) : null}
      {edit.dialog}
    </FormDialog>
  )
}
