/** The roles that let a person in at an application: those that exist as boxes, and apart the slugs of deleted ones. */
import { Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { Note } from '../../parts/note.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { useFirst } from '../../parts/table.tsx'
import { roles } from '../../queries/roles.ts'
import { toPage, useEnvironment } from '../../scope.tsx'

interface AllowedRolesProps {
  value: readonly string[]
  /** The slugs that the form began with. A role that is taken out and put back keeps its place. */
  stored: readonly string[]
  change: (slugs: string[]) => void
  error: unknown
}

export function AllowedRoles({ value, stored, change, error }: AllowedRolesProps) {
  const id = useId()
  const read = useRead(roles.every(useEnvironment()))
  const problem = fieldError(error, '/allowed_roles')
  const set = (slug: string, is_allowed: boolean) => {
    const next = is_allowed ? [...value, slug] : value.filter((each) => each !== slug)
    change([...stored.filter((each) => next.includes(each)), ...next.filter((each) => !stored.includes(each))])
  }
  return (
    <fieldset aria-describedby={problem ? `${id}-problem` : undefined}>
      <legend className="lab">Roles that let a person in</legend>
      <p className="hint">
        {value.length === 0
          ? 'None is ticked: everyone gets in.'
          : 'A person without one of these gets no token, from the next request on.'}
      </p>
      {problem ? (
        <p className="tone-bad small" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
      <Loaded of={read} rows={2}>
        {(all) => <Boxes all={all} value={value} set={set} />}
      </Loaded>
    </fieldset>
  )
}

interface BoxesProps {
  all: readonly { slug: string; name: string; kind: 'user' | 'organization'; default: boolean }[]
  value: readonly string[]
  set: (slug: string, is_allowed: boolean) => void
}

function Boxes({ all, value, set }: BoxesProps) {
  const { first, more } = useFirst(all, 'roles')
  const gone = value.filter((slug) => !all.some((role) => role.slug === slug))
  return (
    <div className="choices-column">
      {all.length === 0 ? (
        <p className="muted">
          This environment has no role.{' '}
          <Link className="u" {...toPage('/roles', { new: '1' })}>
            Create one
          </Link>
        </p>
      ) : null}
      {first.map(({ slug, name, kind, default: is_default }) => (
        <Checkbox
          key={slug}
          checked={value.includes(slug)}
          onChange={(event) => set(slug, event.currentTarget.checked)}
          label={
            <>
              {name} <code className="xs faint">{slug}</code>
            </>
          }
          description={descriptionOf(kind, is_default)}
        />
      ))}
      {more}
      {gone.length > 0 ? (
        <Note tone="warn">
          <b>{gone.length === value.length ? 'Nobody gets in: these roles are gone' : 'These roles are gone and let nobody in'}</b>
          <ul>
            {gone.map((slug) => (
              <li className="list-row" key={slug}>
                <span className="mono">{slug}</span>
                <button type="button" className="btn s" onClick={() => set(slug, false)}>
                  Take out<span className="vh">: {slug}</span>
                </button>
              </li>
            ))}
          </ul>
          {gone.length === value.length ? 'If you take all of them out, everyone gets in.' : null}
        </Note>
      ) : null}
    </div>
  )
}

function descriptionOf(kind: 'user' | 'organization', is_default: boolean): string | undefined {
  if (kind === 'organization') return is_default ? 'Every member of an organization has it.' : 'For members of organizations.'
  return is_default ? 'Every user has it.' : undefined
}
