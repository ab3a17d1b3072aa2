/** The answer of the receiver to a test event, in place. The list below is read again as soon as there is something new. */

import type { Delivery, Webhook } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { readAgain } from '../../queries/query.ts'
import { deliveries, webhooks } from '../../queries/webhooks.ts'
import { toWebhook, useEnvironment } from '../../scope.tsx'
import { Attempts, fixOf, hasWorked } from './attempts.tsx'

export function TestAnswer({ webhook, event_id, close }: { webhook: Webhook; event_id: string; close: () => void }) {
  const here = useEnvironment()
  const found = useRead(deliveries.ofEvent(here, webhook.id, event_id), { refetchInterval: 500 })
  const delivery = found.data?.data[0]
  const fix = delivery ? fixOf(delivery, webhook.url) : null
  const news = delivery ? `${delivery.status} ${delivery.attempts.length}` : null
  const { environment_id } = here.at
  useEffect(() => {
    if (news !== null) readAgain([...deliveries.lists(webhook.id), webhooks.lastAnswer(environment_id, webhook.id)])
  }, [news, webhook.id, environment_id])
  return (
    <section className="card pad test-answer" aria-label="Test event" aria-live="polite">
      <div className="part-head">
        <h2>{titleOf(delivery)}</h2>
        <button type="button" className="btn quiet s" onClick={close}>
          Close
        </button>
      </div>
      <Problem error={found.error} />
      {delivery ? <Attempts of={delivery} /> : null}
      {fix ? <p>{fix}</p> : null}
      {delivery ? (
        <Link className="u" {...toWebhook(webhook.id, { message: delivery.id })}>
          Open the delivery
        </Link>
      ) : null}
    </section>
  )
}

function titleOf(delivery: Delivery | undefined): string {
  const last = delivery?.attempts.at(-1)
  if (last) return `The receiver ${hasWorked(last) ? 'accepted' : last.status === null ? 'did not answer' : 'refused'} the test event`
  return delivery?.status === 'given_up' ? 'The webhook is disabled: nothing was sent' : 'Test event sent, waiting for the answer'
}
