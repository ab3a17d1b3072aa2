/**
 * Adds an identity provider, in the order of the work: which one, what to register there, and what it gave. The id is made here, so that
 * the redirect URI is known before there is a client id. The secret goes to the service and is never shown again.
 */
import '../../styles/sign-in-objects.css'
import type { Provider } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { ProviderField, ScopesField } from './field.tsx'
import { providerId } from './id.ts'
import { type FieldName, fieldsOf, kinds, scopesOf } from './kinds.ts'
import { ProviderMark } from './mark.tsx'
import { RegisterThere } from './register.tsx'

const newId = () => providerId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))

export function CreateProvider({ close, check }: { close: () => void; check: (provider: Provider) => void }) {
  const { client, at, environment } = useEnvironment()
  const [id] = useState(newId)
  const [kind, setKind] = useState(kinds[0])
  const [name, setName] = useState<string | null>(null)
  const [client_id, setClientId] = useState('')
  const [fields, setFields] = useState<Partial<Record<FieldName, string>>>({})
  const [scopes, setScopes] = useState<string[] | null>(null)
  const names = fieldsOf(kind)
  const display_name = name ?? (kind.value === 'oidc' ? '' : kind.label)
  const given = Object.fromEntries(names.filter((name) => fields[name]).map((name) => [name, fields[name]]))
  const create = () => client.createProvider(at, { id, type: kind.value, display_name, client_id, ...given, ...(scopes ? { scopes } : {}) })
  const action = useAction(create, {
    changes: [providers.all({ at })],
    done: (provider) => {
      check(provider)
      close()
    },
  })
  const field = (name: FieldName) => (
    <ProviderField
      key={name}
      kind={kind}
      name={name}
      is_needed={kind.needs.includes(name)}
      value={fields[name] ?? ''}
      change={(value) => setFields((before) => ({ ...before, [name]: value }))}
      error={action.error}
    />
  )
  return (
    <FormDialog
      title="Add a provider"
      lead={<InEnvironment />}
      submit="Add provider"
      action={action}
      onSubmit={() => action.run(undefined)}
      onClose={close}
    >
      <fieldset>
        <legend className="lab">Provider</legend>
        <div className="kinds three tiles">
          {kinds.map((each) => (
            <label className="kind" key={each.value}>
              <input
                type="radio"
                name="kind"
                checked={each === kind}
                onChange={() => {
                  setKind(each)
                  setScopes(null)
                }}
              />
              <b>
                <ProviderMark type={each.value} /> {each.label}
              </b>
            </label>
          ))}
        </div>
        {fieldError(action.error, '/type') ? <p className="small tone-bad">{fieldError(action.error, '/type')}</p> : null}
      </fieldset>
      <RegisterThere kind={kind} name={display_name || kind.label} callback_url={`${environment.issuer}/oauth/callback/${id}`} />
      {names.filter((name) => name === 'issuer').map(field)}
      <ProviderField kind={kind} name="client_id" is_needed value={client_id} change={setClientId} error={action.error} />
      {names.filter((name) => name !== 'issuer').map(field)}
      <ScopesField value={scopes ?? scopesOf(kind)} change={setScopes} error={action.error} />
      <NameField label="Name on the button" member="display_name" value={display_name} change={setName} error={action.error} />
    </FormDialog>
  )
}
