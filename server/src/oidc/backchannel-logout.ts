/**
 * Back-Channel Logout 1.0: sends each application of an ended session a signed logout token. The statements that end a session queue
 * the jobs (`store/sessions.ts`). A token is signed when it is sent, with the key that is current then.
 */
import { findClient } from '../applications/store.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { type Outbound, OutboundFailed, type OutboundRequest } from '../outbound/fetch.ts'
import type { Job } from '../outbound/queue.ts'
import type { JobKind, Outcome } from '../outbound/runner.ts'
import type { Issuer, Issuers } from './issuer.ts'
import { currentKey } from './protocol/key-states.ts'
import { logoutTokenClaims, outcomeOfLogout } from './protocol/logout-token.ts'
import { signJwt } from './signing-keys.ts'
import { LogoutPayload } from './store/backchannel-logouts.ts'

/** Few and short, because a sign-out should happen at once. An application that is down for longer ends its own sessions. */
const retry_after_seconds = [5, 30, 120]
const timeout_ms = 5_000

export function createBackchannelLogoutJobs(deployment: Deployment, issuers: Issuers): JobKind {
  return {
    name: 'backchannel_logout',
    retry_after_seconds,
    url: sql`select a.backchannel_logout_uri from applications a where a.environment_id = job.environment_id || '' and a.id = job.lane`,
    concurrency: 60,
    per_lane: 4,
    per_receiver: 5,
    lease_seconds: 30,
    run: (job, signal) => sendLogout(deployment, issuers, job, signal),
  }
}

async function sendLogout(deployment: Deployment, issuers: Issuers, job: Job, signal: AbortSignal): Promise<Outcome> {
  const issuer = job.environment_id && (await issuers.find(job.environment_id))
  const client = issuer && (await findClient(deployment.db, issuer.environment_id, job.lane))
  // The application was deleted, disabled or changed after the job was queued.
  if (!issuer || !client?.backchannel_logout_uri || client.disabled) return 'done'

  const logout_token = await signLogoutToken(deployment, issuer, job)
  const outcome = await send(deployment.outbound, {
    method: 'POST',
    url: client.backchannel_logout_uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
    https_only: issuer.type === 'live',
    timeout_ms,
    limit_bytes: 0, // only the status counts
    beyond_limit: 'cut',
    signal,
  })
  if (signal.aborted) return 'retry'
  deployment.tally.delivered('backchannel_logout', outcome.outcome === 'done')
  if (outcome.outcome !== 'done')
    deployment.log.warn('A back-channel logout did not arrive.', {
      environment_id: issuer.environment_id,
      client_id: client.client_id,
      attempt: job.attempts,
      why: outcome.reason,
    })
  return outcome.outcome
}

function signLogoutToken({ now, random }: Deployment, issuer: Issuer, { lane, payload }: Job): Promise<string> {
  const { session_id, user_id } = LogoutPayload.parse(payload)
  const at = now()
  const about = { client_id: lane, user_id, session_id, jti: random(16).toString('base64url') }
  return signJwt(currentKey(issuer.keys, at), 'logout+jwt', logoutTokenClaims(issuer.url, about, at))
}

async function send(outbound: Outbound, request: OutboundRequest) {
  try {
    const { status } = await outbound(request)
    return { outcome: outcomeOfLogout(status), reason: `status ${status}` }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error
    return { outcome: error.reason === 'bad_url' ? ('give_up' as const) : ('retry' as const), reason: error.reason }
  }
}
