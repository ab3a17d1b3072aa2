/** Lists the scopes that a person can have as a user, or as a member of an organization, each with the role that gives it. */
import { Radio, TextInput } from '@mantine/core'
import type { EnvironmentRole, User, UserAccess } from '@ostiary/sdk'
import { useState } from 'react'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useList, useRead } from '../../parts/reading.tsx'
import { useRested } from '../../parts/rested.ts'
import { Tag } from '../../parts/tag.tsx'
import { organizations } from '../../queries/organizations.ts'
import { resourceServers } from '../../queries/resource-servers.ts'
import { roles } from '../../queries/roles.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { Part } from './access.tsx'
import { scopeLines } from './why.ts'

interface Acting {
  id: string
  name: string
  disabled: boolean
}

export function WhatTheyCanDo({ user }: { user: User }) {
  const [acting, setActing] = useState<Acting | null>(null)
  return (
    <Part title="What can this person do?">
      {user.blocked_at ? (
        <p className="muted">Nothing: blocked.</p>
      ) : (
        <>
          <ActingFor user={user} acting={acting} choose={setActing} />
          <Can key={acting?.id} user={user} acting={acting} />
        </>
      )}
    </Part>
  )
}

/** How many organizations are shown. Words find the others. */
const most_shown = 6

/** Without words the organizations of the person, the newest first. The words look in all organizations of the environment. */
function useOrganizations(user: User) {
  const here = useEnvironment()
  const [words, setWords] = useState('')
  const wanted = words.trim()
  const asked = useRested(wanted)
  const memberships = useList(organizations.ofUser(here, user.id))
  const found = useList(organizations.list(here, asked), { enabled: asked !== '' })
  const own: Acting[] = (memberships.rows ?? []).map(({ organization }) => organization)
  const all: Acting[] = asked === '' ? own : (found.rows ?? [])
  return {
    words,
    setWords,
    error: memberships.error ?? found.error,
    is_searching: wanted !== asked || (asked !== '' && (found.isFetching || found.isPlaceholderData)),
    shown: all.slice(0, most_shown),
    has_none: asked !== '' && found.rows?.length === 0,
    has_any: own.length > 0,
    has_many: own.length > most_shown,
  }
}

interface ActingForProps {
  user: User
  acting: Acting | null
  choose: (acting: Acting | null) => void
}

/** A person without organizations has no choice. */
function ActingFor({ user, acting, choose }: ActingForProps) {
  const { words, setWords, error, is_searching, shown, has_none, has_any, has_many } = useOrganizations(user)
  if (!has_any) return <Problem error={error} />
  const offered = acting === null || shown.some(({ id }) => id === acting.id) ? shown : [acting, ...shown]
  return (
    <fieldset className="acting-for">
      <legend className="vh">Acting</legend>
      {has_many ? (
        <TextInput
          label="Find an organization"
          description="Words of the name, the slug or the external id."
          type="search"
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      ) : null}
      <Problem error={error} />
      <div className={is_searching ? 'choices-column dimmed' : 'choices-column'} aria-busy={is_searching}>
        <Radio name="acting" checked={acting === null} onChange={() => choose(null)} label="As a user" />
        {offered.map((organization) => (
          <Radio
            key={organization.id}
            name="acting"
            checked={organization.id === acting?.id}
            onChange={() => choose(organization)}
            label={<span className="any">In {organization.name}</span>}
          />
        ))}
      </div>
      {has_none && !is_searching ? <output className="muted">No organization has these words.</output> : null}
    </fieldset>
  )
}

function Can({ user, acting }: { user: User; acting: Acting | null }) {
  const access = useRead(users.may(useEnvironment(), user.id, acting?.id))
  return (
    <Loaded of={access} rows={2}>
      {(of) =>
        of.is_member === false ? (
          <p className="muted">{acting?.disabled ? 'Nothing: the organization is disabled.' : 'Nothing: not a member of it.'}</p>
        ) : of.permissions.length === 0 ? (
          <p className="muted">This environment has no resource servers.</p>
        ) : (
          <Scopes of={of} kind={acting === null ? 'user' : 'organization'} />
        )
      }
    </Loaded>
  )
}

function Scopes({ of: { permissions, roles: held }, kind }: { of: UserAccess; kind: EnvironmentRole['kind'] }) {
  const here = useEnvironment()
  const every = useRead(roles.every(here)).data ?? []
  const servers = useRead(resourceServers.hundred(here)).data?.data
  return permissions.map((at) => {
    const server = servers?.find(({ slug }) => slug === at.resource_server)
    const lines = scopeLines(at, { scopes: server?.scopes.map(({ name }) => name), roles: every, kind, held })
    return (
      <div key={at.resource_server}>
        <h4>{server?.name ?? at.resource_server}</h4>
        {lines.length === 0 ? <p className="muted">No scopes.</p> : null}
        <ul>
          {lines.map(({ name, can, why }) => (
            <li className="list-row" key={name}>
              <div>
                <span className="mono">{name}</span>
                <div className="small muted">{why}</div>
              </div>
              {can ? <Tag tone="ok">can</Tag> : <Tag>cannot</Tag>}
            </li>
          ))}
        </ul>
      </div>
    )
  })
}
