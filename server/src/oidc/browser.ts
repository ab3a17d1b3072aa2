/**
 * The cookies of a browser for one environment. They contain the secrets of its sessions (the current one first), the seed of its form
 * tokens, a mark of the account that signed in last, and the secret of each half sign-in.
 */
import { digestOf } from '../base/digest.ts'
import { reason } from '../base/reason.ts'
import { refusal } from '../base/refusal.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { half_sign_in_kept_seconds } from '../domain/sessions/half-sign-ins.ts'
import { findSessions, type SessionRow } from '../domain/sessions/sessions.ts'
import type { Answer, OidcCall } from './call.ts'
import { able_to_create, cookie, cookieName, cookiesOf, upstreamNames } from './cookies.ts'
import { isTokenOf } from './form-seal.ts'

/** A sign-in beyond these signs the last account of the browser out. */
export const most_sessions = 6

export interface Browser {
  /** The active sessions, the current one first, each with its secret. */
  readonly sessions: readonly (SessionRow & { secret: string })[]
  /** Sessions past their idle time or absolute limit. They sign nobody in, but a sign-out ends them too. */
  readonly expired: Browser['sessions']
  /** The seeds of its form tokens, the oldest first: one for each page that was loaded without any. */
  readonly form_seeds: readonly FormSeed[]
  /** The one that the token of this form belongs to; for other calls the newest one. `null` where the browser has none. */
  readonly form_seed: string | null
  readonly device: string | null
  /** The secrets of the half sign-ins of its tabs, by attempt (`attemptOf`), the oldest first. Some may be over. */
  readonly halves: ReadonlyMap<string, string>
  /** The sealed sign-ins at providers that have not returned, by slot. */
  readonly upstreams: readonly (string | null)[]
  /** The browser can use passkeys, and the person has not put off the offer of one. */
  readonly takes_offers: boolean
  /** The browser can create a passkey by itself, and has not just tried. */
  readonly creates_passkeys: boolean
  /** How the last sign-in in this browser began: a method, or the id of a provider. A person can have changed it. */
  readonly last_used: string | null
}

/** `id` ends the name of its cookie. */
interface FormSeed {
  readonly id: string
  readonly seed: string
}

/** The id of an attempt, for addresses and forms. Only the cookie has the secret. */
export const attemptOf = (secret_hash: string): string => secret_hash.slice(0, 32)

/** An attempt beyond these ends the oldest one of the browser. */
const most_attempts = 5

export async function readBrowser(services: Pick<Deployment, 'db' | 'secrets'>, call: OidcCall): Promise<Browser> {
  const slots = upstreamNames(call)
  const cookies = cookiesOf(call)
  const form_seeds = readFormSeeds(call, cookies)
  const secrets = sessionSecrets(cookies.get(cookieName(call, 'session')))
  const digests = secrets.map(digestOf)
  const rows = await findSessions(services.db, call.issuer.environment_id, digests)
  const known = secrets.flatMap((secret, i) => rows.filter((row) => row.token_hash === digests[i]).map((row) => ({ ...row, secret })))
  return {
    sessions: known.filter(({ expires_at }) => expires_at > call.now),
    expired: known.filter(({ expires_at }) => expires_at <= call.now),
    form_seeds,
    form_seed: seedOf(services, call, form_seeds),
    device: cookies.get(cookieName(call, 'device')) ?? null,
    halves: readHalves(call, cookies),
    upstreams: slots.map((slot) => cookies.get(slot) || null),
    takes_offers: cookies.has(cookieName(call, 'able')) && !cookies.has(cookieName(call, 'later')),
    creates_passkeys: cookies.get(cookieName(call, 'able')) === able_to_create && !cookies.has(cookieName(call, 'tried')),
    last_used: cookies.get(cookieName(call, 'last')) ?? null,
  }
}

function readHalves(call: OidcCall, cookies: ReadonlyMap<string, string>): Map<string, string> {
  const beginning = cookieName(call, { attempt: '' })
  const named = [...cookies].filter(([name, secret]) => name.startsWith(beginning) && isSecret(secret)).slice(-2 * most_attempts)
  return new Map(named.map(([, secret]) => [attemptOf(digestOf(secret)), secret]))
}

/** A browser beyond these loses the oldest. */
export const most_form_seeds = 8

function readFormSeeds(call: OidcCall, cookies: ReadonlyMap<string, string>): FormSeed[] {
  const start = `${cookieName(call, { form: '' })}_`
  return [...cookies]
    .filter(([name, seed]) => name.startsWith(start) && isSecret(seed))
    .slice(-2 * most_form_seeds)
    .map(([name, seed]) => ({ id: name.slice(start.length), seed }))
}

/** A token works with its own cookie alone, so what a form begins is bound to that cookie. */
function seedOf(services: Pick<Deployment, 'secrets'>, call: OidcCall, seeds: readonly FormSeed[]): string | null {
  const of_token = seeds.find(({ seed }) => isTokenOf(services, call, seed))
  return (of_token ?? seeds.at(-1))?.seed ?? null
}

/** The form cookies of the browser, for pages that ask nothing else of it. */
export function readSeeds(services: Pick<Deployment, 'secrets'>, call: OidcCall): Pick<Browser, 'form_seeds' | 'form_seed'> {
  const form_seeds = readFormSeeds(call, cookiesOf(call))
  return { form_seeds, form_seed: seedOf(services, call, form_seeds) }
}

/** The seed that the token of this form belongs to; without such a token the newest one of the browser. */
export const readFormSeed = (services: Pick<Deployment, 'secrets'>, call: OidcCall): string | null => readSeeds(services, call).form_seed

const sessionSecrets = (value = ''): string[] => value.split('.').filter(isSecret).slice(0, most_sessions)

const isSecret = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/** The cookie with the secrets of these sessions, at most `most_sessions`: the current one first and expired ones last. */
export function sessionCookie(call: OidcCall, sessions: readonly { secret: string }[]): string {
  return cookie(
    call,
    'session',
    sessions.map(({ secret }) => secret).join('.'),
    sessions.length === 0 ? 0 : call.issuer.settings.sessions.absolute_ttl_seconds,
  )
}

/** The cookie of a new half sign-in. It outlives the attempt, which can then say that it is over, and removes those of too many others. */
export function halfCookies(call: OidcCall, { halves }: Pick<Browser, 'halves'>, secret: string): string[] {
  const oldest = [...halves.keys()].slice(0, Math.max(0, halves.size + 1 - most_attempts))
  return [
    ...oldest.map((attempt) => cookie(call, { attempt }, '', 0)),
    cookie(call, { attempt: attemptOf(digestOf(secret)) }, secret, half_sign_in_kept_seconds),
  ]
}

/** The ids of the sessions that a cookie of sessions names and that sign in now. */
export async function sessionsIn(
  { db }: Pick<Deployment, 'db'>,
  { issuer, now }: Pick<OidcCall, 'issuer' | 'now'>,
  value: string,
): Promise<string[]> {
  const rows = await findSessions(db, issuer.environment_id, sessionSecrets(value).map(digestOf))
  return rows.filter(({ expires_at }) => expires_at > now).map(({ id }) => id)
}

/** The value of the cookie of sessions that an answer sets; empty where it sets none. */
export function sessionCookieSet(call: OidcCall, { headers }: Answer): string {
  const beginning = `${cookieName(call, 'session')}=`
  const line = [headers['set-cookie'] ?? []].flat().find((each) => each.startsWith(beginning))
  return line?.slice(beginning.length).split(';', 1)[0] ?? ''
}

/** The sessions that the cookie of a call names. */
export const sessionCookieOf = (call: OidcCall): string => cookiesOf(call).get(cookieName(call, 'session')) ?? ''

/**
 * The answer of an earlier press of the same button for a later one. `had` is the cookie of the sessions that came with the earlier press.
 * Where the browser has another one since, it learns only of a session that it does not know and that still lives, and keeps its own.
 */
export async function withSessionsOf(
  services: Pick<Deployment, 'db' | 'secrets'>,
  call: OidcCall,
  answer: Answer,
  had: string,
): Promise<Answer> {
  const set = [answer.headers['set-cookie'] ?? []].flat()
  const beginning = `${cookieName(call, 'session')}=`
  const line = set.find((each) => each.startsWith(beginning))
  const has = sessionCookieOf(call)
  if (line === undefined || has === had) return answer
  const others = set.filter((each) => each !== line)
  const known = sessionSecrets(has)
  const added = sessionSecrets(line.slice(beginning.length).split(';', 1)[0]).filter((secret) => !known.includes(secret))
  const rows = await findSessions(services.db, call.issuer.environment_id, added.map(digestOf))
  const alive = added.filter((secret) => rows.some(({ token_hash }) => token_hash === digestOf(secret)))
  const browser = await readBrowser(services, call)
  const own = [...browser.sessions, ...browser.expired].filter(({ id }) => !rows.some((row) => row.id === id))
  const sessions = [...alive.map((secret) => ({ secret })), ...own]
  const set_cookie = alive.length === 0 || sessions.length > most_sessions ? others : [...others, sessionCookie(call, sessions)]
  return { ...answer, headers: { ...answer.headers, 'set-cookie': set_cookie } }
}

/** The refusal of a form whose session this browser does not have. */
export const session_gone = refusal('form_expired', reason`The session of the page has ended, or does not belong to this browser.`)
