/** A resource server: added, or edited for the version that was read. The scopes are shown as people read them on the consent page. */
import '../../styles/sign-in-objects.css'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ResourceServer, ResourceServerChange, ResourceServerCreation } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { DurationInput } from '../../parts/duration-input.tsx'
import { changedMembers, type Edited, useEdit } from '../../parts/edit.tsx'
import { NameField } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { resourceServers } from '../../queries/resource-servers.ts'
import { useEnvironment } from '../../scope.tsx'
import { readScopes, writeScopes } from './scopes.ts'

const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

export function CreateResourceServer({ close }: { close: () => void }) {
  const { client, at } = useEnvironment()
  const form = useFields(null)
  const action = useAction((server: ResourceServerCreation) => client.createResourceServer(at, server), {
    changes: [resourceServers.all({ at })],
    done: close,
  })
  return <ResourceServerDialog {...form} server={null} action={action} submit={() => action.run(form.next)} close={close} />
}

export function EditResourceServer({ resource_server_id, close }: { resource_server_id: string; close: () => void }) {
  const read = useRead(resourceServers.one(useEnvironment(), resource_server_id))
  return read.data ? (
    <Editing latest={read.data}>{(base, report) => <EditDialog base={base} report={report} close={close} />}</Editing>
  ) : null
}

function EditDialog({ base, report, close }: Edited<ResourceServer> & { close: () => void }) {
  const { client, at } = useEnvironment()
  const resource_server_id = base.data.id
  const form = useFields(base.data)
  const { identifier: _, ...next } = form.next
  const edit = useEdit({
    base,
    report,
    change: changedMembers(base.data, next),
    of: resourceServers.one({ client, at }, resource_server_id),
    write: (change: ResourceServerChange, options) => client.responses.changeResourceServer({ ...at, resource_server_id }, change, options),
    changes: [resourceServers.all({ at })],
    done: close,
  })
  const submit = () => (edit.is_edited ? edit.submit() : close())
  return (
    <>
      <ResourceServerDialog {...form} server={base.data} action={edit} submit={submit} close={close} />
      {edit.dialog}
    </>
  )
}

/** What is entered, and the resource server that it makes. */
function useFields(server: ResourceServer | null) {
  const [entered, setEntered] = useState({
    name: server?.name ?? '',
    identifier: server?.identifier ?? '',
    scopes: writeScopes(server?.scopes ?? []),
    format: server?.access_token_format ?? ('jwt' as const),
    lifetime: server?.access_token_ttl_seconds ?? null,
  })
  const { name, identifier, scopes, format, lifetime } = entered
  const next = {
    name,
    identifier,
    scopes: readScopes(scopes),
    access_token_format: format,
    access_token_ttl_seconds: lifetime,
  }
  const enter = (change: Partial<typeof entered>) => setEntered((before) => ({ ...before, ...change }))
  return { entered, enter, next }
}

interface DialogProps extends Pick<ReturnType<typeof useFields>, 'entered' | 'enter'> {
  /** `null` for a new one. */
  server: ResourceServer | null
  action: { busy: boolean; error: Error | null }
  submit: () => void
  close: () => void
}

function ResourceServerDialog({ entered, enter, server, action, submit, close }: DialogProps) {
  const { name, identifier, scopes, format, lifetime } = entered
  return (
    <FormDialog
      title={server ? `Edit ${server.name}` : 'Add a resource server'}
      lead={<InEnvironment />}
      submit={server ? 'Save' : 'Add resource server'}
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <NameField value={name} change={(name) => enter({ name })} error={action.error} />
      <TextInput
        label="Identifier"
        description="An absolute URI: resource in requests, aud in tokens. It never changes."
        inputWrapperOrder={order}
        required
        disabled={server !== null}
        placeholder="https://api.example.com"
        value={identifier}
        onChange={(event) => enter({ identifier: event.currentTarget.value })}
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
        onChange={(event) => enter({ scopes: event.currentTarget.value })}
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
        onChange={(event) => enter({ format: event.currentTarget.value === 'opaque' ? 'opaque' : 'jwt' })}
        error={fieldError(action.error, '/access_token_format')}
      />
      <DurationInput
        label="Lifetime of access tokens"
        description="1 min to 1 d. Empty: that of the settings."
        value={lifetime}
        empty={null}
        change={(lifetime) => enter({ lifetime })}
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
