/** The end of every successful sign-in: makes the session, records the events and continues the request. */
import { isDeepStrictEqual } from 'node:util'
import type { MethodByAddress } from '@ostiary/contract/sign-in-methods.ts'
import { digestOf } from '../../../base/digest.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { asLine } from '../../../base/text.ts'
import { type Statement, sql } from '../../../db/db.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { type AssociatedData, sealed_columns } from '../../../deployment/secrets/sealed-columns.ts'
import { passwordMethod } from '../../../domain/accounts/methods.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent, type NewEvent } from '../../../domain/events/store.ts'
import type { UpstreamSubject } from '../../../domain/providers/store.ts'
import { endUnseen, findUnseen, hasRoomForSession, most_others, type UnseenSessions } from '../../../domain/sessions/bounds.ts'
import {
  endSession,
  insertSession,
  raiseSession,
  renewSession,
  type SessionRow,
  type UpstreamSession,
} from '../../../domain/sessions/sessions.ts'
import { countForPerson, waitForPerson } from '../../../domain/users/attempts.ts'
import { hasSecondFactor } from '../../../domain/users/second-factors.ts'
import { aboutUser, aboutUsers, fillLocale, findUser, noteSignIn } from '../../../domain/users/store.ts'
import { findSubject } from '../../../domain/users/sub.ts'
import { useTrusted } from '../../../domain/users/trusted-browsers.ts'
import { acrOf } from '../../../protocol/claims.ts'
import { storedIdOf } from '../../../protocol/client.ts'
import { isHinted } from '../../../protocol/id-token-hint.ts'
import { withoutSatisfied } from '../../../protocol/next-step.ts'
import { one_factor } from '../../../protocol/second-factor.ts'
import { type Browser, most_sessions, sessionCookie } from '../../browser.ts'
import { type Answer, header, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { chosenLanguage } from '../../chosen-language.ts'
import { lastUsedCookie, withCookies } from '../../cookies.ts'
import { verifiedHint } from '../../id-token-hint.ts'
import { deviceCookie } from '../../known-browser.ts'
import { trustRule } from '../../trusted-browser.ts'
import type { Interaction } from './begin.ts'
import { continueRequest } from './continue.ts'
import { linkIdentity } from './link-identity.ts'
import { newSignInMail } from './new-sign-in.ts'
import { showSignIn } from './screens.ts'

export interface SignedIn {
  user_id: string
  email: string
  /** The password hash that the sign-in read. The session begins only where the account still has it. */
  password_hash: string | null
  step: 'sign_in' | 'sign_up'
  /** The name of the method in events and statistics. */
  method: string
  /** The provider, where the method is one. */
  provider_id?: string | undefined
  /** Where the method is a provider: the session there, with its ID token as it was sent. */
  upstream?: UpstreamSession | undefined
  /** RFC 8176 names of the method. */
  amr: readonly string[]
  /** The id of the identity at a provider, or of the passkey; without it the sign-in was by password or by an emailed code. */
  identity_id?: string | undefined
  /** The identity is new: it is linked to the account with the session. */
  links?: UpstreamSubject | undefined
  /** The method, if it is neither the password, an identity nor a passkey. Such a session outlives the removal of those. */
  began_with?: MethodByAddress | undefined
  /** The person proved the address by an emailed code in this sign-in, beside what `amr` says. */
  mailed_code?: boolean
  /** The account is new, has no name, and nobody asked for one. */
  asks_name?: boolean
  /** The account is new and waits for an approval. */
  waits?: boolean
  /** The statements of the sign-in remove the second factors that the account has now (see `domain/accounts/address-proof.ts`). */
  loses_factors?: boolean
  /** Stands for the second factor that this sign-in has not used. */
  trusted_browser_id?: string | null
  /** The second factor, in the words of events. */
  second_factor?: string
  /** Hold rows that come before those of `first` in the order of locks. */
  hold?: readonly Statement[]
  /** The other changes of the sign-in, in one batch with the session. */
  first?: readonly Statement[]
}

/**
 * Makes a session in one batch with `first`, the other changes of the sign-in. Returns `null` and changes nothing where the account was
 * blocked or not approved, or its password changed while the sign-in was checked, or got a second factor that this sign-in has not used. The first two
 * end the sessions of the account, so this batch writes the row of the account before it makes a session.
 *
 * A person who signed in too often within the hour is asked to wait. Only successes are counted, so no stranger can use them up.
 *
 * Each sign-in changes the secret of the cookie. A person who signs in again in the same browser keeps the session, so that other
 * applications stay signed in. The sessions that leave the cookie end, since no sign-out in this browser could end them later: expired
 * ones of the person, and the last one where the cookie is full.
 */
export async function establishSession(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  signed_in: SignedIn,
): Promise<Answer | null> {
  const { user_id, email, password_hash, step, method, identity_id, links, began_with, second_factor } = signed_in
  const { hold = [], first = [], trusted_browser_id = null, provider_id } = signed_in
  const link = links && identity_id !== undefined ? await linkIdentity(services, call, { user_id, email, identity_id, links }) : undefined
  if (link === null) return null
  const { issuer } = call
  const { browser, client, query, request } = interaction
  const at = call.now
  const secret = newSecret(services)
  const known = browser.sessions.find((session) => session.user_id === user_id)
  const expired = browser.expired.filter((session) => session.user_id === user_id)
  const others = [...browser.sessions, ...browser.expired].filter((session) => session.user_id !== user_id)
  const [kept, displaced] = [others.slice(0, most_sessions - 1), others.slice(most_sessions - 1)]
  const began = link?.identity_id ?? identity_id ?? began_with ?? passwordMethod(user_id)
  const session = sessionRow(services, call, signed_in, { known_id: known?.id, secret, began_with: began })
  // The condition is safe for the session, because `noteSignIn` and each batch that adds a second factor first write the row of the
  // account.
  const has_none = session.acr === one_factor && trusted_browser_id === null
  const only_if = has_none ? sql`not ${hasSecondFactor(issuer.environment_id, user_id)}` : sql`1 = 1`
  const trusted = trusted_browser_id === null ? [] : [useTrusted({ ...issuer, id: user_id }, trusted_browser_id, trustRule(call))]
  const { sessions_per_person, sign_ins_per_person } = services.config.limits
  const counted = { environment_id: issuer.environment_id, user_id, now: at }
  const spoken = await spokenLanguage(services, call, user_id)
  const by_password = identity_id === undefined && began_with === undefined
  const store = ({ ids, is_counted }: UnseenSessions, mail: readonly Statement[]) =>
    services.db.of(issuer.environment_id).batch([
      ...aboutUsers(issuer.environment_id, [user_id, ...displaced.map((left) => left.user_id)]),
      ...hold,
      ...(link?.hold ?? []),
      ...countForPerson('sign_in', counted, sign_ins_per_person),
      ...first,
      ...trusted,
      ...(link?.statements ?? []),
      noteSignIn(issuer.environment_id, { user_id, password_hash, by_password }, at),
      ...spoken,
      ...[...expired, ...displaced].flatMap((left) => {
        const reason = browser.expired.includes(left) ? 'expired' : 'signed_out'
        return endSession(issuer.environment_id, left.id, { reason, origin: originOf(services, byUser(left.user_id), call.request_id) }, at)
      }),
      ...(known
        ? [renewSession(issuer.environment_id, session, only_if, at)]
        : [
            insertSession(issuer.environment_id, session, only_if, at),
            signInEvent(services, call, { type: 'session.created', user_id, data: { session_id: session.id } }).statement,
            ...endUnseen(issuer.environment_id, ids, originOf(services, byUser(user_id), call.request_id), at),
            ...(is_counted ? [hasRoomForSession(issuer.environment_id, user_id, sessions_per_person, at)] : []),
          ]),
      signInEvent(services, call, {
        type: 'sign_in.succeeded',
        user_id,
        application_id: client && storedIdOf(client),
        data: {
          method,
          ...(provider_id !== undefined && { provider_id }),
          ...(second_factor !== undefined && { second_factor }),
          ...(trusted_browser_id !== null && { trusted_browser_id }),
          session_id: session.id,
          ip: call.ip,
        },
      }).statement,
      ...mail,
    ])
  const bound = { limit: sessions_per_person, added: 1, most: most_others } as const
  const findOthers = async () =>
    known ? no_others : findUnseen(services.db, { environment_id: issuer.environment_id, id: user_id }, bound, at)
  const mailNow = () => newSignInMail(services, call, interaction, { user_id, email, password_hash })
  let [others_end, mail] = await Promise.all([findOthers(), mailNow()])
  for (let tries = 1; !(await store(others_end, mail)); tries++) {
    const limited = await showTooOften(services, call, interaction, signed_in)
    if (limited) return limited
    // Another sign-in of the person may have been faster, so that other sessions are evicted now, or the mail is sent.
    const [now_others, now_mail] = await Promise.all([findOthers(), mailNow()])
    const is_same = isDeepStrictEqual(now_others, others_end) && now_mail.length === mail.length
    if (tries === most_tries || is_same) return null
    others_end = now_others
    mail = now_mail
  }
  services.counters.count(issuer.environment_id, 'sign_in', `${method}.succeeded`)
  if (provider_id !== undefined) services.counters.count(issuer.environment_id, 'provider_use', provider_id)
  // A sign-in of another user than the hinted one satisfies no prompt of the request.
  const rest = (await isAnswered(services, call, request, user_id)) ? withoutSatisfied(query, step, at) : query
  return withCookies(redirect(continueRequest(services, call, { client, query: rest, session_id: session.id })), [
    sessionCookie(call, [{ secret }, ...kept]),
    deviceCookie(services, call, { user_id, email, password_hash }),
    lastUsedCookie(call, provider_id ?? method),
  ])
}

/** Reports whether a sign-in of this user answers the request: where it has a hint, only one of its user does. */
async function isAnswered(
  { db }: OidcServices,
  { issuer }: OidcCall,
  { id_token_hint }: { id_token_hint?: string | undefined },
  user_id: string,
): Promise<boolean> {
  const hint = verifiedHint(issuer, id_token_hint)
  if (hint === null || hint.sub === user_id) return true
  const person = await findSubject(db, { environment_id: issuer.environment_id, id: user_id })
  return person !== null && isHinted(hint, person)
}

function sessionRow(
  services: OidcServices,
  call: OidcCall,
  { user_id, amr, upstream, trusted_browser_id = null }: SignedIn,
  { known_id, secret, began_with }: { known_id: SessionRow['id'] | undefined; secret: string; began_with: string },
) {
  const { environment_id, settings } = call.issuer
  const { idle_ttl_seconds, absolute_ttl_seconds } = settings.sessions
  const at = call.now.getTime()
  const absolute_expires_at = new Date(at + absolute_ttl_seconds * 1000)
  const id = known_id ?? (services.newId('ses') as `ses_${string}`) // as: newId gives exactly this
  return {
    id,
    user_id: user_id as `usr_${string}`, // as: an id of our own making
    token_hash: digestOf(secret),
    amr,
    acr: acrOf(amr),
    began_with,
    trusted_browser_id,
    upstream: upstream ? sealUpstream(services, upstream, sealed_columns.sessions.associatedData(environment_id, id)) : null,
    ip: call.ip,
    user_agent: asLine(header(call, 'user-agent') ?? '', 300) || null,
    expires_at: new Date(Math.min(at + idle_ttl_seconds * 1000, absolute_expires_at.getTime())),
    absolute_expires_at,
  }
}

/** Gives the user the language that the person chose, where the user has none. */
async function spokenLanguage(services: OidcServices, call: OidcCall, user_id: string): Promise<Statement[]> {
  const { environment_id } = call.issuer
  const locale = chosenLanguage(call)
  const has_locale = locale === null || ((await findUser(services.db, environment_id, user_id))?.locale ?? null) !== null
  if (has_locale) return []
  const { statement } = signInEvent(services, call, { type: 'user.updated', user_id, data: { changed: ['locale'] } })
  return [fillLocale(environment_id, user_id, locale, call.now), statement]
}

/** The session at a provider with its ID token sealed for the row that keeps it. */
export const sealUpstream = ({ secrets }: OidcServices, upstream: UpstreamSession, row: AssociatedData): UpstreamSession => ({
  ...upstream,
  id_token: upstream.id_token === null ? null : secrets.seal(upstream.id_token, row),
})

const no_others: UnseenSessions = { ids: [], is_counted: true }
/** Of parallel sign-ins one succeeds each time, and no person has more than a few. */
const most_tries = 100

/** The page of a person who signed in too often within the hour; `null` where there is room. */
export async function showTooOften(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { user_id, email, method }: Pick<SignedIn, 'user_id' | 'email' | 'method'>,
): Promise<Answer | null> {
  const { environment_id } = call.issuer
  const person = { environment_id, user_id, now: call.now }
  const wait_seconds = await waitForPerson(services.db, 'sign_in', person, services.config.limits.sign_ins_per_person)
  if (wait_seconds === null) return null
  services.counters.count(environment_id, 'sign_in', `${method}.limited`)
  return showSignIn(services, call, interaction, { email, problem: 'too_often', refusal: too_often, wait_seconds })
}

const too_often = refusal('locked_out', reason`The user signed in as often within an hour as the limit sign_ins_per_person allows.`)

/**
 * Raises an existing session after a second factor, in one batch with `first`: it keeps its id and the time of its sign-in, and the
 * cookie gets a new secret. Returns `null` and changes nothing where the session ended or changed in the meantime.
 */
export async function stepUpSession(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { session_id, amr, first }: { session_id: string; amr: readonly string[]; first: readonly Statement[] },
): Promise<Answer | null> {
  const { browser, query } = interaction
  const session = browser.sessions.find(({ id }) => id === session_id)
  if (!session) return null
  const { statement, set_cookie } = raise(services, call, { browser, session }, amr)
  if (
    !(await services.db.of(call.issuer.environment_id).batch([aboutUser(call.issuer.environment_id, session.user_id), ...first, statement]))
  )
    return null
  return withCookies(redirect(continueRequest(services, call, { client: interaction.client, query, session_id })), [set_cookie])
}

/** A session, and the browser that has it. */
export interface SessionOfBrowser {
  browser: Pick<Browser, 'sessions' | 'expired'>
  session: Browser['sessions'][number]
}

/** Raises a session of the browser to the level of these methods: the guard for the batch, and the cookie with the new secret. */
export function raise(
  services: OidcServices,
  call: OidcCall,
  { browser, session }: SessionOfBrowser,
  amr: readonly string[],
): { statement: Statement; set_cookie: string } {
  const { issuer, now } = call
  const secret = newSecret(services)
  const idle_end = now.getTime() + issuer.settings.sessions.idle_ttl_seconds * 1000
  const expires_at = new Date(Math.min(idle_end, session.absolute_expires_at.getTime()))
  const raised = { token_hash: digestOf(secret), amr, acr: acrOf(amr), expires_at }
  const sessions = browser.sessions.map((each) => (each.id === session.id ? { secret } : each))
  return {
    statement: raiseSession(issuer.environment_id, session, raised, now),
    set_cookie: sessionCookie(call, [...sessions, ...browser.expired]),
  }
}

export function signInEvent(services: OidcServices, call: OidcCall, event: NewEvent): { id: string; statement: Statement } {
  const origin = originOf(services, byUser(event.user_id ?? null), call.request_id)
  return { id: origin.id, statement: insertEvent(call.issuer.environment_id, origin, event, call.now) }
}
