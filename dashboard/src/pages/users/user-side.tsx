/** One user: can this person sign in, profile, methods, sessions, connected applications; block and delete. */
import type { SignInMethod, User } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Facts, Side } from '../../parts/side.tsx'
import { EnvironmentTag, Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useEnvironment } from '../../scope.tsx'
import { judgeWaysIn } from './ways-in.ts'

const methodNames = {
  password: 'Password',
  passkey: 'Passkey',
  totp: 'Authenticator app',
  recovery_codes: 'Recovery codes',
  provider: 'Identity provider',
}

export function UserSide({ user_id, onClose }: { user_id: string; onClose: () => void }) {
  const { client, at, environment } = useEnvironment()
  const user = useRead(['user', environment.id, user_id], (signal) => client.getUser({ ...at, user_id }, { signal }))
  return (
    <Side title={user.data?.email ?? 'User'} onClose={onClose}>
      <Loaded of={user}>{(user) => <Content user={user} onClose={onClose} />}</Loaded>
    </Side>
  )
}

function Content({ user, onClose }: { user: User; onClose: () => void }) {
  const { client, environment, base } = useEnvironment()
  const [open, setOpen] = useState<'block' | 'delete' | SignInMethod | null>(null)
  const about = { user_id: user.id }
  const methods = useRead(['methods', user.id], (signal) => client.listUserMethods(about, { signal }).page())
  const sessions = useRead(['sessions', user.id], (signal) => client.listUserSessions(about, { signal }).page())
  const grants = useRead(['grants', user.id], (signal) => client.listUserGrants(about, { signal }).page())
  const changes = [
    ['user', environment.id, user.id],
    ['users', environment.id],
    ['methods', user.id],
    ['sessions', user.id],
    ['grants', user.id],
  ]
  const block = useAction(() => (user.blocked_at ? client.unblockUser(about) : client.blockUser(about)), {
    changes,
    done: () => setOpen(null),
  })
  const remove = useAction(() => client.deleteUser(about), { changes: [['users', environment.id]], done: onClose })
  const end = useAction((session_id: string) => client.endSession({ session_id }), { changes })
  const endAll = useAction(() => client.endUserSessions(about), { changes })
  const disconnect = useAction((grant_id: string) => client.disconnectGrant({ ...about, grant_id }), { changes })
  const removeMethod = useAction((method_id: string) => client.removeUserMethod({ ...about, method_id }), {
    changes,
    done: () => setOpen(null),
  })
  const error = end.error ?? endAll.error ?? disconnect.error
  return (
    <>
      <WaysIn user={user} methods={methods.data?.data} />
      {error ? <Problem error={error} /> : null}
      <Facts
        of={[
          ['Id', <Copied key="id" value={user.id} label="user id" />],
          [
            'Email',
            user.email ? (
              <Copied
                key="email"
                value={user.email}
                label="email"
                tag={user.email_verified ? <Tag tone="ok">proved</Tag> : <Tag>not proved</Tag>}
              />
            ) : (
              'None'
            ),
          ],
          ['Name', user.name ?? <span className="faint">None</span>],
          ['Last sign-in', <Time key="last" at={user.last_sign_in_at} />],
          ['Created', <Time key="created" at={user.created_at} />],
        ]}
      />
      <Part title="Sign-in methods">
        <Loaded of={methods} rows={1}>
          {({ data }) => (
            <Rows
              none="None."
              of={data.map((method) => ({
                id: method.id,
                text: nameOf(method),
                more: method.last_used_at ? (
                  <>
                    Last used <Time at={method.last_used_at} />
                  </>
                ) : (
                  'Never used'
                ),
                act: 'Remove',
                run: () => setOpen(method),
              }))}
            />
          )}
        </Loaded>
      </Part>
      <Part
        title="Sessions"
        action={
          <ChangeButton className="btn s" disabled={endAll.busy} onClick={() => endAll.run(undefined)}>
            End all
          </ChangeButton>
        }
      >
        <Loaded of={sessions} rows={1}>
          {({ data }) => (
            <Rows
              none="Not signed in anywhere."
              of={data.map((session) => ({
                id: session.id,
                text: `${session.user_agent ?? 'Unknown program'}, ${session.ip ?? 'unknown address'}`,
                more: (
                  <>
                    Last seen <Time at={session.last_seen_at} />, by {session.amr.join(' and ')}
                  </>
                ),
                act: 'End',
                run: () => end.run(session.id),
              }))}
            />
          )}
        </Loaded>
      </Part>
      <Part title="Connected applications">
        <Loaded of={grants} rows={1}>
          {({ data }) => (
            <Rows
              none="None."
              of={data.map((grant) => ({
                id: grant.id,
                text: `${grant.application_id} (${grant.scope})`,
                more: (
                  <>
                    Last tokens <Time at={grant.last_used_at} />
                  </>
                ),
                act: 'Disconnect',
                run: () => disconnect.run(grant.id),
              }))}
            />
          )}
        </Loaded>
      </Part>
      <Part title="Events">
        <div className="toolbar">
          <Link className="btn s" to={`${base}/events`} search={{ user_id: user.id }}>
            All events of this user
          </Link>
          <Link className="btn s" to={`${base}/events`} search={{ user_id: user.id, type: 'sign_in.failed' }}>
            Failed sign-ins
          </Link>
        </div>
      </Part>
      <div className="toolbar">
        <ChangeButton onClick={() => (user.blocked_at ? block.run(undefined) : setOpen('block'))}>
          {user.blocked_at ? 'Unblock' : 'Block'}
        </ChangeButton>
        <ChangeButton className="btn bad" in_root={false} onClick={() => setOpen('delete')}>
          Delete
        </ChangeButton>
      </div>
      {open !== null && typeof open === 'object' ? (
        <Confirm
          title={`Remove ${nameOf(open)}?`}
          lead={
            <>
              <EnvironmentTag type={environment.type} /> {user.email ?? user.id}
            </>
          }
          consequence="The person can no longer sign in with it. Sessions that began with it end."
          keep="Keep the method"
          act="Remove now"
          busy={removeMethod.busy}
          error={removeMethod.error}
          onConfirm={() => removeMethod.run(open.id)}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'block' ? (
        <Confirm
          title={`Block ${user.email ?? user.id}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="All sessions and tokens of this person end at once, and no method signs in any more, until you unblock."
          keep="Keep access"
          act="Block now"
          busy={block.busy}
          error={block.error}
          onConfirm={() => block.run(undefined)}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'delete' ? (
        <Confirm
          title={`Delete ${user.email ?? user.id}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="The account, its sessions, methods and consents are gone for good. The same address can sign up again, with another id."
          keep="Keep the user"
          act="Delete now"
          typed={user.email ?? user.id}
          busy={remove.busy}
          error={remove.error}
          onConfirm={() => remove.run(undefined)}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </>
  )
}

const nameOf = ({ type, name, codes_left }: SignInMethod) =>
  [methodNames[type], name ? `: ${name}` : '', codes_left === null ? '' : `, ${codes_left} left`].join('')

/** The first thing that support asks: can this person sign in, and what happened last? */
function WaysIn({ user, methods }: { user: User; methods: SignInMethod[] | undefined }) {
  const { client, at, environment, base } = useEnvironment()
  const settings = useRead(['settings-of', environment.id], (signal) => client.getSettings(at, { signal }))
  const providers = useRead(['providers-of', environment.id], (signal) => client.listProviders({ ...at, limit: 100 }, { signal }).page())
  const failed = useRead(['events', environment.id, 'failed', user.id], (signal) =>
    client.listEvents({ ...at, type: 'sign_in.failed', user_id: user.id, limit: 1 }, { signal }).page(),
  )
  if (!methods || !settings.data || !providers.data) return null
  const { can, text } = judgeWaysIn(user, methods, settings.data, providers.data.data)
  const last = failed.data?.data[0]
  return (
    <div className={can ? 'note acc' : 'note bad'}>
      <div>
        <p className="strong">{text}</p>
        {last ? (
          <p>
            The last failed sign-in was <Time at={last.timestamp} />:{' '}
            <Link className="u" to={`${base}/events`} search={{ chosen: last.id }}>
              {String(last.data.reason)}
            </Link>
          </p>
        ) : null}
      </div>
    </div>
  )
}

const Part = ({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => (
  <section>
    <div className="part-head">
      <h3>{title}</h3>
      {action}
    </div>
    {children}
  </section>
)

interface Row {
  id: string
  text: string
  more: ReactNode
  act: string
  run: () => void
}

function Rows({ of, none }: { of: Row[]; none: string }) {
  if (of.length === 0) return <p className="muted">{none}</p>
  return (
    <ul>
      {of.map(({ id, text, more, act, run }) => (
        <li className="list-row" key={id}>
          <div>
            {text}
            <div className="small muted">{more}</div>
          </div>
          <ChangeButton className="btn s" onClick={run}>
            {act}
            <span className="vh">: {text}</span>
          </ChangeButton>
        </li>
      ))}
    </ul>
  )
}
