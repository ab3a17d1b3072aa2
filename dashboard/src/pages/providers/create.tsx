/**
 * Adds an identity provider, in the order of the work: which one, what to register there, and what it gave. The id is made here, so that
 * the redirect URI is known before there is a client id. The secret goes to the service and is never shown again.
 */
import '../../styles/sign-in-objects.css'
import type { Provider } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ChoiceCards } from '../../parts/choice-cards.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { providerId } from './id.ts'
import { kindOf, kinds, ofKind, scopesOf } from './kinds.ts'
import { ProviderMark } from './mark.tsx'
import { RegisterThere } from './register.tsx'

const tiles = kinds.map(({ value, label }) => ({
  value,
  name: (
    <>
      <ProviderMark type={value} /> {label}
    </>
  ),
}))

const newId = () => providerId(Date.now(), crypto.getRandomValues(new Uint8Array(10)))

export function CreateProvider({ close, check }: { close: () => void; check: (provider: Provider) => void }) {
  const { client, at, environment } = useEnvironment()
  const [id] = useState(newId)
  const [kind, setKind] = useState(kinds[0])
  const start = { display_name: kind.value === 'oidc' ? '' : kind.label, scopes: scopesOf(kind) }
  const fields = useObjectFields('provider', start, [
    'issuer',
    'client_id',
    'team_id',
    'key_id',
    'client_secret',
    'private_key',
    'secret_expires_at',
    'scopes',
    'display_name',
  ])
  const but = ofKind(kind)
  const { client_id, display_name } = fields.values
  const given = Object.entries(fields.change).filter(([name]) => but[name as keyof typeof but] !== null) // as: the names of the form
  const create = () => client.createProvider(at, { id, type: kind.value, ...Object.fromEntries(given), client_id, display_name })
  const action = useAction(create, {
    changes: [providers.all({ at })],
    done: (provider) => {
      check(provider)
      close()
    },
  })
  const choose = (type: Provider['type']) => {
    const chosen = kindOf(type)
    setKind(chosen)
    fields.enter({ scopes: scopesOf(chosen) })
  }
  return (
    <FormDialog title="Add a provider" submit="Add provider" action={action} onSubmit={() => action.run()} onClose={close}>
      <ChoiceCards legend="Provider" options={tiles} value={kind.value} choose={choose}>
        {fieldError(action.error, '/type') ? <p className="small tone-bad">{fieldError(action.error, '/type')}</p> : null}
      </ChoiceCards>
      <RegisterThere kind={kind} name={display_name || kind.label} callback_url={`${environment.issuer}/oauth/callback/${id}`} />
      <ObjectFields of={fields} error={action.error} but={but} />
    </FormDialog>
  )
}
