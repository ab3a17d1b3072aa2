/** Adds a user to an organization. The user is found by words of the name or the email, or by the id. */
import { Radio, TextInput } from '@mantine/core'
import type { Organization, User } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { Skeleton, useList } from '../../parts/reading.tsx'
import { useRested } from '../../parts/rested.ts'
import { organizations } from '../../queries/organizations.ts'
import { users } from '../../queries/users.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { RoleBoxes } from './role-boxes.tsx'

export function AddMember({ organization, close }: { organization: Organization; close: () => void }) {
  const { client, at } = useEnvironment()
  const { id: organization_id, name } = organization
  const found = useFound()
  const [given, setGiven] = useState<readonly string[]>([])
  const action = useAction(
    (user_id: string) => client.addOrganizationMember({ organization_id }, { user_id, ...(given.length > 0 ? { roles: [...given] } : {}) }),
    { changes: organizations.afterMembers({ at }, organization_id), done: close },
  )
  return (
    <FormDialog
      title="Add a member"
      lead={
        <InEnvironment>
          The user gets into <bdi>{name}</bdi> from the next request on.
        </InEnvironment>
      }
      submit="Add member"
      action={action}
      disabled={found.chosen === null}
      onSubmit={() => found.chosen && action.run(found.chosen.id)}
      onClose={close}
    >
      <FindUser of={found} error={action.error} />
      <RoleBoxes value={given} change={setGiven} error={action.error} />
    </FormDialog>
  )
}

/** How many users are shown. More words find others. */
const most_shown = 6

/** The users with the words, and the one among them that is chosen. The only one with exactly this email or id needs no choice. */
function useFound() {
  const [words, setWords] = useState('')
  const [chosen_id, choose] = useState<string | null>(null)
  const wanted = words.trim()
  const asked = useRested(wanted)
  const list = useList(users.search(useEnvironment(), asked))
  const rows = (list.rows ?? []).slice(0, most_shown)
  const exact = rows.find(({ id, email }) => id === wanted || email?.toLowerCase() === wanted.toLowerCase())
  const is_old = asked !== wanted || list.isPlaceholderData
  const chosen = rows.find(({ id }) => id === chosen_id) ?? exact ?? null
  return { words, setWords, asked, list, rows, is_old, has_more: (list.rows?.length ?? 0) > most_shown || list.hasNextPage, chosen, choose }
}

const emailOf = ({ id, email, name }: User) => email ?? name ?? id

function FindUser({ of, error }: { of: ReturnType<typeof useFound>; error: unknown }) {
  const { words, setWords, asked, list, rows, is_old, has_more, chosen, choose } = of
  return (
    <div className="find-user">
      <TextInput
        label="User"
        description="Words of the name or the email, or the id."
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        error={fieldError(error, '/user_id')}
      />
      <Problem error={list.error} retry={() => list.refetch()} />
      {list.rows === undefined && !list.error ? <Skeleton rows={2} /> : null}
      {list.rows?.length === 0 && !is_old ? (
        <output className="muted">
          {asked === '' ? 'This environment has no user yet.' : 'No user has these words.'}{' '}
          <Link className="u" {...toPage('/users', { new: '1' })}>
            Add a user
          </Link>
        </output>
      ) : null}
      {rows.length > 0 ? (
        <fieldset aria-busy={is_old} className={is_old ? 'dimmed' : undefined}>
          <legend className="lab">{asked === '' ? 'The newest users' : 'Users with these words'}</legend>
          <div className="choices-column">
            {rows.map((user) => (
              <Radio
                key={user.id}
                name="user"
                checked={user.id === chosen?.id}
                onChange={() => choose(user.id)}
                label={<span className="any">{emailOf(user)}</span>}
                description={user.email && user.name ? user.name : undefined}
              />
            ))}
          </div>
          {has_more ? <p className="small muted">There are more. Type another word of the name or the email.</p> : null}
        </fieldset>
      ) : null}
    </div>
  )
}
