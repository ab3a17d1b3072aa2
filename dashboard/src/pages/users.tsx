/** The users of an environment. The drawer begins with whether the person can sign in. */

import type { User } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { CodeTabs } from '../parts/code.tsx'
import { curlOf } from '../parts/curl.ts'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, Empty, hasNone, Records } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { users } from '../queries/users.ts'
import { useEnvironment } from '../scope.tsx'
import { type Added, AddUser } from './users/add-user.tsx'
import { UserSide } from './users/user-side.tsx'

export default function Users() {
  const here = useEnvironment()
  const { environment, can } = here
  const { search, show } = useQueryState()
  const query = search.query ?? ''
  const [words, setWords] = useState(query)
  const [found, setFound] = useState(query)
  if (found !== query) {
    // The address changed: by Find, "Clear the search" or Back.
    setFound(query)
    setWords(query)
  }
  const [added, setAdded] = useState<Added | null>(null)
  const list = useList(users.list(here, query))
  const find = (event: FormEvent) => {
    event.preventDefault()
    const text = words.trim()
    show(/^usr_\w{26}$/.test(text) ? { chosen: text } : { query: text || undefined })
  }
  const columns: Column<User>[] = [
    {
      head: 'User',
      kind: 'first',
      cell: ({ id, name, email }) => (
        <>
          <b>
            <button type="button" className="row-button" onClick={() => show({ chosen: id })}>
              {email ?? name ?? id}
            </button>
          </b>
          {name && email ? <span className="muted">{name}</span> : null}
        </>
      ),
    },
    {
      head: 'Status',
      cell: ({ blocked_at, email_verified }) =>
        blocked_at ? (
          <Tag tone="bad" icon="cross">
            Blocked
          </Tag>
        ) : email_verified ? (
          <Tag tone="ok" icon="check">
            Email verified
          </Tag>
        ) : (
          <Tag>Email not verified</Tag>
        ),
    },
    { head: 'Last sign-in', className: 'muted nowrap', cell: ({ last_sign_in_at }) => <Time at={last_sign_in_at} /> },
    { head: 'Created', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  const create = (
    <ChangeButton className="btn pri" in_root={false} onClick={() => show({ new: '1' })}>
      <Icon name="plus" /> Add user
    </ChangeButton>
  )
  return (
    <Page title="Users" lead={`The people who sign in to ${environment.name}.`} actions={!query && hasNone(list) ? null : create}>
      <output>{added?.way === 'invitation' ? <Invited of={added} /> : null}</output>
      <form className="toolbar" onSubmit={find}>
        <input
          className="in"
          data-filter
          aria-label="Find users"
          placeholder="Exact email, id, or words of a name"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <button type="submit" className="btn">
          Find
        </button>
      </form>
      <Records
        label="Users"
        list={list}
        columns={columns}
        open={({ id }) => show({ chosen: id })}
        keyOf={({ id }) => id}
        empty={
          query ? (
            <Empty
              action={
                <button type="button" className="btn" onClick={() => show({ query: undefined })}>
                  Clear the search
                </button>
              }
            >
              No user has these words.
            </Empty>
          ) : (
            <Empty action={create} snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: addUser() }]} />}>
              No user yet. People appear here when they sign up, or when you add them.
            </Empty>
          )
        }
      />
      {search.chosen ? <UserSide key={search.chosen} user_id={search.chosen} onClose={() => show({ chosen: undefined })} /> : null}
      {search.new && can('developer') ? (
        <AddUser
          close={() => show({ new: undefined })}
          onAdded={(next) => {
            setAdded(next)
            show({ new: undefined, chosen: next.user.id })
          }}
        />
      ) : null}
    </Page>
  )
}

/** With a secret key, which names the environment by itself. */
const addUser = () => curlOf(location.origin, { path: '/v1/auth/users', key: 'OSTIARY_SECRET_KEY', body: { email: 'sam@example.com' } })

const Invited = ({ of: { user, error } }: { of: Added }) =>
  error ? (
    <>
      <span className="note warn">
        {user.email} was added, but the invitation was not mailed. The record of the user can mail it again.
      </span>
      <Problem error={error} />
    </>
  ) : (
    <span className="note acc">An invitation to {user.email} is on its way.</span>
  )
