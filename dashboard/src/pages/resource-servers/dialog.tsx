/** A resource server: added, or edited for the version that was read. The scopes are shown as people read them on the consent page. */
import '../../styles/sign-in-objects.css'
import type { ResourceServer, ResourceServerChange, ResourceServerCreation } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Hurt } from '../../parts/hurt.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { labelsOf, ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { impact } from '../../queries/impact.ts'
import { resourceServers } from '../../queries/resource-servers.ts'
import { roles } from '../../queries/roles.ts'
import { toPage, useEnvironment } from '../../scope.tsx'

const names = [
  'name',
  'identifier',
  'scopes',
  'require_roles',
  'organizations',
  'roles_claim',
  'data_claims',
  'allow_metadata_clients',
  'access_token_format',
  'access_token_signing_alg',
  'access_token_ttl_seconds',
] as const

export function CreateResourceServer({ close }: { close: () => void }) {
  const { client, at } = useEnvironment()
  const fields = useObjectFields('resource_server', {}, names)
  const action = useAction((server: ResourceServerCreation) => client.createResourceServer(at, server), {
    changes: [resourceServers.all({ at })],
    done: close,
  })
  return <ResourceServerDialog fields={fields} action={action} submit={() => action.run(fields.values)} close={close} />
}

export function EditResourceServer({ resource_server_id, close }: { resource_server_id: string; close: () => void }) {
  const read = useRead(resourceServers.one(useEnvironment(), resource_server_id))
  return read.data ? <Editing latest={read.data}>{(edited) => <EditDialog {...edited} close={close} />}</Editing> : null
}

/** Scopes that an alert counts. Each is a read of grants. */
const most_counted = 5

function EditDialog({ base, report, close }: Edited<ResourceServer> & { close: () => void }) {
  const { client, at, environment } = useEnvironment()
  const resource_server_id = base.data.id
  const fields = useObjectFields('resource_server', base.data, names)
  const edit = useEdit({
    base,
    report,
    change: fields.change,
    of: resourceServers.one({ client, at }, resource_server_id),
    write: (change: ResourceServerChange, options) => client.responses.changeResourceServer({ ...at, resource_server_id }, change, options),
    changes: [resourceServers.all({ at })],
    label: labelsOf('resource_server'),
    done: close,
  })
  const [is_asking, setAsking] = useState(false)
  const gone = base.data.scopes.map(({ name }) => name).filter((name) => fields.values.scopes.every((scope) => scope.name !== name))
  const submit = () => (!edit.is_edited ? close() : gone.length > 0 && environment.type === 'live' ? setAsking(true) : edit.submit())
  const confirm = () => {
    setAsking(false)
    edit.submit()
  }
  return (
    <>
      <ResourceServerDialog fields={fields} server={base.data} action={edit} submit={submit} close={close} />
      {is_asking ? (
        <Confirm
          title={gone.length === 1 ? `Take away the scope ${gone[0]}?` : `Take away ${gone.length} scopes?`}
          consequence="No new token has it, for anybody. Roles that name it give it no more. A scope of the same name that is added later is a new scope."
          keep="Keep editing"
          act="Take away and save"
          typed={base.data.name}
          busy={edit.busy}
          error={null}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          {gone.slice(0, most_counted).map((scope) => (
            <Hurt key={scope} of={impact.ofServer({ client, at }, resource_server_id, scope)} name={scope} />
          ))}
          {gone.length > most_counted ? (
            <p className="muted">And {gone.length - most_counted} more scopes, which are not counted here.</p>
          ) : null}
        </Confirm>
      ) : null}
      {edit.dialog}
    </>
  )
}

interface DialogProps {
  fields: ReturnType<typeof useObjectFields<'resource_server', (typeof names)[number]>>
  /** Absent for a new one. */
  server?: ResourceServer
  action: { busy: boolean; error: Error | null }
  submit: () => void
  close: () => void
}

function ResourceServerDialog({ fields, server, action, submit, close }: DialogProps) {
  const { name, scopes, require_roles } = fields.values
  return (
    <FormDialog
      title={server ? `Edit ${server.name}` : 'Add a resource server'}
      submit={server ? 'Save' : 'Add resource server'}
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <ObjectFields
        of={fields}
        error={action.error}
        but={{
          identifier: { disabled: server !== undefined, placeholder: 'https://api.example.com' },
          require_roles: { below: require_roles ? <NoRoleYet slug={server?.slug} scopes={scopes} /> : null },
          roles_claim: { placeholder: 'roles' },
          scopes: { placeholder: 'orders:read Read your orders', below: <ConsentPreview name={name} scopes={scopes} /> },
        }}
      />
    </FormDialog>
  )
}

/** Where a role is needed and none gives a scope, nobody can use the resource server. */
function NoRoleYet({ slug, scopes }: { slug: string | undefined; scopes: ResourceServer['scopes'] }) {
  const every = useRead(roles.every(useEnvironment()))
  const isOfServer = (name: string) => scopes.some((scope) => scope.name === name)
  const is_given = every.data?.some(({ permissions }) =>
    permissions.some((entry) => entry.resource_server === slug && entry.scopes.some(isOfServer)),
  )
  if (is_given !== false) return null
  return (
    <Note tone="warn">
      No role gives a scope of it yet, so nobody gets one.{' '}
      <Link className="u" {...toPage('/roles')}>
        Name its scopes in a role
      </Link>
      {slug === undefined ? ' once it is added.' : '.'}
    </Note>
  )
}

/** The lines of the consent page: the description, or the name of a scope without one, and where it applies. */
function ConsentPreview({ name, scopes }: { name: string; scopes: ResourceServer['scopes'] }) {
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
