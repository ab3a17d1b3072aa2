/** The deliveries of a webhook beside the chosen one, in numbers, and the way to send many again. */

import type { Delivery, Webhook } from '@ostiary/sdk'
import { useState } from 'react'
import { event_labels } from '../../generated/event-kinds.ts'
import { Icon } from '../../parts/icon.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Skeleton, useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { Empty } from '../../parts/table.tsx'
import { ClockTime } from '../../parts/time.tsx'
import { deliveries } from '../../queries/webhooks.ts'
import { useEnvironment } from '../../scope.tsx'
import { medianAnswer } from './answers.ts'
import { MessageStatus } from './attempts.tsx'
import { DeliveryDetail } from './delivery.tsx'
import { ResendSince } from './resend-since.tsx'

const filters = [
  ['', 'All'],
  ['waiting', 'Waiting'],
  ['given_up', 'Given up'],
  ['delivered', 'Delivered'],
] as const

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const here = useEnvironment()
  const { can } = here
  const { search, show } = useQueryState()
  const [is_resending, setResending] = useState(false)
  const status = filters.find(([value]) => value !== '' && value === search.status)?.[0] || undefined
  const list = useList(deliveries.list(here, webhook.id, status), { refetchInterval: 5_000, enabled: can('developer') })
  if (!can('developer')) return <Empty>Deliveries need the role developer.</Empty>
  const problem = list.error ? <Problem error={list.error} retry={() => list.refetch()} /> : null
  if (list.rows === undefined) return problem ?? <Skeleton />
  const listed = list.rows.find(({ id }) => id === search.message)
  const chosen_id = search.message ?? list.rows[0]?.id
  return (
    <>
      <Numbers webhook={webhook} />
      <div className="toolbar">
        <ChangeButton onClick={() => setResending(true)}>
          <Icon name="again" /> Send what failed or was missed…
        </ChangeButton>
      </div>
      {problem}
      <section className="card md">
        <div className="lst">
          <fieldset className="fil" aria-label="Show">
            {filters.map(([value, name]) => (
              <button
                key={value}
                type="button"
                aria-pressed={(search.status ?? '') === value}
                onClick={() => show({ status: value || undefined, message: undefined })}
              >
                {name}
              </button>
            ))}
          </fieldset>
          <ul aria-label="Deliveries" aria-busy={list.isPlaceholderData} className={list.isPlaceholderData ? 'dimmed' : ''}>
            {list.rows.map((delivery) => (
              <li key={delivery.id}>
                <button type="button" data-row aria-pressed={delivery.id === chosen_id} onClick={() => show({ message: delivery.id })}>
                  <span className="pair">
                    <span className="cut">{event_labels[delivery.event_type]}</span>
                    <span className="tm">
                      <ClockTime at={delivery.created_at} in_button />
                    </span>
                  </span>
                  <span className="pair">
                    <span className="id mono cut">{delivery.event_type}</span>
                    <MessageStatus of={delivery} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {list.hasNextPage ? (
            <p className="load-more">
              <button type="button" className="btn s" onClick={() => list.fetchNextPage()}>
                Show more
              </button>
            </p>
          ) : null}
        </div>
        {chosen_id ? (
          <DeliveryDetail key={chosen_id} webhook={webhook} message_id={chosen_id} listed={listed ?? list.rows[0]} />
        ) : (
          <p className="pad muted">{status ? 'No delivery has this state.' : 'No delivery yet. Send a test event to see one.'}</p>
        )}
      </section>
      {is_resending ? <ResendSince webhook={webhook} close={() => setResending(false)} /> : null}
    </>
  )
}

/** The hundred latest deliveries in numbers, and the fifty latest as bars. */
function Numbers({ webhook }: { webhook: Webhook }) {
  const latest = useRead(deliveries.latest(useEnvironment(), webhook.id), { refetchInterval: 10_000 })
  const rows = latest.data?.data ?? []
  if (rows.length === 0) return null
  const count = (status: Delivery['status']) => rows.filter((row) => row.status === status).length
  const [delivered, waiting, given_up] = [count('delivered'), count('waiting'), count('given_up')]
  const median = medianAnswer(rows)
  return (
    <section className="card sum" aria-label={`The latest ${rows.length} deliveries`}>
      <div>
        <b>{delivered}</b> <span className="muted">delivered</span>
      </div>
      <div>
        <b>{waiting}</b> <span className="muted">waiting</span>
      </div>
      <div>
        <b>{given_up}</b> <span className="muted">given up</span>
      </div>
      {median === undefined ? null : (
        <div>
          <b>{median} ms</b> <span className="muted">median answer</span>
        </div>
      )}
      <div
        className="g"
        role="img"
        aria-label={`The latest deliveries as bars, oldest first: ${delivered} delivered, ${waiting} waiting, ${given_up} given up`}
      >
        {rows
          .slice(0, 50)
          .toReversed()
          .map(({ id, status }) => (
            <i key={id} className={{ delivered: '', waiting: 'w', given_up: 'b' }[status]} />
          ))}
      </div>
    </section>
  )
}
