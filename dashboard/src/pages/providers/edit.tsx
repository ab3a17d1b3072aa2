/**
 * Edits an identity provider. A secret stays as it is unless a new one is entered. A new issuer needs its own secret, so that none is
 * ever sent to another issuer. It is switched on and off in the list, which asks first.
 */

import '../../styles/sign-in-objects.css'
import type { Provider } from '@ostiary/sdk'
import { CopyButton } from '../../parts/copy.tsx'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { kindOf, ofKind } from './kinds.ts'
import { RegisterThere } from './register.tsx'
import { savingProvider } from './saving.ts'

interface EditProps {
  provider_id: string
  close: () => void
  check: (provider: Provider) => void
}

export function EditProvider({ provider_id, ...rest }: EditProps) {
  const read = useRead(providers.one(useEnvironment(), provider_id))
  return read.data ? <Editing latest={read.data}>{(edited) => <Form {...edited} {...rest} />}</Editing> : null
}

function Form({ base, report, close, check }: Edited<Provider> & Omit<EditProps, 'provider_id'>) {
  const here = useEnvironment()
  const { data: provider } = base
  const kind = kindOf(provider.type)
  const fields = useObjectFields('provider', provider, [
    'issuer',
    'client_id',
    'team_id',
    'key_id',
    'client_secret',
    'private_key',
    'secret_expires_at',
    'scopes',
    'display_name',
    'link_by_verified_email',
    'accept_preferred_username',
    'sign_out',
  ])
  const done = () => {
    check(provider)
    close()
  }
  const edit = useEdit({ ...savingProvider(here, base), report, change: fields.change, done })
  const has_new_issuer = 'issuer' in fields.change
  const secret = (is_set: boolean) => {
    const kept = has_new_issuer ? 'A new issuer needs its own secret.' : 'Set, and never shown. Empty keeps it.'
    return { required: is_set && has_new_issuer, note: is_set ? kept : 'None is set.' }
  }
  const register = (
    <div>
      <div className="lab">Address after a sign-out to register there</div>
      <code className="any">{provider.post_logout_redirect_uri}</code>{' '}
      <CopyButton value={provider.post_logout_redirect_uri} label={`the address after a sign-out of ${provider.display_name}`} />
    </div>
  )
  return (
    <FormDialog
      title={`Edit ${provider.display_name}`}
      submit="Save"
      action={edit}
      disabled={!edit.is_edited}
      onSubmit={edit.submit}
      onClose={close}
    >
      <RegisterThere kind={kind} name={provider.display_name} callback_url={provider.callback_url} />
      <ObjectFields
        of={fields}
        error={edit.error}
        but={{
          ...ofKind(kind, { client_secret: secret(provider.has_client_secret), private_key: secret(provider.has_private_key) }),
          sign_out: provider.type === 'github' ? null : { below: fields.values.sign_out === 'rp_initiated' ? register : null },
        }}
      />
      {edit.dialog}
    </FormDialog>
  )
}
