/** The addresses of an application, and its scopes and consent. */

import type { Application } from '@ostiary/sdk'
import { type Edited, EditForm } from '../../parts/edit.tsx'
import { Note } from '../../parts/note.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { useQueryState } from '../../parts/search.ts'
import { useEnvironment } from '../../scope.tsx'
import { problemIn } from '../applications/redirect-uri.ts'
import { ComparedValue } from '../calls/refused-value.tsx'
import { AllowedRoles } from './allowed-roles.tsx'
import { useApplicationEdit } from './form.tsx'
import { offeredAddress } from './offered-address.ts'

export function Addresses(props: Edited<Application>) {
  const { data: application } = props.base
  const { environment } = useEnvironment()
  const { search } = useQueryState()
  const fields = useObjectFields('application', application, [
    'name',
    'redirect_uris',
    'post_logout_redirect_uris',
    'initiate_login_uri',
    'backchannel_logout_uri',
    'allow_loopback_port',
    'disabled',
  ])
  const form = useApplicationEdit(props, fields.change)
  const { redirect_uris } = fields.values
  const offered = offeredAddress(search.redirect_uri, fields.values, environment.type)
  const notes = (
    <>
      {search.compare ? <ComparedValue request_id={search.compare} registered={application.redirect_uris} /> : null}
      {offered ? (
        <Note tone="acc">
          A sign-in asked to return to <code className="any">{offered}</code>, which is not registered. If it is an address of this
          application,{' '}
          <button type="button" className="text-button" onClick={() => fields.enter({ redirect_uris: [...redirect_uris, offered] })}>
            add it below
          </button>{' '}
          and save.
        </Note>
      ) : null}
    </>
  )
  return (
    <EditForm {...form}>
      <ObjectFields
        of={fields}
        error={form.edit.error}
        but={{
          redirect_uris: { above: notes, error: problemIn(redirect_uris, application.application_type, environment.type) },
          allow_loopback_port: application.application_type === 'native' ? {} : null,
        }}
      />
    </EditForm>
  )
}

export function Scopes(props: Edited<Application>) {
  const { data: application } = props.base
  const { search } = useQueryState()
  const fields = useObjectFields('application', application, [
    'allowed_scopes',
    'unknown_scopes',
    'organizations',
    'allowed_roles',
    'roles_claim',
    'data_claims',
    'consent',
    'logo_uri',
    'require_pkce',
    'nonce_replaces_pkce',
  ])
  const form = useApplicationEdit(props, fields.change)
  const is_web = application.application_type === 'web'
  return (
    <EditForm {...form}>
      {search.compare ? <ComparedValue request_id={search.compare} registered={application.allowed_scopes} /> : null}
      <ObjectFields
        of={fields}
        error={form.edit.error}
        but={{
          allowed_roles: null,
          roles_claim: {
            above: (
              <AllowedRoles
                value={fields.values.allowed_roles}
                stored={application.allowed_roles}
                change={(allowed_roles) => fields.enter({ allowed_roles })}
                error={form.edit.error}
              />
            ),
            placeholder: 'roles',
          },
          require_pkce: is_web ? {} : { disabled: true, description: 'Always required of public applications.' },
          nonce_replaces_pkce: is_web ? { disabled: !fields.values.require_pkce } : null,
        }}
      />
    </EditForm>
  )
}
