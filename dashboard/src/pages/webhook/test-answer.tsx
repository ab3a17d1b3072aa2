/** The answer of the receiver to a test event, in place. */

import type { Delivery, Webhook } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { deliveries } from '../../queries/webhooks.ts'
import { useEnvironment } from '../../scope.tsx'
import { Attempts, fixOf } from './attempts.tsx'

export function TestAnswer({ webhook, event_id, close }: { webhook: Webhook; event_id: string; close: () => void }) {
  const here = useEnvironment()
  const { base } = here
  const found = useRead(deliveries.ofEvent(here, webhook.id, event_id), { refetchInterval: 1_000 })
  const delivery = found.data?.data[0]
  const fix = delivery ? fixOf(delivery) : null
  return (
    <section className="card pad test-answer" aria-label="Test event" aria-live="polite">
      <div className="part-head">
        <h2>{titleOf(delivery)}</h2>
        <button type="button" className="btn quiet s" onClick={close}>
          Close
        </button>
      </div>
      {found.error ? <Problem error={found.error} /> : null}
      {delivery ? <Attempts of={delivery} /> : null}
      {fix ? <p>{fix}</p> : null}
      {delivery ? (
        <Link
          className="u"
          from={base}
          to={`${base}/webhooks/$webhook_id`}
          params={{ webhook_id: webhook.id }}
          search={{ message: delivery.id }}
        >
          Open the delivery
        </Link>
      ) : null}
    </section>
  )
}

function titleOf(delivery: Delivery | undefined): string {
  if (delivery && delivery.attempts.length > 0) return 'The receiver answered the test event'
  return delivery?.status === 'given_up' ? 'The webhook is disabled: nothing was sent' : 'Test event sent, waiting for the answer'
}
