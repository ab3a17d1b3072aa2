/** A sign-in that succeeded, whichever way: its session, its events, and on with the request. */
import type { Statement } from '../db/db.ts'
import { newSecret } from '../deployment.ts'
import { digestOf } from '../digest.ts'
import { insertEvent, type NewEvent } from '../events/store.ts'
import { asLine } from '../text.ts'
import { noteSignIn } from '../users/store.ts'
import { deviceCookie, sessionCookie, withCookies } from './browser.ts'
import { type Answer, header, type OidcCall, type OidcServices, redirect } from './call.ts'
import { continueRequest, hintedUser, type Interaction } from './endpoints/authorize.ts'
import { acrOf } from './protocol/claims.ts'
import { withoutSatisfied } from './protocol/next-step.ts'
import { insertSession, renewSession } from './store/sessions.ts'

export interface SignedIn {
  user_id: string
  email: string
  /** The account's password, which must still be this one when the session begins. */
  password_hash: string | null
  step: 'sign_in' | 'sign_up'
  /** How, as events and statistics name it, and in the words of RFC 8176. */
  method: string
  amr: readonly string[]
}

/**
 * Makes a session and goes on, in one batch with what else the sign-in changes. The secret of the cookie changes at every
 * sign-in; the same person signing in again in the same browser keeps the session, so that other applications stay signed in.
 * Returns `null`, and changes nothing, where the person may not sign in after all: the account was blocked, or its password
 * changed, while this sign-in was checked. Both end the sessions of the account, so this batch writes its row before it makes one.
 */
export async function establishSession(
  parts: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { user_id, email, password_hash, step, method, amr }: SignedIn,
  first: readonly Statement[],
): Promise<Answer | null> {
  const { issuer } = call
  const { browser, client, query, request } = interaction
  const at = call.now
  const { idle_ttl_seconds, absolute_ttl_seconds } = issuer.settings.sessions
  const secret = newSecret(parts)
  const known = browser.sessions.find((session) => session.user_id === user_id)
  const absolute_expires_at = new Date(at.getTime() + absolute_ttl_seconds * 1000)
  const session = {
    id: known?.id ?? (parts.newId('ses') as `ses_${string}`), // as: newId gives exactly this
    user_id: user_id as `usr_${string}`, // as: an id of our own making
    token_hash: digestOf(secret),
    amr,
    acr: acrOf(amr),
    ip: call.ip,
    user_agent: asLine(header(call, 'user-agent') ?? '', 300) || null,
    expires_at: new Date(Math.min(at.getTime() + idle_ttl_seconds * 1000, absolute_expires_at.getTime())),
    absolute_expires_at,
  }
  const signed_in = await parts.db.batch([
    ...first,
    noteSignIn(issuer.environment_id, { user_id, password_hash }, at),
    known ? renewSession(issuer.environment_id, session, at) : insertSession(issuer.environment_id, session, at),
    ...(known ? [] : [signInEvent(parts, call, { type: 'session.created', user_id, data: { session_id: session.id } })]),
    signInEvent(parts, call, {
      type: 'sign_in.succeeded',
      user_id,
      application_id: client?.client_id ?? null,
      data: { method, session_id: session.id, ip: call.ip },
    }),
  ])
  if (!signed_in) return null
  parts.counters.count(issuer.environment_id, 'sign_in', `${method}.succeeded`)
  const others = browser.sessions.filter((other) => other.user_id !== user_id).map((other) => other.secret)
  // Somebody else than the person the client means has satisfied nothing that it asked of that person.
  const hinted = hintedUser(call, request.id_token_hint)
  const rest = hinted === null || hinted === user_id ? withoutSatisfied(query, step, at) : query
  return withCookies(redirect(continueRequest(parts, call, interaction, rest, session.id)), [
    sessionCookie(call, [secret, ...others]),
    deviceCookie(parts, call, { user_id, email, password_hash }),
  ])
}

export function signInEvent(parts: OidcServices, call: OidcCall, event: NewEvent): Statement {
  const origin = { id: parts.newId('evt'), actor: { type: 'user' as const, id: event.user_id ?? null }, request_id: call.request_id }
  return insertEvent(call.issuer.environment_id, origin, event, call.now)
}
