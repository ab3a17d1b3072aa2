/** The APIs of an environment that take its access tokens, each with its scopes. */
import { Textarea, TextInput } from '@mantine/core'
import type { ResourceServer } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { useEnvironment } from '../scope.tsx'

export default function ResourceServers() {
  const { client, at, environment } = useEnvironment()
  const [open, setOpen] = useState<'new' | ResourceServer | null>(null)
  const list = useList(['resource-servers', environment.id], (cursor) => client.listResourceServers({ ...at, cursor }).page())
  const remove = useAction((resource_server_id: string) => client.deleteResourceServer({ ...at, resource_server_id }), {
    changes: [['resource-servers', environment.id]],
    done: () => setOpen(null),
  })
  const columns: Column<ResourceServer>[] = [
    {
      head: 'Resource server',
      kind: 'first',
      cell: ({ name, identifier }) => (
        <>
          <b>{name}</b>
          <code className="any">{identifier}</code>
        </>
      ),
    },
    { head: 'Scopes', cell: ({ scopes }) => <ScopeList of={scopes} /> },
    { head: 'Tokens', cell: ({ access_token_format }) => access_token_format },
    { head: 'Created', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      head: 'Actions',
      cell: (server) => (
        <ChangeButton
          className="btn s"
          onClick={() => {
            remove.reset()
            setOpen(server)
          }}
        >
          Delete<span className="vh">: {server.name}</span>
        </ChangeButton>
      ),
    },
  ]
  return (
    <Page
      title="Resource servers"
      lead="An API that takes access tokens of this environment. Applications request its scopes."
      actions={
        <ChangeButton className="btn pri" onClick={() => setOpen('new')}>
          <Icon name="plus" /> Add resource server
        </ChangeButton>
      }
    >
      <Records
        label="Resource servers"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty>No resource server yet. Add your API, so that applications get tokens that only this API takes.</Empty>}
      />
      {open === 'new' ? <Create close={() => setOpen(null)} /> : null}
      {open !== null && open !== 'new' ? (
        <Confirm
          title={`Delete ${open.name}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="Applications get no new tokens for this API. Tokens that are issued stay valid until they expire."
          keep="Keep the resource server"
          act="Delete now"
          typed={environment.type === 'live' ? open.name : undefined}
          busy={remove.busy}
          error={remove.error}
          onConfirm={() => remove.run(open.id)}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </Page>
  )
}

const ScopeList = ({ of: scopes }: { of: ResourceServer['scopes'] }) =>
  scopes.length === 0 ? (
    <span className="muted">None</span>
  ) : (
    <ul>
      {scopes.map(({ name, description }) => (
        <li key={name}>
          <Tag>{name}</Tag> <span className="muted small">{description}</span>
        </li>
      ))}
    </ul>
  )

/** One scope per line: its name, then what it allows. */
function readScopes(text: string) {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).map((line) => {
    const [name = '', ...words] = line.split(/\s+/)
    return words.length === 0 ? { name } : { name, description: words.join(' ') }
  })
}

function Create({ close }: { close: () => void }) {
  const { client, at, environment, project } = useEnvironment()
  const [name, setName] = useState('')
  const [identifier, setIdentifier] = useState('')
  const [scopes, setScopes] = useState('')
  const action = useAction(() => client.createResourceServer(at, { name, identifier, scopes: readScopes(scopes) }), {
    changes: [['resource-servers', environment.id]],
    done: close,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    action.run(undefined)
  }
  return (
    <Dialog
      opened
      onClose={close}
      title="Add a resource server"
      lead={
        <>
          For <EnvironmentTag type={environment.type} /> of {project.name}.
        </>
      }
      footer={
        <>
          <button type="button" className="btn" onClick={close}>
            Cancel
          </button>
          <button type="submit" form="new-resource-server" className="btn pri" disabled={action.busy}>
            Add resource server
          </button>
        </>
      }
    >
      <form id="new-resource-server" onSubmit={submit}>
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(action.error, '/name')}
        />
        <TextInput
          label="Identifier"
          description="An absolute URI: resource in requests, aud in tokens. It never changes."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          required
          withAsterisk={false}
          placeholder="https://api.example.com"
          value={identifier}
          onChange={(event) => setIdentifier(event.currentTarget.value)}
          error={fieldError(action.error, '/identifier')}
        />
        <Textarea
          label="Scopes, one per line"
          description="The name, then what it allows. People read the second part on the consent page."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="orders:read Read your orders"
          autosize
          minRows={2}
          value={scopes}
          onChange={(event) => setScopes(event.currentTarget.value)}
          error={fieldError(action.error, '/scopes')}
        />
        {action.error ? <Problem error={action.error} focus /> : null}
      </form>
    </Dialog>
  )
}
