/** Creating an application: code that the person writes, or a product that exists. The secret is shown once. */

import { Textarea } from '@mantine/core'
import type { ApplicationWithSecret } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { useEnvironment } from '../../scope.tsx'
import { CreateFromTemplate } from './create-product.tsx'
import { type Origin, OriginField } from './origin.tsx'
import { redirectUriProblem } from './redirect-uri.ts'
import { SecretDialog } from './secret-dialog.tsx'

const kinds = [
  {
    type: 'web',
    name: 'On a server',
    text: 'A web application with a backend, which keeps a secret.',
    example: 'https://app.example.com/auth/callback',
  },
  {
    type: 'spa',
    name: 'In the browser',
    text: 'A single-page application. Everybody can read its code.',
    example: 'https://app.example.com/callback',
  },
  { type: 'native', name: 'On a device', text: 'A mobile, desktop or command line program.', example: 'http://127.0.0.1/callback' },
] as const

export const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export function CreateApplication({ close }: { close: () => void }) {
  const [origin, setOrigin] = useState<Origin>('code')
  const field = <OriginField value={origin} change={setOrigin} />
  return origin === 'code' ? <CreateOwn origin={field} close={close} /> : <CreateFromTemplate origin={field} close={close} />
}

/** An application of the person's own code: its name, where it runs, and where sign-in returns to. */
function CreateOwn({ origin, close }: { origin: ReactNode; close: () => void }) {
  const { client, at, environment, base } = useEnvironment()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [type, setType] = useState<(typeof kinds)[number]['type']>('web')
  const [uris, setUris] = useState('')
  const [created, setCreated] = useState<ApplicationWithSecret | null>(null)
  const show = ({ id }: ApplicationWithSecret, tab?: string) =>
    void navigate({ from: base, to: `${base}/applications/$application_id` as const, params: { application_id: id }, search: { tab } })
  const action = useAction(
    (application: { name: string; application_type: typeof type; redirect_uris: string[] }) => client.createApplication(at, application),
    {
      changes: [applications.all({ at }), readiness.all({ at })],
      secret: type === 'web',
      done: (application) => (application.has_client_secret ? setCreated(application) : show(application)),
    },
  )
  const problem = linesOf(uris)
    .map((uri) => redirectUriProblem(uri, type, environment.type))
    .find((problem) => problem !== null)
  const submit = () => {
    action.run({ name, application_type: type, redirect_uris: linesOf(uris) })
  }
  if (created) return <SecretDialog application={created} rotate={() => show(created, 'credentials')} onClose={() => show(created)} />
  return (
    <FormDialog
      title="New application"
      lead={<InEnvironment />}
      submit="Create application"
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      {origin}
      <NameField value={name} change={setName} error={action.error} />
      <fieldset>
        <legend className="lab">Where does the code run?</legend>
        <div className="kinds three">
          {kinds.map((kind) => (
            <label className="kind" key={kind.type}>
              <input type="radio" name="kind" checked={type === kind.type} onChange={() => setType(kind.type)} />
              <b>{kind.name}</b>
              <span>{kind.text}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <Textarea
        label="Redirect URIs, one per line"
        description="Compared as exact strings, character by character."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={kinds.find((kind) => kind.type === type)?.example ?? ''}
        required
        rows={3}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
        value={uris}
        onChange={(event) => setUris(event.currentTarget.value)}
        error={fieldError(action.error, '/redirect_uris') ?? problem}
      />
    </FormDialog>
  )
}
