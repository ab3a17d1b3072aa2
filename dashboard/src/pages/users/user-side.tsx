/**
 * One user: can this person sign in, profile, mails, roles, organizations, what they can do, methods, sessions, connected applications; block
 * and delete.
 */

import { Checkbox } from '@mantine/core'
import type { SignInMethod, User } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm, ConfirmCall } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { Id } from '../../parts/names.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useList, useRead } from '../../parts/reading.tsx'
import { Facts, Json, Side } from '../../parts/side.tsx'
import { Tag, ThisEnvironment } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { reasonWords } from '../../parts/words.ts'
import { events } from '../../queries/events.ts'
import { providers } from '../../queries/providers.ts'
import { settings } from '../../queries/settings.ts'
import { users } from '../../queries/users.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { Access, Part, type Question } from './access.tsx'
import { EditUser } from './edit-user.tsx'
import { Organizations } from './organizations.tsx'
import { Roles } from './roles.tsx'
import { SetPassword } from './set-password.tsx'
import { judgeWaysIn, mailsFor } from './ways-in.ts'
import { WhatTheyCanDo } from './what-they-can-do.tsx'

export function UserSide({ user_id, onClose }: { user_id: string; onClose: () => void }) {
  const user = useRead(users.one(useEnvironment(), user_id))
  return (
    <Side title={user.data?.email ?? 'User'} onClose={onClose}>
      <Loaded of={user}>{(user) => <Content user={user} onClose={onClose} />}</Loaded>
    </Side>
  )
}

function Content({ user, onClose }: { user: User; onClose: () => void }) {
  const here = useEnvironment()
  const { client } = here
  const [question, setQuestion] = useState<Question | null>(null)
  const [form, setForm] = useState<'edit' | 'password' | null>(null)
  const about = { user_id: user.id }
  // The verdict on the ways in needs all methods.
  const methods = useList(users.methods(here, user.id))
  const changes = users.access(here, user.id)
  const change = useAction(({ run }: Question) => run(), { changes, done: () => setQuestion(null) })
  const unblock = useAction(() => client.unblockUser(about), { changes })
  const restore = useAction(() => client.restoreUser(about), { changes })
  const ask = (next: Question) => {
    change.reset()
    setQuestion(next)
  }
  const block: Question = {
    title: `Block ${userName(user)}?`,
    consequence: 'All sessions and tokens of this person end at once, and no method signs in any more, until you unblock.',
    keep: 'Keep access',
    act: 'Block now',
    run: () => client.blockUser(about),
  }
  return (
    <>
      <WaysIn user={user} methods={methods.rows} />
      {user.approval?.state === 'waiting' ? <Approval user={user} changes={changes} /> : null}
      <Facts
        of={{
          Email: user.email ? (
            <Copied value={user.email} label="email" tag={user.email_verified ? <Tag tone="ok">verified</Tag> : <Tag>not verified</Tag>} />
          ) : (
            'None'
          ),
          Name: user.name ?? <span className="faint">None</span>,
          ...(user.deletes_at ? { 'Erased on': <Time at={user.deletes_at} /> } : {}),
          ...(user.approval ? { [approval_words[user.approval.state]]: <Time at={user.approval.at} /> } : {}),
          'Last sign-in': <Time at={user.last_sign_in_at} />,
          Created: <Time at={user.created_at} />,
          Id: <Id value={user.id} label="user id" />,
          ...(user.sub === user.id ? {} : { 'sub of tokens': <Copied value={user.sub} label="sub" /> }),
        }}
      />
      <div className="toolbar">
        <ChangeButton className="btn s" in_root={false} onClick={() => setForm('edit')}>
          Edit
        </ChangeButton>
        <ChangeButton className="btn s" in_root={false} onClick={() => setForm('password')}>
          {user.has_password ? 'Replace the password' : 'Set a password'}
        </ChangeButton>
      </div>
      {Object.keys(user.metadata).length === 0 ? null : (
        <Part title="Metadata">
          <Json of={user.metadata} />
        </Part>
      )}
      {Object.keys(user.claims).length === 0 ? null : (
        <Part title="Claims">
          <Json of={user.claims} />
        </Part>
      )}
      <Mails user={user} />
      {here.is_root ? null : (
        <>
          <Roles user={user} ask={ask} />
          <Organizations user={user} />
          <WhatTheyCanDo user={user} />
        </>
      )}
      <Access user={user} methods={methods} ask={ask} />
      <Part title="Events">
        <div className="toolbar">
          <Link className="btn s" {...toPage('/users', { tab: 'person', person: user.id })}>
            The last seven days
          </Link>
          <Link className="btn s" {...toPage('/events', { user_id: user.id })}>
            All events of this user
          </Link>
          <Link className="btn s" {...toPage('/events', { user_id: user.id, type: 'sign_in.failed' })}>
            Failed sign-ins
          </Link>
        </div>
      </Part>
      <Problem error={unblock.error ?? restore.error} />
      <div className="toolbar">
        {user.blocked_at ? (
          <ChangeButton disabled={unblock.busy} onClick={() => unblock.run()}>
            Unblock
          </ChangeButton>
        ) : (
          <ChangeButton onClick={() => ask(block)}>Block</ChangeButton>
        )}
        {user.deletes_at ? (
          <ChangeButton in_root={false} disabled={restore.busy} onClick={() => restore.run()}>
            Restore
          </ChangeButton>
        ) : null}
        <DeleteUser user={user} onDeleted={onClose} />
      </div>
      {form === 'edit' ? <EditUser user_id={user.id} close={() => setForm(null)} /> : null}
      {form === 'password' ? <SetPassword user={user} close={() => setForm(null)} /> : null}
      {question ? (
        <Confirm
          {...question}
          lead={
            <>
              <ThisEnvironment /> {userName(user)}
            </>
          }
          busy={change.busy}
          error={change.error}
          onConfirm={() => change.run(question)}
          onClose={() => setQuestion(null)}
        />
      ) : null}
    </>
  )
}

const approval_words = { waiting: 'Waits since', approved: 'Approved', refused: 'Refused' } as const

/** Lets a person in who signed up, or not. Both are mailed. */
function Approval({ user, changes }: { user: User; changes: ReturnType<typeof users.access> }) {
  const { client } = useEnvironment()
  const about = { user_id: user.id }
  const [is_refusing, setRefusing] = useState(false)
  const approve = useAction(() => client.approveUser(about), { changes })
  return (
    <>
      <div className="toolbar">
        <ChangeButton className="btn pri" in_root={false} disabled={approve.busy} onClick={() => approve.run()}>
          Approve
        </ChangeButton>
        <ChangeButton in_root={false} disabled={approve.busy} onClick={() => setRefusing(true)}>
          Refuse
        </ChangeButton>
      </div>
      <Problem error={approve.error} />
      {is_refusing ? (
        <ConfirmCall
          title={`Refuse ${userName(user)}?`}
          consequence="The person gets a mail and cannot use the account, which is deleted after 30 days. A refusal cannot be taken back."
          keep="Leave it waiting"
          act="Refuse now"
          call={() => client.refuseUser(about)}
          changes={changes}
          done={() => setRefusing(false)}
          onClose={() => setRefusing(false)}
        />
      ) : null}
    </>
  )
}

const userName = ({ id, email }: User) => email ?? id

function Mails({ user }: { user: User }) {
  const here = useEnvironment()
  const { client } = here
  const in_force = useRead(settings.plain(here)).data
  const [is_sent, setSent] = useState(false)
  const about = { user_id: user.id }
  const send = useAction(
    (kind: 'reset' | 'verification') => (kind === 'reset' ? client.sendReset(about) : client.sendVerification(about)),
    {
      done: () => setSent(true),
    },
  )
  const mail = (kind: 'reset' | 'verification') => {
    setSent(false)
    send.run(kind)
  }
  const offered = in_force ? mailsFor(user, in_force) : null
  if (!offered || !Object.values(offered).includes(true)) return null
  return (
    <Part title="Mail">
      <div className="toolbar">
        {offered.reset || offered.invitation ? (
          <ChangeButton className="btn s" in_root={false} disabled={send.busy} onClick={() => mail('reset')}>
            {offered.invitation ? 'Mail an invitation to choose a password' : 'Mail a link for a new password'}
          </ChangeButton>
        ) : null}
        {offered.verification ? (
          <ChangeButton className="btn s" in_root={false} disabled={send.busy} onClick={() => mail('verification')}>
            Mail a code that verifies the email
          </ChangeButton>
        ) : null}
      </div>
      <output className="small muted">{is_sent ? `A mail to ${user.email} is on its way, unless too many were asked for.` : ''}</output>
      <Problem error={send.error} />
    </Part>
  )
}

function DeleteUser({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const here = useEnvironment()
  const { client, at } = here
  const [is_open, setOpen] = useState(false)
  const [is_final, setFinal] = useState(false)
  const grace_days = useRead(settings.plain(here)).data?.users.deletion_grace_days ?? 0
  const is_closed = user.deletes_at !== null
  const can_wait = grace_days > 0 && !is_closed
  const erases = is_closed || !can_wait || is_final
  return (
    <>
      <ChangeButton className="btn bad" in_root={false} onClick={() => setOpen(true)}>
        {is_closed ? 'Erase now' : 'Delete'}
      </ChangeButton>
      {is_open ? (
        <ConfirmCall
          title={`${erases ? 'Erase' : 'Delete'} ${userName(user)}?`}
          consequence={
            erases
              ? 'The account, its sessions, methods and consents are gone for good. The same address can sign up again, with another id.'
              : `The person is signed out everywhere. The account is erased after ${grace_days === 1 ? 'a day' : `${grace_days} days`}, and until then you or the person can restore it.`
          }
          keep="Keep the user"
          act={erases ? 'Erase now' : 'Delete now'}
          typed={userName(user)}
          call={() => client.deleteUser({ user_id: user.id, ...(erases ? { erase: 'true' as const } : {}) })}
          changes={[users.all({ at })]}
          done={onDeleted}
          onClose={() => setOpen(false)}
        >
          {can_wait ? (
            <Checkbox
              label="Erase at once, which cannot be undone"
              checked={is_final}
              onChange={(event) => setFinal(event.currentTarget.checked)}
            />
          ) : null}
        </ConfirmCall>
      ) : null}
    </>
  )
}

/** The first thing that support asks: can this person sign in, and what happened last? */
function WaysIn({ user, methods }: { user: User; methods: SignInMethod[] | undefined }) {
  const here = useEnvironment()
  const in_force = useRead(settings.plain(here)).data
  const offered = useRead(providers.hundred(here)).data
  const failed = useRead(events.lastFailedSignIn(here, user.id))
  if (!methods || !in_force || !offered) return null
  const { can, text } = judgeWaysIn(user, methods, in_force, offered.data)
  const last = failed.data?.data[0]
  return (
    <div className={can ? 'note acc' : 'note bad'}>
      <div>
        <p className="strong">{text}</p>
        {last ? (
          <p>
            The last failed sign-in was <Time at={last.timestamp} />:{' '}
            <Link className="u" {...toPage('/events', { chosen: last.id })}>
              {reasonWords(String(last.data.reason))}
            </Link>
          </p>
        ) : null}
      </div>
    </div>
  )
}
