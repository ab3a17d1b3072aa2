/** How an application authenticates: by which method, its public keys, and the rotation of its secret. */

import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { Application, ApplicationWithSecret } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { changedMembers, type Edited, EditForm } from '../../parts/edit.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { Facts } from '../../parts/side.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { SecretDialog } from '../applications/secret-dialog.tsx'
import { useApplicationEdit } from './form.tsx'
import { readKeySet } from './key-set.ts'
import { usesSecret } from './questions.ts'

const methods = [
  { value: 'client_secret', label: 'client_secret: in header or body' },
  { value: 'client_secret_basic', label: 'client_secret_basic: in the header' },
  { value: 'client_secret_post', label: 'client_secret_post: in the body' },
  { value: 'private_key_jwt', label: 'private_key_jwt: signed by its own key' },
] as const

/** Only web applications authenticate: the others are public. */
export function Authentication(props: Edited<Application>) {
  const { data: application } = props.base
  const [method, setMethod] = useState(application.token_endpoint_auth_method)
  const [jwks_uri, setUri] = useState(application.jwks_uri ?? '')
  const [keys, setKeys] = useState(application.jwks ? JSON.stringify(application.jwks, null, 2) : '')
  const has_keys = method === 'private_key_jwt'
  const { jwks, problem } = readKeySet(has_keys ? keys : '')
  const change = changedMembers(application, { token_endpoint_auth_method: method, jwks, jwks_uri: (has_keys && jwks_uri) || null })
  const form = useApplicationEdit(props, change)
  const { error } = form.edit
  return (
    <EditForm {...form} incomplete={problem !== null}>
      <NativeSelect
        label="Authentication at the token endpoint"
        description="Where the application sends its secret, or what it signs with. Clients differ in their default, so name it in their settings too."
        data={methods}
        value={method}
        onChange={(event) => setMethod(methods.find(({ value }) => value === event.currentTarget.value)?.value ?? method)}
        error={fieldError(error, '/token_endpoint_auth_method')}
      />
      {has_keys ? (
        <>
          <TextInput
            label="Address of the public keys (jwks_uri)"
            description="Set this, or the keys below."
            value={jwks_uri}
            onChange={(event) => setUri(event.currentTarget.value)}
            error={fieldError(error, '/jwks_uri')}
          />
          <Textarea
            label="Public keys (jwks)"
            description="A JSON Web Key Set. Never send private keys."
            autosize
            minRows={4}
            maxRows={16}
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
            spellCheck={false}
            value={keys}
            onChange={(event) => setKeys(event.currentTarget.value)}
            error={fieldError(error, '/jwks') ?? problem}
          />
        </>
      ) : null}
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
        of={[
          ['Client id', <code key="id">{application.client_id}</code>],
          ['Authentication', methods.find(({ value }) => value === application.token_endpoint_auth_method)?.label ?? 'None'],
          [
            'Client secret',
            application.has_client_secret
              ? 'Set. It cannot be shown again.'
              : uses_secret
                ? 'None yet. Nobody can sign in before it is made.'
                : application.application_type === 'web'
                  ? 'None: the application signs with its own key.'
                  : 'None: a public application keeps no secret.',
          ],
          ['Last rotated', <Time key="at" at={application.secret_rotated_at} />],
        ]}
      />
      {action.error && !is_open ? <Problem error={action.error} /> : null}
      {uses_secret ? (
        <div className="acts">
          {application.has_client_secret ? (
            <ChangeButton onClick={ask}>Rotate secret</ChangeButton>
          ) : (
            <ChangeButton disabled={action.busy} onClick={() => action.run(undefined)}>
              Make a secret
            </ChangeButton>
          )}
        </div>
      ) : null}
      {is_open ? (
        <Confirm
          title={`Rotate the secret of ${application.name}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence={
            <>
              <b className="strong">The old secret stops working the moment you rotate.</b> There is no grace window: until the application
              has the new one, nobody can sign in through it.
            </>
          }
          keep="Keep the secret"
          act="Rotate now"
          typed={environment.type === 'live' ? application.name : undefined}
          busy={action.busy}
          error={action.error}
          onConfirm={() => action.run(undefined)}
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
