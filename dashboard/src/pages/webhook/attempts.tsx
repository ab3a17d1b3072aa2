/** The attempts of a delivery as a timeline: the answer of each, how long it took, and when the next one is due. */
import type { Attempt, BackchannelLogout, Delivery } from '@ostiary/sdk'
import { Icon } from '../../parts/icon.tsx'
import { Tag } from '../../parts/tag.tsx'
import { ClockTime, inWords } from '../../parts/time.tsx'

/** A message to a webhook, or a logout request to an application. */
export type Message = Pick<Delivery, 'status' | 'attempts' | 'next_attempt_at'> | BackchannelLogout

const MOST_ATTEMPTS = 10

const failures = {
  dns: 'The name has no address',
  refused: 'The connection was refused',
  tls: 'TLS failed',
  timeout: 'No answer within 15 s',
  address_not_allowed: 'The address may not be reached',
  proxy: 'The egress proxy made no connection',
}
const advice = {
  dns: 'Check the name in the address, and that it is in public DNS.',
  refused: 'Start the receiver, or open its port to the service.',
  tls: 'Use a certificate that public authorities trust, for this name, and not expired.',
  timeout: 'Answer with 2xx first and work afterwards: an answer may take 15 s.',
  address_not_allowed: 'The name leads to a private address. Use a public one, or ask the operator to allow the network.',
  proxy: 'Check the name in the address, and that the receiver runs. Else the operator sees why in the log of the proxy.',
}

export const hasWorked = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

/**
 * Returns the remedy for the last attempt, or `null` if it worked or is still to come.
 *
 * @param url the present address of the receiver, whose name is said where it has no address
 */
export function fixOf({ attempts }: Message, url?: string): string | null {
  const last = attempts.at(-1)
  if (!last || hasWorked(last)) return null
  if (last.error === 'dns' && url !== undefined && URL.canParse(url))
    return `Check the name in the address (${new URL(url).hostname}), and that it is in public DNS.`
  if (last.status === null)
    return last.error ? advice[last.error] : 'The connection broke. Send it again, and look at the log of the receiver.'
  if (last.status === 401 || last.status === 403)
    return 'The receiver refuses the call. Let it through by its signature, without a sign-in.'
  if (last.status === 404 || last.status === 405)
    return 'No handler takes POST at this address. Correct the address or the route of the receiver.'
  if (last.status >= 300 && last.status < 400) return 'Redirects are not followed. Enter the final address.'
  if (last.status === 410) return 'The answer 410 switches a webhook off. Switch it on again once the receiver is back.'
  if (last.status === 429) return 'The receiver wants fewer calls. The next attempt waits for its Retry-After.'
  if (last.status < 500) return 'The receiver does not accept the message. Its answer and its log say why, often a wrong secret.'
  return 'The receiver failed. Look at its log, correct it, then send the message now.'
}

export const answerOf = ({ attempts }: Message) => {
  const last = attempts.at(-1)
  if (!last) return 'new'
  return last.status === null ? (last.error ? failures[last.error] : 'no answer') : String(last.status)
}

export function MessageStatus({ of: message }: { of: Message }) {
  const answer = answerOf(message)
  if (message.status === 'delivered') return <Tag tone="ok">{answer}, delivered</Tag>
  if (message.status === 'waiting')
    return (
      <Tag tone="warn" icon="clock">
        {answer}, waiting
      </Tag>
    )
  return <Tag tone="bad">{answer}, given up</Tag>
}

const took = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`)

export function Attempts({ of: message }: { of: Message }) {
  const { attempts, next_attempt_at } = message
  if (attempts.length === 0 && next_attempt_at === null) return <p className="muted">No attempt was made.</p>
  return (
    <ol className="tl">
      {attempts.map((attempt) => (
        <li key={attempt.at}>
          <span className={hasWorked(attempt) ? 'd g' : 'd b'}>
            <Icon name={hasWorked(attempt) ? 'check' : 'cross'} size={11} />
          </span>
          <span className="t">
            <ClockTime at={attempt.at} />
          </span>
          <span>
            {attempt.status === null ? (
              attempt.error ? (
                failures[attempt.error]
              ) : (
                'No answer'
              )
            ) : (
              <>
                Answered <b className="strong">{attempt.status}</b>
              </>
            )}
          </span>
          <span className="ms">{took(attempt.latency_ms)}</span>
          {attempt.response ? <div className="ans">{attempt.response}</div> : null}
        </li>
      ))}
      {next_attempt_at ? (
        <li>
          <span className="d n" />
          <span className="t">
            <ClockTime at={next_attempt_at} />
          </span>
          <span className="muted">Next attempt, {inWords(next_attempt_at, new Date())}</span>
          {attempts.length < MOST_ATTEMPTS ? (
            <span className="ms">
              {attempts.length + 1} of {MOST_ATTEMPTS}
            </span>
          ) : null}
        </li>
      ) : null}
    </ol>
  )
}
