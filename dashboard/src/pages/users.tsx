/** The users of an environment. The drawer begins with whether the person can sign in. */

import type { User } from '@ostiary/sdk'
import '../styles/filters.css'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAction } from '../parts/action.ts'
import { CodeTabs } from '../parts/code.tsx'
import { curlOf } from '../parts/curl.ts'
import { Export } from '../parts/export.tsx'
import { FilterSelect, NoMatch } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, timeColumn } from '../parts/table.tsx'
import { PageTabs } from '../parts/tabs.tsx'
import { Tag } from '../parts/tag.tsx'
import { providers } from '../queries/providers.ts'
import { type Approval, approvalIn, approvals, created_choices, seen_choices, user_filters, userFilter } from '../queries/user-filter.ts'
import { users } from '../queries/users.ts'
import { useEnvironment } from '../scope.tsx'
import { methodNames } from './users/access.tsx'
import { type Added, AddUser } from './users/add-user.tsx'
import { export_head, exportRow } from './users/export-rows.ts'
import { ThisPerson } from './users/person.tsx'
import { Ticked } from './users/ticked.tsx'
import { UserSide } from './users/user-side.tsx'

const tabs = [
  ['all', 'All users'],
  ['person', 'This person'],
] as const

export default function Users() {
  const { tab = 'all' } = useQueryState().search
  const above = <PageTabs label="Users" tabs={tabs} current={tab} />
  return tab === 'person' ? <ThisPerson above={above} /> : <Everybody above={above} />
}

function Everybody({ above }: { above: ReactNode }) {
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
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const tick = (ids: readonly string[]) => setTicked(new Set(ids))
  const role = search.role ?? ''
  const approval = approvalIn(search)
  const list = useList(users.list(here, userFilter(search)))
  const is_filtered = user_filters.some((name) => name !== 'sort' && search[name] !== undefined)
  // People can have come from another service like this one, and then its ids are their `sub`s.
  const named = (id: string) => here.client.listUsers({ ...here.at, query: id, limit: 1 }).page()
  const open = useAction(async (id: string) => (await named(id)).data[0]?.id ?? id, { done: (id) => show({ chosen: id }) })
  const find = (event: FormEvent) => {
    event.preventDefault()
    const text = words.trim()
    if (/^usr_\w{26}$/.test(text)) open.run(text)
    else show({ query: text || undefined })
  }
  const columns: Column<User>[] = [
    {
      head: 'User',
      cell: ({ id, name, email }, open) => (
        <div className="with-tick">
          <input
            type="checkbox"
            className="tick"
            aria-label={`Tick ${email ?? name ?? id}`}
            checked={ticked.has(id)}
            disabled={!here.can('developer') || here.is_root}
            onChange={({ target }) => tick(target.checked ? [...ticked, id] : [...ticked].filter((other) => other !== id))}
          />
          <div>
            <b>{open(email ?? name ?? id)}</b>
            {name && email ? <span className="muted">{name}</span> : null}
          </div>
        </div>
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
          {above}
          <output>{added?.way === 'invitation' ? <Invited of={added} /> : null}</output>
          <form className="toolbar" onSubmit={find}>
            <input
              className="in"
              data-filter
              aria-label="Find users"
              placeholder="Part of an email, name, id or sub"
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
            <FilterSelect
              label="Order"
              any="Newest first"
              options={[['last_sign_in', 'Latest sign-in first']]}
              value={search.sort}
              choose={(sort) => show({ sort })}
            />
            {role ? <OnlyRole slug={role} clear={() => show({ role: undefined })} /> : null}
            <Export
              name={`users-${here.environment.slug}`}
              of="users"
              head={export_head}
              rowOf={exportRow}
              rest="Choose filters for the rest."
              pages={(signal) => here.client.listUsers({ ...here.at, ...userFilter(search), limit: 100 }, { signal }).pages()}
            />
          </form>
          <Problem error={open.error} />
          <Filters />
          <Ticked ticked={ticked} shown={list.rows ?? []} tick={tick} />
        </>
      }
      list={list}
      columns={columns}
      no_match={
        is_filtered ? (
          <NoMatch act="Clear the search" clear={() => show(Object.fromEntries(user_filters.map((name) => [name, undefined])))}>
            {query
              ? 'No user has these words.'
              : role
                ? 'No user was given this role.'
                : approval
                  ? no_approval[approval]
                  : 'No user is so.'}
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

/** The filters of the second line are folded until one of them is chosen. */
const folded_filters = ['blocked', 'email_verified', 'method', 'provider_id', 'created', 'seen'] as const

function Filters() {
  const { search, show } = useQueryState()
  const [is_open, setOpen] = useState(false)
  const is_chosen = folded_filters.some((name) => search[name] !== undefined)
  const known = useRead(providers.hundred(useEnvironment()))
  const choices = (of: Readonly<Record<string, { words: string }>>) =>
    Object.entries(of).map(([value, { words }]) => [value, words] as const)
  const choice = (name: (typeof folded_filters)[number], label: string, any: string, options: readonly (readonly [string, string])[]) => (
    <FilterSelect label={label} any={any} options={options} value={search[name]} choose={(value) => show({ [name]: value })} />
  )
  const of_providers = (known.data?.data ?? []).map(({ id, display_name }) => [id, display_name] as const)
  return (
    <details className="more" open={is_open || is_chosen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>More filters</summary>
      <div className="toolbar">
        {choice('blocked', 'Blocked', 'Blocked or not', [
          ['yes', 'Blocked'],
          ['no', 'Not blocked'],
        ])}
        {choice('email_verified', 'Email', 'Email verified or not', [
          ['yes', 'Email verified'],
          ['no', 'Email not verified'],
        ])}
        {choice('method', 'Method', 'Any method', Object.entries(methodNames))}
        {of_providers.length > 0 ? choice('provider_id', 'Provider', 'Any provider', of_providers) : null}
        {choice('created', 'Created', 'Created at any time', choices(created_choices))}
        {choice('seen', 'Last sign-in', 'Any last sign-in', choices(seen_choices))}
      </div>
    </details>
  )
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
