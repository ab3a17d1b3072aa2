/** How an application authenticates: by which method, its public keys, and the rotation of its secret. */

import type { Application, ApplicationWithSecret } from '@ostiary/sdk'
import { useState } from 'react'
import { objects } from '../../generated/objects.ts'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { changedMembers, type Edited, EditForm } from '../../parts/edit.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Facts } from '../../parts/side.tsx'
import { Time } from '../../parts/time.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { SecretDialog } from '../applications/secret-dialog.tsx'
import { useApplicationEdit } from './form.tsx'
import { keySetProblem } from './key-set.ts'
import { usesSecret } from './questions.ts'
import { ClientSecrets } from './secrets.tsx'

const { look: method_words } = objects.application.fields.token_endpoint_auth_method
const { none: _, ...methods } = method_words

/** Only web applications authenticate: the others are public. */
export function Authentication(props: Edited<Application>) {
  const fields = useObjectFields('application', props.base.data, ['token_endpoint_auth_method', 'jwks_uri', 'jwks'])
  const has_keys = fields.values.token_endpoint_auth_method === 'private_key_jwt'
  const problem = has_keys ? keySetProblem(fields.values.jwks) : null
  const keys = has_keys ? {} : { jwks: null, jwks_uri: null }
  const form = useApplicationEdit(props, changedMembers(props.base.data, { ...fields.values, ...keys }))
  return (
    <EditForm {...form} incomplete={problem !== null}>
      <ObjectFields
        of={fields}
        error={form.edit.error}
        but={{
          token_endpoint_auth_method: { look: methods },
          jwks_uri: has_keys ? {} : null,
          jwks: has_keys ? { error: problem } : null,
        }}
      />
    </EditForm>
  )
}

export function Credentials({ application }: { application: Application }) {
  const { client, at, environment } = useEnvironment()
  const uses_secret = usesSecret(application.token_endpoint_auth_method)
  const [is_open, setOpen] = useState(false)
  const [created, setCreated] = useState<ApplicationWithSecret | null>(null)
  const action = useAction(() => client.rotateClientSecret({ ...at, application_id: application.id }), {
    changes: [applications.one({ client, at }, application.id).queryKey],
    secret: true,
    done: (rotated) => {
      setOpen(false)
      setCreated(rotated)
    },
  })
  const ask = () => {
    action.reset()
    setOpen(true)
  }
  return (
    <section className="card pad form">
      <Facts
        of={{
          'Client id': <code>{application.client_id}</code>,
          Authentication: method_words[application.token_endpoint_auth_method],
          'Client secret': application.has_client_secret
            ? 'Set. It cannot be shown again.'
            : uses_secret
              ? 'None yet. Nobody can sign in before it is made.'
              : application.application_type === 'web'
                ? 'None: the application signs with its own key.'
                : 'None: a public application keeps no secret.',
          'Last rotated': <Time at={application.secret_rotated_at} />,
        }}
      />
      {action.error && !is_open ? <Problem error={action.error} /> : null}
      {uses_secret && application.has_client_secret ? <ClientSecrets application={application} /> : null}
      {uses_secret ? (
        <div className="acts">
          {application.has_client_secret ? (
            <ChangeButton onClick={ask}>Rotate secret</ChangeButton>
          ) : (
            <ChangeButton disabled={action.busy} onClick={() => action.run()}>
              Make a secret
            </ChangeButton>
          )}
        </div>
      ) : null}
      {is_open ? (
        <Confirm
          title={`Rotate the secret of ${application.name}?`}
          consequence={
            <>
              <b className="strong">Every other secret stops working the moment you rotate.</b> There is no grace window: until the
              application has the new one, nobody can sign in through it. To replace a secret without that, add a second one instead.
            </>
          }
          keep="Keep the secret"
          act="Rotate now"
          typed={environment.type === 'live' ? application.name : undefined}
          busy={action.busy}
          error={action.error}
          onConfirm={() => action.run()}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {created ? (
        <SecretDialog
          application={created}
          rotate={() => {
            setCreated(null)
            setOpen(true)
          }}
          onClose={() => setCreated(null)}
        />
      ) : null}
    </section>
  )
}
