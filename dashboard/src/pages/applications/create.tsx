/** Creating an application: code that the person writes, or a product that exists. The secret is shown once. */

import type { ApplicationWithSecret } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ChoiceCards } from '../../parts/choice-cards.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { toApplication, useEnvironment } from '../../scope.tsx'
import { CreateFromTemplate } from './create-product.tsx'
import { problemIn } from './redirect-uri.ts'
import { SecretDialog } from './secret-dialog.tsx'

const origins = [
  { value: 'code', name: 'Code that you write', text: 'You choose a library, and get a snippet for it.' },
  { value: 'product', name: 'A product that exists', text: 'Grafana, GitLab, JupyterHub: you get the lines for its configuration.' },
] as const

const kinds = [
  {
    value: 'web',
    name: 'On a server',
    text: 'A web application with a backend, which keeps a secret.',
    example: 'https://app.example.com/auth/callback',
  },
  {
    value: 'spa',
    name: 'In the browser',
    text: 'A single-page application. Everybody can read its code.',
    example: 'https://app.example.com/callback',
  },
  { value: 'native', name: 'On a device', text: 'A mobile, desktop or command line program.', example: 'http://127.0.0.1/callback' },
] as const

export function CreateApplication({ close }: { close: () => void }) {
  const [origin, setOrigin] = useState<(typeof origins)[number]['value']>('code')
  const field = <ChoiceCards legend="What signs people in?" options={origins} value={origin} choose={setOrigin} />
  return origin === 'code' ? <CreateOwn origin={field} close={close} /> : <CreateFromTemplate origin={field} close={close} />
}

/** An application of the person's own code: its name, where it runs, and where sign-in returns to. */
function CreateOwn({ origin, close }: { origin: ReactNode; close: () => void }) {
  const { client, at, environment } = useEnvironment()
  const navigate = useNavigate()
  const [type, setType] = useState<(typeof kinds)[number]['value']>('web')
  const fields = useObjectFields('application', {}, ['name', 'redirect_uris'])
  const [created, setCreated] = useState<ApplicationWithSecret | null>(null)
  const show = ({ id }: ApplicationWithSecret, tab?: string) => void navigate(toApplication(id, { tab }))
  const action = useAction(
    (application: { name: string; application_type: typeof type; redirect_uris: string[] }) => client.createApplication(at, application),
    {
      changes: [applications.all({ at }), readiness.all({ at })],
      secret: type === 'web',
      done: (application) => (application.has_client_secret ? setCreated(application) : show(application)),
    },
  )
  const submit = () => action.run({ application_type: type, ...fields.values })
  if (created) return <SecretDialog application={created} rotate={() => show(created, 'credentials')} onClose={() => show(created)} />
  return (
    <FormDialog title="New application" submit="Create application" action={action} onSubmit={submit} onClose={close}>
      {origin}
      <ObjectFields
        of={fields}
        error={action.error}
        but={{
          redirect_uris: {
            above: <ChoiceCards legend="Where does the code run?" options={kinds} value={type} choose={setType} />,
            placeholder: kinds.find(({ value }) => value === type)?.example,
            error: problemIn(fields.values.redirect_uris, type, environment.type),
          },
        }}
      />
    </FormDialog>
  )
}
