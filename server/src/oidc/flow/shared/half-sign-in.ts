/**
 * A half sign-in: the first factor succeeded and the second is missing. The browser has its secret in a cookie; the row contains the
 * result of the first factor (`domain/sessions/half-sign-ins.ts`). It is valid only for the request that it began with, so that a first
 * factor from before `prompt=login` or `max_age` does not answer them. Its pages name the attempt, so that each tab continues its own, even
 * where two tabs have the same request.
 */
import { digestOf } from '../../../base/digest.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { sealed_columns } from '../../../deployment/secrets/sealed-columns.ts'
import { endHalfSignIn, findHalfSignIn, type HalfSignIn, insertHalfSignIn } from '../../../domain/sessions/half-sign-ins.ts'
import type { UpstreamSession } from '../../../domain/sessions/sessions.ts'
import { findUsersWithSecondFactor } from '../../../domain/users/second-factors.ts'
import { aboutUser, findClosed } from '../../../domain/users/store.ts'
import { copyOf } from '../../../http/query.ts'
import { acrOf } from '../../../protocol/claims.ts'
import { enrolmentNeedsMailedCode, isRecent, one_factor, withSecondFactor } from '../../../protocol/second-factor.ts'
import { attemptOf, halfCookies } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import type { Interaction } from './begin.ts'
import { continueUrl } from './continue.ts'
import { sendEnrolmentCode } from './enrolment-code.ts'
import { establishSession, type SignedIn, sealUpstream, stepUpSession } from './establish-session.ts'
import { linkIdentity } from './link-identity.ts'

type Using = 'code' | 'recovery_code'

/** The page of the second factor for this attempt. */
export function secondFactorUrl(
  { issuer }: OidcCall,
  query: string,
  { secret_hash }: Pick<HalfSignIn, 'secret_hash'>,
  using: Using = 'code',
) {
  const use = using === 'code' ? '' : `&use=${using}`
  return `${issuer.url}/second-factor?attempt=${attemptOf(secret_hash)}${use}&${query}`
}

/** Reads the address of `secondFactorUrl`: the attempt, and the request as it was. */
export function readSecondFactorQuery(page_query: string): { attempt: string | null; using: Using; query: string } {
  const [own = '', attempt = null, use] = /^attempt=([0-9a-f]{32})(&use=recovery_code)?&/.exec(page_query) ?? []
  return { attempt, using: use === undefined ? 'code' : 'recovery_code', query: page_query.slice(own.length) }
}

/** The request in another language is the same request: the menu of the page changes nothing else. */
function requestHash(query: string): string {
  const search = copyOf(query)
  search.delete('ui_locales')
  return digestOf(search.toString())
}

interface Beginning extends SignedIn {
  enrols: boolean
  /** The session that is stepped up; a sign-in has none. */
  session_id?: string
  /** Every factor succeeded, and the account is closed. */
  restores?: { second_factor?: string }
}

/** Begins a half sign-in, in one batch with the other changes of the sign-in. `null` means what it means for `finishSignIn`. */
export async function beginHalfSignIn(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  beginning: Beginning,
): Promise<Answer | null> {
  const { user_id, email, password_hash, step, method, provider_id, amr, identity_id, links, began_with, upstream } = beginning
  const { mailed_code = false, hold = [], first = [], enrols, session_id, restores } = beginning
  const { query } = interaction
  const { environment_id, settings } = call.issuer
  const secret = newSecret(services)
  // The word otp of a first factor stands for an emailed code: apps and recovery codes are second factors.
  const proved_by_code = mailed_code || (session_id === undefined && amr.includes('otp'))
  const proof = { sends_mail: sendsMail(settings.email), proved_by_code }
  const secret_hash = digestOf(secret)
  const row = sealed_columns.half_sign_ins.associatedData(environment_id, secret_hash)
  const sealed = upstream && { upstream: sealUpstream(services, upstream, row) }
  const half = {
    secret_hash,
    user_id,
    session_id: session_id ?? null,
    request_hash: requestHash(query),
    enrols,
    signed_in: {
      email,
      password_hash,
      step,
      method,
      provider_id,
      amr: [...amr],
      identity_id,
      links,
      began_with,
      ...sealed,
      ...(restores && { restores }),
    },
    needs_code: enrols && enrolmentNeedsMailedCode(proof),
  }
  const begun = await services.db
    .of(environment_id)
    .batch([aboutUser(environment_id, user_id), ...hold, ...first, insertHalfSignIn(environment_id, half, call.now)])
  if (!begun) return null
  const stored = half.needs_code && (await findHalfSignIn(services.db, environment_id, half.secret_hash, call.now))
  if (stored) await sendEnrolmentCode(services, call, interaction, stored)
  return withCookies(redirect(secondFactorUrl(call, query, half)), halfCookies(call, interaction.browser, secret))
}

/** Asks for the second factor in an existing session. A page that is opened again continues the half sign-in that it began. */
export async function beginStepUp(services: OidcServices, call: OidcCall, interaction: Interaction, session_id: string): Promise<Answer> {
  const { browser, query } = interaction
  const session = browser.sessions.find(({ id }) => id === session_id)
  if (!session) return redirect(continueUrl(call, query))
  for (const attempt of browser.halves.keys()) {
    const begun = await readHalfSignIn(services, call, interaction, attempt)
    if (begun?.session_id === session_id) return redirect(secondFactorUrl(call, query, begun))
  }
  const { user_id, email, amr } = session
  const enrolled = await findUsersWithSecondFactor(services.db, call.issuer.environment_id, [user_id])
  // The code of this sign-in proves the address for the enrolment, and not the code of one that is over.
  const mailed_code = acrOf(amr) === one_factor && amr.includes('otp') && isRecent(session, call.now)
  const signed_in = { user_id, email, password_hash: null, step: 'sign_in' as const, method: 'session', amr, mailed_code }
  const answer = await beginHalfSignIn(services, call, interaction, { ...signed_in, enrols: !enrolled.has(user_id), session_id })
  return answer ?? refused(redirect(continueUrl(call, query)), half_lost) // the user was blocked in the meantime
}

/**
 * The half sign-in of this attempt, browser and request; `null` where there is none, where its session ended, or where the second factors
 * of the account changed: one that asks for a factor ends with the last factor, one that enrols ends with the first.
 */
export async function readHalfSignIn(
  services: OidcServices,
  call: OidcCall,
  { browser, query }: Interaction,
  attempt: string,
): Promise<HalfSignIn | null> {
  const { environment_id } = call.issuer
  const secret = browser.halves.get(attempt)
  if (secret === undefined) return null
  const half = await findHalfSignIn(services.db, environment_id, digestOf(secret), call.now)
  if (!half || half.request_hash !== requestHash(query)) return null
  if (half.session_id !== null && !browser.sessions.some(({ id }) => id === half.session_id)) return null
  if (half.signed_in.restores) return half
  const enrolled = await findUsersWithSecondFactor(services.db, environment_id, [half.user_id])
  return enrolled.has(half.user_id) === half.enrols ? null : half
}

/** A half sign-in, and the request that it belongs to. */
export interface ContinuedHalf {
  interaction: Interaction
  half: HalfSignIn
}

/** Ends a half sign-in with a session of two factors, in one batch with `first`. `null`: the batch did not happen. */
export async function completeHalfSignIn(
  services: OidcServices,
  call: OidcCall,
  { interaction, half }: ContinuedHalf,
  { method, amr: second, first }: { method: string; amr: readonly string[]; first: readonly Statement[] },
): Promise<Answer | null> {
  const { signed_in, session_id, user_id } = half
  const { environment_id } = call.issuer
  const { identity_id, links, email } = signed_in
  if (links && (await linkIdentity(services, call, { user_id, email, identity_id: identity_id ?? '', links })) === null) {
    await services.db.of(environment_id).batch([aboutUser(environment_id, user_id), endHalfSignIn(environment_id, half, call.now)])
    return refused(redirect(continueUrl(call, interaction.query)), no_link)
  }
  const amr = withSecondFactor(signed_in.amr, second, interaction.client ? interaction.request.acr_values : [])
  const upstream = signed_in.upstream && openUpstream(services, environment_id, half.secret_hash, signed_in.upstream)
  // The batch begins with the row of the user: an ending that is under way comes before, and then the half sign-in has ended.
  const statements = [endHalfSignIn(environment_id, half, call.now), ...first]
  if (session_id !== null) return stepUpSession(services, call, interaction, { session_id, amr, first: statements })
  const passed = { ...signed_in, user_id, amr, second_factor: method, first: statements, upstream }
  return (await establishSession(services, call, interaction, passed)) ?? askToRestore(services, call, interaction, passed)
}

/**
 * Where a person who passed every factor has a closed account, they are asked whether it comes back, with the other changes of the sign-in.
 * `null` for any other account.
 */
export async function askToRestore(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { second_factor, ...signed_in }: SignedIn,
): Promise<Answer | null> {
  const closed = await findClosed(services.db, call.issuer.environment_id, signed_in.user_id, call.now)
  if (!closed) return null
  const restores = second_factor === undefined ? {} : { second_factor }
  return beginHalfSignIn(services, call, interaction, { ...signed_in, enrols: false, restores })
}

/** The same with its ID token as it was sent. */
export function openUpstream(
  { secrets }: OidcServices,
  environment_id: string,
  secret_hash: string,
  upstream: UpstreamSession,
): UpstreamSession {
  const row = sealed_columns.half_sign_ins.associatedData(environment_id, secret_hash)
  return { ...upstream, id_token: upstream.id_token === null ? null : secrets.unseal(upstream.id_token, row) }
}

const no_link = refusal(
  'provider_unreachable',
  reason`The provider may no longer link identities to accounts, or another user got the identity during the sign-in.`,
)

export const half_lost = refusal(
  'form_expired',
  reason`The first factor of this sign-in is missing, is older than 10 minutes, or belongs to another request, browser or account.`,
)
