/** Back-channel logouts: the requests that tell applications that a session has ended, with their attempts. */
import '../styles/deliveries.css'
import type { BackchannelLogout } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useAction } from '../parts/action.ts'
import { Icon } from '../parts/icon.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Id, useNames } from '../parts/names.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Side } from '../parts/side.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { ClockTime, Time } from '../parts/time.tsx'
import { logouts } from '../queries/environment.ts'
import { toApplication, toPage, useEnvironment } from '../scope.tsx'
import { Attempts, fixOf, MessageStatus } from './webhook/attempts.tsx'

export default function Logouts() {
  const { search } = useQueryState()
  const list = useList(logouts.list(useEnvironment()), { refetchInterval: 5_000 })
  const nameOf = useNames((list.rows ?? []).flatMap(({ application_id, user_id }) => [application_id, user_id]))
  const columns: Column<BackchannelLogout>[] = [
    { head: 'Application', cell: ({ application_id }, open) => open(nameOf(application_id)?.name ?? application_id) },
    { head: 'Status', cell: (logout) => <MessageStatus of={logout} /> },
    { head: 'User', className: 'any', cell: ({ user_id }) => nameOf(user_id)?.name ?? user_id },
    {
      head: 'Next attempt',
      className: 'muted nowrap',
      cell: ({ next_attempt_at }) => (next_attempt_at ? <ClockTime at={next_attempt_at} /> : <span className="faint">None</span>),
    },
    timeColumn('Session ended', ({ created_at }) => created_at),
  ]
  const chosen = list.rows?.find(({ id }) => id === search.message)
  return (
    <ListPage
      title="Back-channel logouts"
      lead="When a session ends, each application with a back-channel logout URI gets a logout token, and again until it confirms."
      above={
        search.message && !chosen && list.rows && list.hasNextPage ? (
          <div className="note acc">
            <span>The message of the link is older than these.</span>
            <button type="button" className="btn s" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              Show more
            </button>
          </div>
        ) : null
      }
      list={list}
      columns={columns}
      empty="No logout was sent. Enter a back-channel logout URI under Addresses of an application, and its sessions end there too."
      first={
        <Link className="btn" {...toPage('/applications')}>
          Choose an application
        </Link>
      }
      side={{ param: 'message', of: (_, close) => (chosen ? <LogoutSide logout={chosen} close={close} /> : null) }}
    />
  )
}

function LogoutSide({ logout, close }: { logout: BackchannelLogout; close: () => void }) {
  const { client, at } = useEnvironment()
  const resend = useAction(() => client.resendBackchannelLogout({ ...at, message_id: logout.id }), {
    changes: [logouts.all({ at })],
  })
  const nameOf = useNames([logout.application_id, logout.user_id])
  const fix = fixOf(logout)
  return (
    <Side title="Back-channel logout" onClose={close}>
      <Facts
        of={{
          Status: <MessageStatus of={logout} />,
          Application: (
            <Link className="u" {...toApplication(logout.application_id)}>
              {nameOf(logout.application_id)?.name ?? logout.application_id}
            </Link>
          ),
          User: (
            <Link className="u" {...toPage('/users', { chosen: logout.user_id })}>
              {nameOf(logout.user_id)?.name ?? logout.user_id}
            </Link>
          ),
          Ended: <Time at={logout.created_at} />,
          Session: <Id value={logout.session_id} label="session id" />,
          Message: <Id value={logout.id} label="message id" />,
        }}
      />
      <div>
        <h3>Attempts</h3>
        <Attempts of={logout} />
        {fix ? <p className="note after">{fix}</p> : null}
      </div>
      <Problem error={resend.error} />
      <div className="toolbar">
        <ChangeButton className="btn pri" disabled={resend.busy} onClick={() => resend.run()}>
          <Icon name="again" /> Send now
        </ChangeButton>
      </div>
    </Side>
  )
}
