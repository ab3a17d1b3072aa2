/** One delivery: what to do about a failure, its attempts, the body and the headers. */

import type { Delivery, Webhook } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { event_labels } from '../../generated/event-kinds.ts'
import { useAction } from '../../parts/action.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Json } from '../../parts/side.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { events } from '../../queries/events.ts'
import { deliveries } from '../../queries/webhooks.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { Attempts, answerOf, fixOf } from './attempts.tsx'

interface DetailProps {
  webhook: Webhook
  message_id: string
  /** The delivery as the list has it; one from a link can be older than the rows of the list. */
  listed: Delivery | undefined
}

export function DeliveryDetail({ webhook, message_id, listed }: DetailProps) {
  const in_list = listed?.id === message_id ? listed : undefined
  const read = useRead(deliveries.one(useEnvironment(), webhook.id, message_id), { enabled: in_list === undefined, refetchInterval: 5_000 })
  return (
    <div className="det">
      {in_list ? (
        <Detail webhook={webhook} delivery={in_list} />
      ) : (
        <Loaded of={read}>{(delivery) => <Detail webhook={webhook} delivery={delivery} />}</Loaded>
      )}
    </div>
  )
}

function Detail({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { client, at } = useEnvironment()
  const resend = useAction(() => client.resendDelivery({ ...at, webhook_id: delivery.webhook_id, message_id: delivery.id }), {
    changes: [deliveries.all(delivery.webhook_id)],
  })
  const event = useRead(events.one({ client, at }, delivery.event_id))
  const fix = fixOf(delivery, webhook.url)
  return (
    <>
      <div className="det-head">
        <div>
          <h2>{event_labels[delivery.event_type]}</h2>
          <p className="xs faint mono any">
            {delivery.event_type} · {delivery.id} <CopyButton value={delivery.id} label="message id" />
          </p>
        </div>
        <Link className="btn s" {...toPage('/events', { chosen: delivery.event_id })}>
          Open event
        </Link>
        <ChangeButton className="btn pri s" disabled={resend.busy} onClick={() => resend.run()}>
          <Icon name="again" /> Send now
        </ChangeButton>
      </div>
      <Problem error={resend.error} />
      <div className="sec">
        <h3>Attempts</h3>
        <Attempts of={delivery} />
        {fix ? (
          <div className="note after cause">
            <p>
              <b className="strong">{answerOf(delivery)}.</b> <span className="fix">{fix}</span>
            </p>
          </div>
        ) : null}
      </div>
      <div className="sec">
        <h3>
          Body <ThisEnvironment />
          {event.data ? <CopyButton look="quiet" value={JSON.stringify(event.data)} label="body" /> : null}
        </h3>
        <Loaded of={event}>{(body) => <Json of={body} />}</Loaded>
      </div>
      <Headers of={delivery} />
    </>
  )
}

/** The headers of the last attempt. Signatures are not kept. */
function Headers({ of: delivery }: { of: Delivery }) {
  const last = delivery.attempts.at(-1)
  if (!last) return null
  const headers = [
    'content-type: application/json',
    'user-agent: Ostiary-Webhooks/1',
    `webhook-id: ${delivery.id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(last.at) / 1_000)}`,
    'webhook-signature: v1,…',
  ]
  return (
    <div className="sec">
      <h3>Headers of the last attempt</h3>
      <div className="box">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard */}
        <pre tabIndex={0}>{headers.join('\n')}</pre>
      </div>
      <p className="hint">The signature is made for each attempt, from the id, the timestamp and the body, and is not kept.</p>
    </div>
  )
}
