/** A role: created, or edited for the version that was read. Before saving the form says who gains and loses what. */
import type { EnvironmentRole, Permission, ResourceServer, RoleChange, RoleCreation } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { SlugField, slugFrom } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { labelsOf, ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { resourceServers } from '../../queries/resource-servers.ts'
import { roles } from '../../queries/roles.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { BeforeSaving } from './before-saving.tsx'
import { PermissionBoxes } from './boxes.tsx'
import { madeAgainOf, without } from './permissions.ts'

const names = ['kind', 'name', 'description', 'default', 'administers', 'permissions'] as const
type Fields = ReturnType<typeof useObjectFields<'role', (typeof names)[number]>>

export function CreateRole({ close }: { close: () => void }) {
  const here = useEnvironment()
  const { client, at } = here
  const servers = useRead(resourceServers.every(here))
  const fields = useObjectFields('role', start, names)
  const [slug, setSlug] = useState<string | null>(null)
  const action = useAction((role: RoleCreation) => client.createRole(at, role), {
    changes: [roles.all({ at }), users.all({ at })],
    done: close,
  })
  const entered = slug ?? slugFrom(fields.values.name)
  return (
    <FormDialog
      title="Create a role"
      submit="Create role"
      action={action}
      onSubmit={() => action.run({ ...fields.values, slug: entered })}
      onClose={close}
    >
      <RoleFields
        fields={fields}
        error={action.error}
        servers={servers.data}
        slug={<SlugField value={entered} change={setSlug} error={action.error} />}
      />
      <Problem error={servers.error} retry={() => servers.refetch()} />
    </FormDialog>
  )
}

const start = { kind: 'user' } as const

export function EditRole({ role_id, close }: { role_id: string; close: () => void }) {
  const here = useEnvironment()
  const read = useRead(roles.one(here, role_id))
  const servers = useRead(resourceServers.every(here))
  const now = useRead(roles.preview(here, role_id, {}), { refetchOnWindowFocus: false })
  const error = read.error ?? servers.error ?? now.error
  if (read.data && servers.data && now.data) {
    const { without_effect } = now.data
    const all = servers.data
    return (
      <Editing latest={read.data}>
        {(edited) => <EditDialog {...edited} servers={all} without_effect={without_effect} close={close} />}
      </Editing>
    )
  }
  return error ? (
    <FormDialog title="Edit the role" submit="Save" disabled action={{ busy: false, error }} onSubmit={close} onClose={close}>
      {null}
    </FormDialog>
  ) : null
}

interface EditDialogProps extends Edited<EnvironmentRole> {
  servers: readonly ResourceServer[]
  without_effect: readonly Permission[]
  close: () => void
}

function EditDialog({ base, report, servers, without_effect, close }: EditDialogProps) {
  const here = useEnvironment()
  const { client, at } = here
  const { id: role_id, name, kind, slug } = base.data
  // A box is ticked if the role gives its scope. One that was made again is not given, and saving the other boxes does not give it.
  const stored = without(base.data.permissions, madeAgainOf(without_effect, servers))
  const fields = useObjectFields('role', { ...base.data, permissions: stored }, names)
  const edit = useEdit({
    base,
    report,
    change: fields.change,
    of: roles.one(here, role_id),
    write: (change: RoleChange, options) => client.responses.changeRole({ ...at, role_id }, change, options),
    changes: [roles.all({ at }), users.all({ at })],
    label: labelsOf('role'),
    done: close,
  })
  const submit = () => (edit.is_edited ? edit.submit() : close())
  return (
    <>
      <FormDialog title={`Edit ${name}`} submit="Save" action={edit} onSubmit={submit} onClose={close}>
        <RoleFields
          fields={fields}
          error={edit.error}
          servers={servers}
          stored={stored}
          without_effect={without_effect}
          slug={
            <p className="muted small">
              Slug <code>{slug}</code>, {kind === 'user' ? 'for users' : 'for members of organizations'}. Neither ever changes.
            </p>
          }
        />
        <BeforeSaving role_id={role_id} change={fields.change} />
      </FormDialog>
      {edit.dialog}
    </>
  )
}

interface RoleFieldsProps {
  fields: Fields
  error: unknown
  /** `undefined` while they are read. */
  servers: readonly ResourceServer[] | undefined
  stored?: readonly Permission[]
  without_effect?: readonly Permission[]
  slug: React.ReactNode
}

const nothing: readonly Permission[] = []

function RoleFields({ fields, error, servers, stored = nothing, without_effect = nothing, slug }: RoleFieldsProps) {
  const { kind, permissions } = fields.values
  const is_new = stored === nothing
  const of_users = kind === 'user'
  return (
    <>
      <ObjectFields
        of={fields}
        error={error}
        but={{
          kind: is_new ? {} : null,
          name: { below: slug },
          default: {
            label: of_users ? 'Every user has it' : 'Every member of an organization has it',
            description: 'Without being given it. At most five roles can be like that.',
          },
          administers: of_users ? null : {},
          permissions: null,
        }}
      />
      {servers ? (
        <PermissionBoxes
          servers={servers}
          value={permissions}
          stored={stored}
          without_effect={without_effect}
          change={(permissions) => fields.enter({ permissions })}
          error={error}
        />
      ) : null}
    </>
  )
}
