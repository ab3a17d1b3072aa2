/**
 * Back-Channel Logout 1.0: sends each application of an ended session a signed logout token. The statements that end a session queue
 * the jobs (`domain/sessions/sessions.ts`). A token is signed when it is sent, with the key that is current then.
 */
import type { Deployment } from '../deployment/deployment.ts'
import { type Outbound, OutboundFailed, type OutboundRequest } from '../deployment/outbound/fetch.ts'
import { findClient } from '../domain/applications/store.ts'
import { recordAttempt } from '../domain/queue/attempts.ts'
import type { Job } from '../domain/queue/queue.ts'
import type { JobKind, Outcome } from '../domain/queue/runner.ts'
import { LogoutPayload, settleLogout } from '../domain/sessions/backchannel-logouts.ts'
import { logoutTokenClaims, outcomeOfLogout } from '../protocol/logout-token.ts'
import type { Issuer, Issuers } from './issuer.ts'
import { signerAt, signJwt } from './jwt.ts'

/** Few and short, because a sign-out should happen at once. An application that is down for longer ends its own sessions. */
const retry_after_seconds = [5, 30, 120]
const timeout_ms = 5_000
const kept_bytes = 1_024

export function createBackchannelLogoutJobs(deployment: Deployment, issuers: Issuers): JobKind {
  return {
    name: 'backchannel_logout',
    retry_after_seconds,
    urlOf: async (environment_id, id) =>
      environment_id === null ? null : ((await findClient(deployment.db, environment_id, id))?.backchannel_logout_uri ?? null),
    concurrency: 60,
    per_lane: 4,
    per_receiver: 5,
    lease_seconds: 30,
    givenUp: ({ id, environment_id }, now) => (environment_id === null ? [] : [settleLogout(environment_id, id, 'given_up', now)]),
    run: (job, signal) => sendLogout(deployment, issuers, job, signal),
  }
}

async function sendLogout(deployment: Deployment, issuers: Issuers, job: Job, signal: AbortSignal): Promise<Outcome> {
  const { db, now } = deployment
  const issuer = job.environment_id && (await issuers.find(job.environment_id))
  if (!issuer) return 'done'
  const { environment_id } = issuer
  const client = await findClient(db, environment_id, job.lane)
  // The application was deleted, disabled or changed after the job was queued.
  if (!client?.backchannel_logout_uri || client.disabled) return 'give_up'

  const { traceparent } = LogoutPayload.parse(job.payload)
  const logout_token = await signLogoutToken(deployment, issuer, job)
  const at = now()
  const { outcome, reason, ...answer } = await send(deployment.outbound, {
    method: 'POST',
    url: client.backchannel_logout_uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(traceparent === undefined ? {} : { traceparent }) },
    body: new URLSearchParams({ logout_token }).toString(),
    https_only: issuer.type === 'live',
    timeout_ms,
    limit_bytes: kept_bytes,
    beyond_limit: 'cut',
    signal,
  })
  if (signal.aborted) return 'retry'
  deployment.tally.delivered('backchannel_logout', outcome === 'done')
  const attempt = recordAttempt('backchannel_logout_attempts', environment_id, job.id, { at, ...answer })
  if (outcome === 'done') return { done: [...attempt, settleLogout(environment_id, job.id, 'delivered', now())] }
  deployment.log.warn('A back-channel logout did not arrive.', {
    environment_id,
    client_id: client.client_id,
    attempt: job.attempts,
    why: reason,
    error: answer.error,
  })
  await db.of(environment_id).batch(attempt)
  return outcome
}

function signLogoutToken({ now, random }: Deployment, issuer: Issuer, { lane, payload }: Job): Promise<string> {
  const { session_id, user_id, sub = user_id } = LogoutPayload.parse(payload)
  const at = now()
  const about = { client_id: lane, sub, session_id, jti: random(16).toString('base64url') }
  return signJwt(signerAt(issuer.keys, at), 'logout+jwt', logoutTokenClaims(issuer.url, about, at))
}

async function send(outbound: Outbound, request: OutboundRequest) {
  const begun = performance.now()
  const latency = () => Math.round(performance.now() - begun)
  try {
    const { status, body } = await outbound(request)
    const response = readable(body)
    return { outcome: outcomeOfLogout(status), reason: `status ${status}`, status, latency_ms: latency(), response, error: null }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error
    const outcome = error.reason === 'bad_url' ? ('give_up' as const) : ('retry' as const)
    return { outcome, reason: error.reason, status: null, latency_ms: latency(), response: null, error: error.step }
  }
}

/** Text that every database accepts: invalid UTF-8 and NUL become U+FFFD. */
const readable = (bytes: Buffer) => new TextDecoder().decode(bytes.subarray(0, kept_bytes)).replaceAll('\0', '\ufffd')
