/** The four numbers of the last 24 hours: from the hourly counters, and new users from the events, which a viewer cannot read. */

import { Link } from '@tanstack/react-router'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { isSignInReason, reasonWords } from '../../parts/words.ts'
import { statistics } from '../../queries/environment.ts'
import { events } from '../../queries/events.ts'
import { toPage, useEnvironment } from '../../scope.tsx'

/** The outcomes of a sign-in and of a webhook attempt that worked. */
const WORKED = ['succeeded', 'delivered']

const total = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0)

export function Numbers() {
  const here = useEnvironment()
  const { can } = here
  const counted = useRead(statistics.lastDay(here), { refetchInterval: 30_000 })
  const may_read_events = can('developer')
  const new_users = useRead(events.newUsers(here), { enabled: may_read_events, refetchInterval: 30_000 })
  return (
    <Loaded of={counted} rows={2}>
      {({ data }) => {
        const sign_ins = data.flatMap((hour) => hour.sign_ins).filter(({ outcome }) => WORKED.includes(outcome))
        const failed = data.flatMap((hour) => hour.refused_calls).filter(({ code }) => isSignInReason(code)) // as the chart counts them
        const reasons = Map.groupBy(failed, ({ code }) => reasonWords(code))
        const attempts = data.flatMap((hour) => hour.webhook_attempts)
        const delivered = attempts.filter(({ outcome }) => WORKED.includes(outcome))
        const why = [...reasons].map(([reason, counts]) => `${total(counts)} ${reason[0]?.toLowerCase()}${reason.slice(1)}`).join(', ')
        return (
          <section className="stats" aria-label="Last 24 hours">
            <Link {...toPage('/events', { type: 'sign_in.succeeded' })}>
              <div className="lb">Sign-ins</div>
              <div className="v">{total(sign_ins)}</div>
              <div className="u">last 24 hours</div>
            </Link>
            <Link {...toPage('/calls')}>
              <div className="lb">Failed sign-ins</div>
              <div className="v">{total(failed)}</div>
              <div className="u">{why || 'last 24 hours'}</div>
            </Link>
            {may_read_events ? (
              <Link {...toPage('/users')}>
                <div className="lb">New users</div>
                <div className="v">{new_users.data ? `${new_users.data.data.length}${new_users.data.has_more ? '+' : ''}` : '–'}</div>
                <div className="u">{new_users.error ? 'could not be read' : 'last 24 hours'}</div>
              </Link>
            ) : (
              <Link {...toPage('/applications')}>
                <div className="lb">Token answers</div>
                <div className="v">{total(data.flatMap((hour) => hour.tokens))}</div>
                <div className="u">last 24 hours</div>
              </Link>
            )}
            <Link {...toPage('/webhooks')}>
              <div className="lb">Webhook attempts</div>
              <div className="v">
                {total(delivered)} <small>of {total(attempts)}</small>
              </div>
              <div className="u">delivered, last 24 hours</div>
            </Link>
          </section>
        )
      }}
    </Loaded>
  )
}
