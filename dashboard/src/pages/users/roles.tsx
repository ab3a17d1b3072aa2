/** The roles that a person was given. */
import { NativeSelect } from '@mantine/core'
import type { EnvironmentRole, User } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { roles } from '../../queries/roles.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { Part, type Question } from './access.tsx'

/** Changes the roles of the moment, so that no change of another administrator is lost. */
function useChangeOfRoles(user_id: string) {
  const { client, at } = useEnvironment()
  return async (change: (roles: readonly string[]) => string[]) => {
    const { data, etag } = await client.responses.getUser({ ...at, user_id })
    return client.changeUser({ user_id }, { roles: change(data.roles) }, { if_match: etag ?? undefined })
  }
}

interface RolesProps {
  user: User
  ask: (question: Question) => void
}

export function Roles({ user, ask }: RolesProps) {
  const here = useEnvironment()
  const every = useRead(roles.every(here))
  const change = useChangeOfRoles(user.id)
  const [is_giving, setGiving] = useState(false)
  const of_users = (every.data ?? []).filter(({ kind }) => kind === 'user')
  const offered = of_users.filter((role) => !role.default && !user.roles.includes(role.slug))
  const of_everyone = of_users.filter((role) => role.default && !user.roles.includes(role.slug))
  const name = user.email ?? user.id
  const take = ({ slug, name: role }: { slug: string; name: string }): Question => ({
    title: `Take ${role} from ${name}?`,
    consequence:
      'From the next request on, the person can do only what the other roles give. An API that checks tokens by itself accepts earlier ones until they expire.',
    keep: 'Keep the role',
    act: 'Take it now',
    run: () => change((now) => now.filter((each) => each !== slug)),
  })
  return (
    <Part
      title="Roles"
      action={
        offered.length > 0 ? (
          <ChangeButton className="btn s" onClick={() => setGiving(true)}>
            Give a role
          </ChangeButton>
        ) : null
      }
    >
      {user.roles.length === 0 ? (
        <p className="muted">{of_users.length === 0 ? 'This environment has no roles for users.' : 'None was given.'}</p>
      ) : null}
      <ul>
        {user.roles
          .map((slug) => ({ slug, name: of_users.find((role) => role.slug === slug)?.name ?? slug }))
          .map((role) => (
            <li className="list-row" key={role.slug}>
              <div>
                {role.name}
                <div className="small muted mono">{role.slug}</div>
              </div>
              <ChangeButton className="btn s" onClick={() => ask(take(role))}>
                Take<span className="vh">: {role.name}</span>
              </ChangeButton>
            </li>
          ))}
      </ul>
      {of_everyone.length > 0 ? <p className="small muted">Every user has {of_everyone.map((role) => role.name).join(', ')}.</p> : null}
      {is_giving ? <GiveRole user={user} offered={offered} close={() => setGiving(false)} /> : null}
    </Part>
  )
}

function GiveRole({ user, offered, close }: { user: User; offered: readonly EnvironmentRole[]; close: () => void }) {
  const here = useEnvironment()
  const change = useChangeOfRoles(user.id)
  const [slug, setSlug] = useState(offered[0]?.slug ?? '')
  const role = offered.find((each) => each.slug === slug)
  const action = useAction(() => change((now) => [...now.filter((each) => each !== slug), slug]), {
    changes: users.access(here, user.id),
    done: close,
  })
  return (
    <FormDialog
      title={`Give ${user.email ?? user.id} a role`}
      lead={
        <>
          <ThisEnvironment /> It counts from the next request on.
        </>
      }
      submit="Give it"
      action={action}
      disabled={role === undefined}
      onSubmit={() => action.run()}
      onClose={close}
    >
      <NativeSelect
        label="Role"
        description={role?.description ?? undefined}
        data={offered.map((each) => ({ value: each.slug, label: each.name }))}
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
        error={fieldError(action.error, '/roles')}
      />
      {role ? <Gives role={role} /> : null}
    </FormDialog>
  )
}

const Gives = ({ role: { permissions } }: { role: EnvironmentRole }) => (
  <>
    <p className="small muted">{permissions.length === 0 ? 'The role gives no scope.' : 'What it gives:'}</p>
    <ul>
      {permissions.map(({ resource_server, scopes }) => (
        <li key={resource_server} className="small">
          {resource_server}: <span className="mono any">{scopes.join(' ')}</span>
        </li>
      ))}
    </ul>
  </>
)
