/**
 * Back-Channel Logout 1.0: tells the applications of a session that it has ended, each by a signed logout token. The jobs
 * are written where sessions end (`store/sessions.ts`); tokens are signed when they are sent, with the key of that moment.
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

/** Few and short: who signs out expects it now, and an application that is away for longer has its own sessions to end. */
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
    run: (job, signal) => tell(deployment, issuers, job, signal),
  }
}

async function tell(deployment: Deployment, issuers: Issuers, job: Job, signal: AbortSignal): Promise<Outcome> {
  const issuer = job.environment_id && (await issuers.find(job.environment_id))
  const client = issuer && (await findClient(deployment.db, issuer.environment_id, job.lane))
  // Gone, disabled or changed since: there is nobody to tell any more.
  if (!issuer || !client?.backchannel_logout_uri || client.disabled) return 'done'

  const logout_token = await signLogoutToken(deployment, issuer, job)
  const outcome = await send(deployment.outbound, {
    method: 'POST',
    url: client.backchannel_logout_uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
    https_only: issuer.type === 'live',
    timeout_ms,
    limit_bytes: 0, // the status says it all
    beyond_limit: 'cut',
    signal,
  })
  if (outcome.outcome !== 'done')
    deployment.log.warn('A back-channel logout did not arrive.', {
      environment_id: issuer.environment_id,
      client_id: client.client_id,
      attempt: job.attempts,
      why: outcome.why,
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
    return { outcome: outcomeOfLogout(status), why: `status ${status}` }
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error
    return { outcome: error.reason === 'bad_url' ? ('give_up' as const) : ('retry' as const), why: error.reason }
  }
}
