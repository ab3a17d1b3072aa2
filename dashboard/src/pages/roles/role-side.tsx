/** One role: what it gives, and to whom it was given. */
import '../../styles/roles.css'
import type { EnvironmentRole } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Copied } from '../../parts/copy.tsx'
import { Id } from '../../parts/names.tsx'
import { Note } from '../../parts/note.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Facts, Side } from '../../parts/side.tsx'
import { Time } from '../../parts/time.tsx'
import { resourceServers } from '../../queries/resource-servers.ts'
import { roles } from '../../queries/roles.ts'
import { users } from '../../queries/users.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { Part } from '../users/access.tsx'
import { goneOf, without } from './permissions.ts'

interface RoleSideProps {
  role_id: string
  onClose: () => void
  edit: (role: EnvironmentRole) => void
  remove: (role: EnvironmentRole) => void
}

export function RoleSide({ role_id, onClose, edit, remove }: RoleSideProps) {
  const read = useRead(roles.one(useEnvironment(), role_id))
  return (
    <Side title={read.data?.data.name ?? 'Role'} onClose={onClose}>
      <Loaded of={read}>{({ data }) => <Content role={data} edit={() => edit(data)} remove={() => remove(data)} />}</Loaded>
    </Side>
  )
}

function Content({ role, edit, remove }: { role: EnvironmentRole; edit: () => void; remove: () => void }) {
  const { can } = useEnvironment()
  const { id, slug, kind, description, administers, created_at } = role
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Facts
        of={{
          Slug: <Copied value={slug} label="slug" />,
          'Given to': whoHas(role),
          ...(kind === 'organization' ? { Administers: administers ? 'Yes: members, invitations and their roles' : 'No' } : {}),
          Created: <Time at={created_at} />,
          Id: <Id value={id} label="role id" />,
        }}
      />
      <div className="toolbar">
        <ChangeButton className="btn s" onClick={edit}>
          Edit
        </ChangeButton>
        <ChangeButton className="btn s" onClick={remove}>
          Delete
        </ChangeButton>
      </div>
      <Gives role={role} />
      {kind === 'user' && can('developer') ? <Holders slug={slug} /> : null}
    </>
  )
}

const whoHas = ({ kind, default: is_default }: Pick<EnvironmentRole, 'kind' | 'default'>) =>
  kind === 'user'
    ? is_default
      ? 'Every user'
      : 'Users, one by one'
    : is_default
      ? 'Every member of an organization'
      : 'Members of organizations'

function Gives({ role: { permissions } }: { role: EnvironmentRole }) {
  const here = useEnvironment()
  const read = useRead(resourceServers.every(here))
  return (
    <Part title="What it gives">
      <Loaded of={read} rows={2}>
        {(servers) => {
          const gone = goneOf(permissions, servers)
          const present = without(permissions, gone)
          return (
            <div className="role-gives">
              {present.length === 0 ? <p className="muted">No scope.</p> : null}
              {present.map(({ resource_server, scopes }) => {
                const server = servers.find(({ slug }) => slug === resource_server)
                return (
                  <div key={resource_server}>
                    <h4>{server?.name ?? resource_server}</h4>
                    <ul>
                      {scopes.map((name) => (
                        <li key={name} className="list-row">
                          <div>
                            <span className="mono">{name}</span>
                            <div className="small muted">{server?.scopes.find((scope) => scope.name === name)?.description}</div>
                          </div>
                        </li>
                      ))}
                    </ul>
                    {server?.require_roles ? null : <p className="small muted">Everyone has these: the resource server needs no role.</p>}
                  </div>
                )
              })}
              {gone.length > 0 ? (
                <Note tone="warn">
                  It also names what is gone, which gives nothing:{' '}
                  {gone.map(({ resource_server, scopes }) => `${resource_server} (${scopes.join(', ')})`).join(', ')}.
                </Note>
              ) : null}
            </div>
          )
        }}
      </Loaded>
    </Part>
  )
}

function Holders({ slug }: { slug: string }) {
  const read = useRead(users.withRole(useEnvironment(), slug))
  return (
    <Part title="Who was given it">
      <Loaded of={read} rows={2}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 ? (
              <p className="muted">Nobody yet. Give it to a user in the record of the user, or by your backend.</p>
            ) : null}
            <ul>
              {data.map(({ id, email, name }) => (
                <li className="list-row" key={id}>
                  <Link className="u" {...toPage('/users', { chosen: id })}>
                    {email ?? name ?? id}
                  </Link>
                </li>
              ))}
            </ul>
            {has_more ? (
              <p>
                <Link className="u" {...toPage('/users', { role: slug })}>
                  All users with this role
                </Link>
              </p>
            ) : null}
          </>
        )}
      </Loaded>
    </Part>
  )
}
