/** The roles of a member as boxes. A role that every member has is a box only where it was also given. */
import { Checkbox } from '@mantine/core'
import type { EnvironmentRole } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { fieldError } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { useFirst } from '../../parts/table.tsx'
import { roles } from '../../queries/roles.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { everyMemberHas, ofMembers } from './role-words.ts'

interface RoleBoxesProps {
  value: readonly string[]
  /** The slugs that the form began with. */
  stored?: readonly string[]
  change: (slugs: string[]) => void
  error: unknown
}

export function RoleBoxes({ value, stored = [], change, error }: RoleBoxesProps) {
  const id = useId()
  const read = useRead(roles.every(useEnvironment()))
  const problem = fieldError(error, '/roles')
  const set = (slug: string, is_given: boolean) => change(is_given ? [...value, slug].sort() : value.filter((each) => each !== slug))
  return (
    <fieldset aria-describedby={problem ? `${id}-problem` : undefined}>
      <legend className="lab">Roles</legend>
      {problem ? (
        <p className="tone-bad small" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
      <Loaded of={read} rows={2}>
        {(every) => (
          <Boxes
            every={every}
            offered={ofMembers(every).filter((role) => !role.default || value.includes(role.slug) || stored.includes(role.slug))}
            value={value}
            set={set}
          />
        )}
      </Loaded>
    </fieldset>
  )
}

interface BoxesProps {
  every: readonly EnvironmentRole[]
  offered: readonly EnvironmentRole[]
  value: readonly string[]
  set: (slug: string, is_given: boolean) => void
}

function Boxes({ every, offered, value, set }: BoxesProps) {
  const { first, more } = useFirst(offered, 'roles')
  const defaults = everyMemberHas(every)
  return (
    <div className="choices-column">
      {defaults ? <p className="small muted">{defaults}</p> : null}
      {ofMembers(every).length === 0 ? (
        <p className="muted">
          This environment has no role for members of organizations.{' '}
          <Link className="u" {...toPage('/roles', { new: '1' })}>
            Create one
          </Link>
        </p>
      ) : null}
      {first.map(({ slug, name, description, administers }) => (
        <Checkbox
          key={slug}
          checked={value.includes(slug)}
          onChange={(event) => set(slug, event.currentTarget.checked)}
          label={
            <>
              {name} <code className="xs faint">{slug}</code>
            </>
          }
          description={
            [description, administers ? 'Manages the members of the organization.' : null].filter(Boolean).join(' ') || undefined
          }
        />
      ))}
      {more}
    </div>
  )
}
