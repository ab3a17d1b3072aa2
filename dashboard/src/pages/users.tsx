/** The users of an environment. The drawer begins with whether the person can sign in. */

import { TextInput } from '@mantine/core'
import type { User } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { useAction } from '../parts/action.ts'
import { CodeTabs } from '../parts/code.tsx'
import { EmailField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { fieldError } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { users } from '../queries/users.ts'
import { useEnvironment } from '../scope.tsx'
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
            Email proved
          </Tag>
        ) : (
          <Tag>Email not proved</Tag>
        ),
    },
    { head: 'Last sign-in', className: 'muted nowrap', cell: ({ last_sign_in_at }) => <Time at={last_sign_in_at} /> },
    { head: 'Created', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Page
      title="Users"
      lead={`The people who sign in to ${environment.name}.`}
      actions={
        <ChangeButton className="btn pri" in_root={false} onClick={() => show({ new: '1' })}>
          <Icon name="plus" /> Add user
        </ChangeButton>
      }
    >
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
            <Empty
              action={
                <ChangeButton className="btn pri" onClick={() => show({ new: '1' })}>
                  Add the first user
                </ChangeButton>
              }
              snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: addUser() }]} />}
            >
              No user yet. People appear here when they sign up, or when you add them.
            </Empty>
          )
        }
      />
      {search.chosen ? <UserSide key={search.chosen} user_id={search.chosen} onClose={() => show({ chosen: undefined })} /> : null}
      {search.new && can('developer') ? (
        <AddUser close={() => show({ new: undefined })} onAdded={(id) => show({ new: undefined, chosen: id })} />
      ) : null}
    </Page>
  )
}

/** With a secret key, which names the environment by itself. */
const addUser = () =>
  `curl ${location.origin}/v1/auth/users \\\n  -H "X-API-Key: $OSTIARY_SECRET_KEY" -H 'Content-Type: application/json' \\\n  -d '{"email":"sam@example.com"}'`

function AddUser({ close, onAdded }: { close: () => void; onAdded: (id: string) => void }) {
  const { client, at, environment, project } = useEnvironment()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const action = useAction(() => client.createUser({ email, ...(name ? { name } : {}) }), {
    changes: [users.all({ at })],
    done: ({ id }) => onAdded(id),
  })
  const submit = () => action.run(undefined)
  return (
    <FormDialog
      title="Add a user"
      lead={
        <>
          To <EnvironmentTag type={environment.type} /> of {project.name}. Nothing is mailed, and the account has no password: the person
          signs in by an emailed code or a provider, or your backend sets a password.
        </>
      }
      submit="Add user"
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <EmailField value={email} change={setEmail} error={action.error} />
      <TextInput
        label="Name, optional"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(action.error, '/name')}
      />
    </FormDialog>
  )
}
