/** The permissions of a role: the scopes of each resource server as boxes, and apart what gives nothing any more. */
import '../../styles/roles.css'
import { Checkbox } from '@mantine/core'
import type { Permission, ResourceServer } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useFirst } from '../../parts/table.tsx'
import { toPage } from '../../scope.tsx'
import { goneOf, madeAgainOf, scopesAt, without, withScopes } from './permissions.ts'

interface BoxesProps {
  servers: readonly ResourceServer[]
  value: readonly Permission[]
  /** The permissions that the form began with. */
  stored: readonly Permission[]
  /** Stored entries that give nothing. */
  without_effect: readonly Permission[]
  change: (permissions: Permission[]) => void
  error: unknown
}

/** With more resource servers a field finds one. */
const most_without_search = 8

export function PermissionBoxes({ servers, value, stored, without_effect, change, error }: BoxesProps) {
  const id = useId()
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const found = servers.filter(({ name, identifier, slug }) => [name, identifier, slug].some((text) => text.toLowerCase().includes(wanted)))
  const { first, more } = useFirst(found, 'resource servers')
  const gone = goneOf(value, servers)
  const made_again = madeAgainOf(without_effect, servers)
  const problem = fieldError(error, '/permissions')
  return (
    <fieldset className="permissions" aria-describedby={problem ? `${id}-problem` : undefined}>
      <legend className="lab">Permissions</legend>
      <p className="hint">What a person with this role may do: scopes of your resource servers.</p>
      {problem ? (
        <p className="tone-bad small" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
      {servers.length === 0 ? (
        <p className="muted">
          This environment has no resource server.{' '}
          <Link className="u" {...toPage('/resource-servers', { new: '1' })}>
            Add your API
          </Link>{' '}
          with its scopes, then come back.
        </p>
      ) : null}
      {servers.length > most_without_search ? (
        <input
          className="in"
          type="search"
          aria-label="Find a resource server"
          placeholder="Find a resource server"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      ) : null}
      {found.length === 0 && servers.length > 0 ? <p className="muted">No resource server has this name.</p> : null}
      {first.map((server) => (
        <ServerBoxes
          key={server.id}
          server={server}
          begins_open={servers.length === 1 || scopesAt(value, server.slug).length > 0}
          given={scopesAt(value, server.slug)}
          made_again={scopesAt(made_again, server.slug)}
          give={(scopes) => change(withScopes(value, stored, { resource_server: server.slug, scopes }))}
        />
      ))}
      {more}
      {gone.length > 0 ? <Gone entries={gone} takeOut={(taken) => change(without(value, taken))} /> : null}
    </fieldset>
  )
}

interface ServerBoxesProps {
  server: ResourceServer
  begins_open: boolean
  given: readonly string[]
  /** Scopes that the role named before they were made again. */
  made_again: readonly string[]
  give: (scopes: string[]) => void
}

function ServerBoxes({ server: { name, identifier, scopes, require_roles }, begins_open, given, made_again, give }: ServerBoxesProps) {
  const [is_open, setOpen] = useState(begins_open)
  const present = scopes.map((scope) => scope.name)
  const kept = given.filter((scope) => !present.includes(scope)) // they are shown apart
  const ticked = given.filter((scope) => present.includes(scope))
  const has_all = ticked.length === present.length
  const set = (scope: string, is_given: boolean) => give(is_given ? [...given, scope] : given.filter((each) => each !== scope))
  return (
    <details open={is_open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="right" size={14} />
        <span className="any">
          <b>{name}</b> <code className="xs faint">{identifier}</code>
        </span>
        <span className="small muted nowrap">{present.length === 0 ? 'no scopes' : `${ticked.length} of ${present.length}`}</span>
      </summary>
      {is_open ? (
        <div className="boxes">
          {require_roles ? null : (
            <p className="small muted">
              Everyone gets these scopes: “Require roles” is off at this resource server. The role gives nothing here until it is on.
            </p>
          )}
          {scopes.length > 1 ? (
            <Checkbox
              label={<span className="muted">All scopes of {name}</span>}
              checked={has_all}
              indeterminate={ticked.length > 0 && !has_all}
              onChange={() => give(has_all ? kept : [...kept, ...present])}
            />
          ) : null}
          {scopes.map((scope) => (
            <Checkbox
              key={scope.name}
              checked={given.includes(scope.name)}
              onChange={(event) => set(scope.name, event.currentTarget.checked)}
              label={
                <>
                  {scope.description ? `${scope.description} ` : null}
                  <code className={scope.description ? 'xs faint' : ''}>{scope.name}</code>
                </>
              }
              description={
                made_again.includes(scope.name) && !given.includes(scope.name)
                  ? 'Made again after this role was saved, so the role does not give it. Tick it to give it.'
                  : undefined
              }
            />
          ))}
        </div>
      ) : null}
    </details>
  )
}

function Gone({ entries, takeOut }: { entries: readonly Permission[]; takeOut: (taken: Permission[]) => void }) {
  return (
    <Note tone="warn">
      <b>These give nothing</b>
      <p>
        Their resource server or scope is gone. One that is made again under the old name is given only after you save the permissions of
        this role again.
      </p>
      <ul className="gone">
        {entries.map((entry) => (
          <li className="list-row" key={entry.resource_server}>
            <div>
              <span className="mono">{entry.resource_server}</span>
              <div className="small mono">{entry.scopes.join(' ')}</div>
            </div>
            <button type="button" className="btn s" onClick={() => takeOut([entry])}>
              Take out<span className="vh">: {entry.resource_server}</span>
            </button>
          </li>
        ))}
      </ul>
    </Note>
  )
}
