/** One delivery: its attempts as a timeline, and the body that was sent. */
import type { Delivery } from '@ostiary/sdk'
import { useAction } from '../../parts/action.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Json } from '../../parts/side.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { ClockTime } from '../../parts/time.tsx'
import { useEnvironment } from '../../scope.tsx'

const errors = {
  dns: 'The name has no address',
  refused: 'Nobody accepted the connection',
  tls: 'TLS failed',
  timeout: 'No answer in time',
  address_not_allowed: 'The address may not be reached',
}

export function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  const { client, at, environment } = useEnvironment()
  const resend = useAction(() => client.resendDelivery({ ...at, webhook_id: delivery.webhook_id, message_id: delivery.id }), {
    changes: [['deliveries', delivery.webhook_id]],
  })
  const event = useRead(['event', environment.id, delivery.event_id], (signal) =>
    client.getEvent({ ...at, event_id: delivery.event_id }, { signal }),
  )
  return (
    <div className="det">
      <div className="det-head">
        <div>
          <h2 className="mono">{delivery.event_type}</h2>
          <p className="xs faint mono any">
            {delivery.id} <CopyButton value={delivery.id} label="message id" />
          </p>
        </div>
        <ChangeButton className="btn pri s" disabled={resend.busy} onClick={() => resend.run(undefined)}>
          <Icon name="again" /> Send now
        </ChangeButton>
      </div>
      {resend.error ? <Problem error={resend.error} /> : null}
      <div className="sec">
        <h3>Attempts</h3>
        <ol className="tl">
          {delivery.attempts.map((attempt) => {
            const worked = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
            return (
              <li key={attempt.at}>
                <span className={worked ? 'd g' : 'd b'}>
                  <Icon name={worked ? 'check' : 'cross'} size={11} />
                </span>
                <span className="t">
                  <ClockTime at={attempt.at} />
                </span>
                <span>{attempt.status === null ? errors[attempt.error ?? 'timeout'] : <b className="strong">{attempt.status}</b>}</span>
                <span className="ms">{attempt.latency_ms} ms</span>
                {attempt.response ? <div className="ans">{attempt.response}</div> : null}
              </li>
            )
          })}
          {delivery.next_attempt_at ? (
            <li>
              <span className="d n" />
              <span className="t">
                <ClockTime at={delivery.next_attempt_at} />
              </span>
              <span className="muted">Next attempt</span>
              <span className="ms">{delivery.attempts.length + 1} of 10</span>
            </li>
          ) : null}
        </ol>
      </div>
      <div className="sec">
        <h3>
          Body <EnvironmentTag type={environment.type} />
        </h3>
        <Loaded of={event}>{(body) => <Json of={body} />}</Loaded>
      </div>
    </div>
  )
}
