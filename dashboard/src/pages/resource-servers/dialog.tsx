/** A resource server: added, or edited for the version that was read. The scopes are shown as people read them on the consent page. */
import { resourceServers } from '../../queries/resource-servers.ts'
import '../../styles/sign-in-objects.css'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { NewResourceServer, ResourceServer, ResourceServerChange } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing, useSave, type Version } from '../../parts/save.tsx'
import { useEnvironment } from '../../scope.tsx'
import { readScopes, writeScopes } from './scopes.ts'

const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

export function CreateResourceServer({ close }: { close: () => void }) {
  const { client, at } = useEnvironment()
  const action = useAction((server: NewResourceServer) => client.createResourceServer(at, server), {
    changes: [resourceServers.all({ at })],
    done: close,
  })
  return <ResourceServerDialog server={null} action={action} close={close} />
}

export function EditResourceServer({ resource_server_id, close }: { resource_server_id: string; close: () => void }) {
  const read = useRead(resourceServers.one(useEnvironment(), resource_server_id))
  return read.data ? <Editing latest={read.data}>{(base, report) => <EditForm base={base} report={report} close={close} />}</Editing> : null
}

interface EditProps {
  base: Version<ResourceServer>
  report: (is_edited: boolean) => void
  close: () => void
}

function EditForm({ base, report, close }: EditProps) {
  const { client, at } = useEnvironment()
  const resource_server_id = base.data.id
  const save = useSave({
    base,
    of: resourceServers.one({ client, at }, resource_server_id),
    write: (change: ResourceServerChange, options) => client.responses.changeResourceServer({ ...at, resource_server_id }, change, options),
    changes: [resourceServers.all({ at })],
    done: close,
  })
  const changeTo = ({ identifier: _, ...server }: NewResourceServer): ResourceServerChange => {
    const before = base.data as unknown as Record<string, unknown> // as: read by name
    return Object.fromEntries(Object.entries(server).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)))
  }
  const isChanged = (server: NewResourceServer) => Object.keys(changeTo(server)).length > 0
  const run = (server: NewResourceServer) => (isChanged(server) ? save.run(changeTo(server)) : close())
  return (
    <>
      <ResourceServerDialog server={base.data} action={{ ...save, run }} written={(server) => report(isChanged(server))} close={close} />
      {save.dialog}
    </>
  )
}

interface DialogProps {
  /** `null` for a new one. */
  server: ResourceServer | null
  action: { run: (server: NewResourceServer) => void; busy: boolean; error: Error | null }
  /** Is called with what the form says now. */
  written?: (server: NewResourceServer) => void
  close: () => void
}

function ResourceServerDialog({ server, action, written, close }: DialogProps) {
  const [name, setName] = useState(server?.name ?? '')
  const [identifier, setIdentifier] = useState(server?.identifier ?? '')
  const [scopes, setScopes] = useState(writeScopes(server?.scopes ?? []))
  const [format, setFormat] = useState(server?.access_token_format ?? 'jwt')
  const [lifetime, setLifetime] = useState(String(server?.access_token_ttl_seconds ?? ''))
  const access_token_ttl_seconds = lifetime === '' ? null : Number(lifetime)
  const next = { name, identifier, scopes: readScopes(scopes), access_token_format: format, access_token_ttl_seconds }
  useEffect(() => {
    written?.(next)
  })
  return (
    <FormDialog
      title={server ? `Edit ${server.name}` : 'Add a resource server'}
      lead={<InEnvironment />}
      submit={server ? 'Save' : 'Add resource server'}
      action={action}
      onSubmit={() => action.run(next)}
      onClose={close}
    >
      <NameField value={name} change={setName} error={action.error} />
      <TextInput
        label="Identifier"
        description="An absolute URI: resource in requests, aud in tokens. It never changes."
        inputWrapperOrder={order}
        required
        withAsterisk={false}
        disabled={server !== null}
        placeholder="https://api.example.com"
        value={identifier}
        onChange={(event) => setIdentifier(event.currentTarget.value)}
        error={fieldError(action.error, '/identifier')}
      />
      <Textarea
        label="Scopes, one per line"
        description="The name, then what it allows."
        inputWrapperOrder={order}
        placeholder="orders:read Read your orders"
        autosize
        minRows={2}
        spellCheck={false}
        value={scopes}
        onChange={(event) => setScopes(event.currentTarget.value)}
        error={fieldError(action.error, '/scopes')}
      />
      <ConsentPreview name={name} scopes={readScopes(scopes)} />
      <NativeSelect
        label="Format of access tokens"
        data={[
          { value: 'jwt', label: 'JWT: the API checks it itself' },
          { value: 'opaque', label: 'Opaque: the API asks the service' },
        ]}
        value={format}
        onChange={(event) => setFormat(event.currentTarget.value === 'opaque' ? 'opaque' : 'jwt')}
        error={fieldError(action.error, '/access_token_format')}
      />
      <TextInput
        label="Lifetime of access tokens, in seconds"
        description="60 to 86,400. Empty: that of the settings."
        inputWrapperOrder={order}
        type="number"
        min={60}
        max={86_400}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
        error={fieldError(action.error, '/access_token_ttl_seconds')}
      />
    </FormDialog>
  )
}

/** The lines of the consent page: the description, or the name of a scope without one, and where it applies. */
function ConsentPreview({ name, scopes }: { name: string; scopes: ReturnType<typeof readScopes> }) {
  const api = name || 'the resource server'
  return (
    <section className="consent-preview" aria-label="On the consent page">
      <h3 className="lab">On the consent page</h3>
      <ul>
        {scopes.length === 0 ? (
          <li>
            <Icon name="list" />
            <b>Use {api}</b>
            <span>A request that names it needs no scope.</span>
          </li>
        ) : (
          scopes.map((scope, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: while a name is typed, two lines can have the same one
            <li key={line}>
              <Icon name="list" />
              <b>{scope.description ?? scope.name}</b>
              <span>
                {api}, <code>{scope.name}</code>
              </span>
            </li>
          ))
        )}
      </ul>
    </section>
  )
}
