/** The roles of an environment: named sets of scopes, which are given to users or to members of organizations. */
import type { EnvironmentRole } from '@ostiary/sdk'
import { useState } from 'react'
import { ListPage } from '../parts/list-page.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { roles } from '../queries/roles.ts'
import { useEnvironment } from '../scope.tsx'
import { DeleteRole } from './roles/delete.tsx'
import { CreateRole, EditRole } from './roles/dialog.tsx'
import { countOf } from './roles/permissions.ts'
import { RoleSide } from './roles/role-side.tsx'

type Open = { act: 'edit' | 'delete'; role: EnvironmentRole }

export default function Roles() {
  const { client, at } = useEnvironment()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useList(roles.list({ client, at }))
  const edit = (role: EnvironmentRole) => setOpen({ act: 'edit', role })
  const remove = (role: EnvironmentRole) => setOpen({ act: 'delete', role })
  const columns: Column<EnvironmentRole>[] = [
    {
      head: 'Role',
      cell: ({ name, slug, description }, open) => (
        <>
          <b>{open(name)}</b>
          <code className="any">{slug}</code>
          {description ? <div className="muted small">{description}</div> : null}
        </>
      ),
    },
    {
      head: 'Given to',
      cell: ({ kind, default: is_default, administers }) => (
        <span className="rs">
          {kind === 'user' ? 'Users' : 'Members of organizations'}
          {is_default ? <Tag icon="users">everyone</Tag> : null}
          {administers ? <Tag icon="shield">administers</Tag> : null}
        </span>
      ),
    },
    { head: 'Permissions', cell: ({ permissions }) => <Permissions of={permissions} /> },
    timeColumn('Created', ({ created_at }) => created_at),
    {
      head: 'Actions',
      className: 'in-line',
      cell: (role) => (
        <div className="rs">
          <ChangeButton className="btn s" onClick={() => edit(role)}>
            Edit<span className="vh">: {role.name}</span>
          </ChangeButton>
          <ChangeButton className="btn s" onClick={() => remove(role)}>
            Delete<span className="vh">: {role.name}</span>
          </ChangeButton>
        </div>
      ),
    },
  ]
  return (
    <ListPage
      title="Roles"
      lead="A role is a named set of scopes. Where a resource server needs roles, a person gets only the scopes that their roles give."
      create={{ words: 'Create role', form: (close) => <CreateRole close={close} /> }}
      list={list}
      columns={columns}
      empty="No role yet. Create one with the scopes that a group of people may use, such as “Support”, and give it to users."
      snippet={
        <ByApi
          operation="createRole"
          path={`${pathOf(at)}/roles`}
          params={at}
          body={{ name: 'Support', kind: 'user', permissions: [{ resource_server: 'orders', scopes: ['orders:read'] }] }}
        />
      }
      side={{ param: 'chosen', of: (id, close) => <RoleSide role_id={id} onClose={close} edit={edit} remove={remove} /> }}
    >
      {open?.act === 'edit' ? <EditRole role_id={open.role.id} close={() => setOpen(null)} /> : null}
      {open?.act === 'delete' ? <DeleteRole role={open.role} close={() => setOpen(null)} /> : null}
    </ListPage>
  )
}

function Permissions({ of }: { of: EnvironmentRole['permissions'] }) {
  const count = countOf(of)
  if (count === 0) return <span className="muted">None</span>
  return (
    <span>
      {count === 1 ? '1 scope' : `${count} scopes`}
      <span className="muted small any"> at {of.map(({ resource_server }) => resource_server).join(', ')}</span>
    </span>
  )
}
