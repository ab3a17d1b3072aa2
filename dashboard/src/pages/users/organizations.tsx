/** The organizations of which a user is a member, each with the roles there. */
import type { User } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Problem } from '../../parts/problem.tsx'
import { Skeleton, useList, useRead } from '../../parts/reading.tsx'
import { ShowMore } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { organizations } from '../../queries/organizations.ts'
import { roles } from '../../queries/roles.ts'
import { toOrganization, useEnvironment } from '../../scope.tsx'
import { nameOfRole } from '../organizations/role-words.ts'
import { Part } from './access.tsx'

export function Organizations({ user }: { user: User }) {
  const here = useEnvironment()
  const list = useList(organizations.ofUser(here, user.id))
  const every = useRead(roles.every(here)).data ?? []
  return (
    <Part title="Organizations">
      <Problem error={list.error} retry={() => list.refetch()} />
      {list.rows === undefined && !list.error ? <Skeleton rows={1} /> : null}
      {list.rows?.length === 0 ? <p className="muted">Not a member of any.</p> : null}
      <ul>
        {list.rows?.map(({ id, organization, roles: given, last_used_at }) => (
          <li className="list-row" key={id}>
            <div>
              <Link className="u" {...toOrganization(id)}>
                {organization.name}
              </Link>
              <div className="small muted">
                {given.length === 0 ? 'No role was given' : given.map((slug) => nameOfRole(every, slug)).join(', ')} ·{' '}
                {last_used_at === null ? (
                  'never used'
                ) : (
                  <>
                    last used <Time at={last_used_at} />
                  </>
                )}
              </div>
            </div>
            {organization.disabled ? (
              <Tag tone="warn" icon="cross">
                Disabled
              </Tag>
            ) : null}
          </li>
        ))}
      </ul>
      <ShowMore list={list} of="Organizations" />
    </Part>
  )
}
