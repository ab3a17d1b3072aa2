/** Passwords on hosted pages: where their hashes come from, and what a page says when no turn came. */
import { reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { networkOf, sourceOf } from '../base/source.ts'
import type { HashOrigin } from '../domain/users/hashing-turns.ts'
import { HashingRefused, type Turn } from '../domain/users/password.ts'
import { retry_after } from '../http/problem.ts'
import type { Answer, OidcCall, OidcServices } from './call.ts'

function placeOf(
  { issuer: { tenant_id, environment_id }, ip }: Pick<OidcCall, 'issuer' | 'ip'>,
  marked_account: string | null,
): HashOrigin {
  return { tenant_id, environment_id, network: networkOf(ip), source: sourceOf(ip), marked_account }
}

/** @param marked_account the account, if the browser signed in to it before */
export const turnOf = (call: OidcCall, marked_account: string | null): Turn => ({
  place: placeOf(call, marked_account),
  signal: call.signal(),
  ...(call.queued ? { queued: call.queued } : {}),
})

/** Runs the work for a form, when it may begin. */
export type Entrance = <T>(services: Pick<OidcServices, 'passwords'>, call: OidcCall, work: (call: OidcCall) => Promise<T>) => Promise<T>

/** For forms with a password that strangers can send: each waits until few others are worked on. */
export const throughDoorway: Entrance = async ({ passwords }, call, work) => {
  const leave = await passwords.doorway.enter(placeOf(call, null), call.signal)
  try {
    return await work({ ...call, queued: leave })
  } finally {
    leave()
  }
}

export const at_once: Entrance = (_, call, work) => work(call)

/** Hashes a new password. `null`: too many wait, so the page shows its form again with the problem `busy`. */
export function hashUnlessBusy(
  { passwords }: Pick<OidcServices, 'passwords'>,
  call: OidcCall,
  password: string,
  { marked_account }: { marked_account: string | null },
): Promise<string | null> {
  return passwords.hash(password, turnOf(call, marked_account)).catch(nullIfBusy)
}

/** For `catch`: a client that is gone gets no page. */
export function nullIfBusy(error: unknown): null {
  if (error instanceof HashingRefused && error.reason === 'busy') return null
  throw error
}

export const too_busy: Refusal = refusal('temporarily_unavailable', reason`Too many passwords were waiting to be hashed.`)

/** The form again, for which no turn came (RFC 9110 §15.6.4). */
export const busyAnswer = (page: Answer): Answer => ({
  ...page,
  headers: { ...page.headers, 'retry-after': retry_after },
  refusal: too_busy,
})
