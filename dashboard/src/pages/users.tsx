/** The users of an environment. The drawer begins with whether the person can sign in. */

import type { User } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { CodeTabs } from '../parts/code.tsx'
import { curlOf } from '../parts/curl.ts'
import { FilterSelect, NoMatch } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { type Approval, approvalIn, approvals, users } from '../queries/users.ts'
import { useEnvironment } from '../scope.tsx'
import { type Added, AddUser } from './users/add-user.tsx'
import { UserSide } from './users/user-side.tsx'

export default function Users() {
  const here = useEnvironment()
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
  const role = search.role ?? ''
  const approval = approvalIn(search)
  const list = useList(users.list(here, query, { role: search.role, approval }))
  const find = (event: FormEvent) => {
    event.preventDefault()
    const text = words.trim()
    show(/^usr_\w{26}$/.test(text) ? { chosen: text } : { query: text || undefined })
  }
  const columns: Column<User>[] = [
    {
      head: 'User',
      cell: ({ id, name, email }, open) => (
        <>
          <b>{open(email ?? name ?? id)}</b>
          {name && email ? <span className="muted">{name}</span> : null}
        </>
      ),
    },
    {
      head: 'Status',
      cell: ({ blocked_at, deletes_at, email_verified, approval }) =>
        deletes_at ? (
          <Tag tone="bad">Deleted</Tag>
        ) : approval && approval.state !== 'approved' ? (
          <Tag tone={approval.state === 'waiting' ? 'warn' : 'bad'}>{approval.state === 'waiting' ? 'Waits for approval' : 'Refused'}</Tag>
        ) : blocked_at ? (
          <Tag tone="bad">Blocked</Tag>
        ) : email_verified ? (
          <Tag tone="ok">Email verified</Tag>
        ) : (
          <Tag>Email not verified</Tag>
        ),
    },
    timeColumn('Last sign-in', ({ last_sign_in_at }) => last_sign_in_at),
    timeColumn('Created', ({ created_at }) => created_at),
  ]
  return (
    <ListPage
      title="Users"
      lead={`The people who sign in to ${here.environment.name}.`}
      create={{
        words: 'Add user',
        in_root: false,
        form: (close) => (
          <AddUser
            close={close}
            onAdded={(next) => {
              setAdded(next)
              show({ new: undefined, chosen: next.user.id })
            }}
          />
        ),
      }}
      above={
        <>
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
            {here.is_root ? null : (
              <FilterSelect
                label="Approval"
                any="Any approval"
                options={approvals}
                value={approval}
                choose={(approval) => show({ approval })}
              />
            )}
            {role ? <OnlyRole slug={role} clear={() => show({ role: undefined })} /> : null}
          </form>
        </>
      }
      list={list}
      columns={columns}
      no_match={
        query || role || approval ? (
          <NoMatch act="Clear the search" clear={() => show({ query: undefined, role: undefined, approval: undefined })}>
            {query ? 'No user has these words.' : role ? 'No user was given this role.' : no_approval[approval ?? 'waiting']}
          </NoMatch>
        ) : null
      }
      empty="No user yet. People appear here when they sign up, or when you add them."
      snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: addUser() }]} />}
      side={{ param: 'chosen', of: (id, close) => <UserSide user_id={id} onClose={close} /> }}
    />
  )
}

const no_approval: Readonly<Record<Approval, string>> = {
  waiting: 'Nobody waits for an approval.',
  approved: 'Nobody was approved.',
  refused: 'Nobody was refused.',
}

/** With a secret key, which names the environment by itself. */
const addUser = () => curlOf(location.origin, { path: '/v1/auth/users', key: 'OSTIARY_SECRET_KEY', body: { email: 'sam@example.com' } })

/** The filter by a role, which the page of a role sets. */
const OnlyRole = ({ slug, clear }: { slug: string; clear: () => void }) => (
  <span className="rs">
    <span>
      Only with the role <code>{slug}</code>
    </span>
    <button type="button" className="btn s" onClick={clear}>
      Show all<span className="vh"> users</span>
    </button>
  </span>
)

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
