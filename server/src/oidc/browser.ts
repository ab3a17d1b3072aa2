/**
 * The cookies of a browser for one environment. Scripts cannot read them. They hold the secrets of its sessions (the current one
 * first), the seed of its form tokens, a mark of the account that signed in last, and the secret of each half sign-in.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '../base/digest.ts'
import { reason } from '../base/reason.ts'
import { refusal } from '../base/refusal.ts'
import { withoutBlanks } from '../base/text.ts'
import { type Deployment, newSecret } from '../deployment/deployment.ts'
import { longest_upstream_cookie, type most_upstream_cookies, upstream_kept_seconds } from '../providers/upstream-sign-ins.ts'
import { half_sign_in_kept_seconds } from '../sessions/half-sign-ins.ts'
import { findSessions, type SessionRow } from '../sessions/sessions.ts'
import { accountOf } from '../users/attempts.ts'
import { type Answer, header, type OidcCall } from './call.ts'

/** A sign-in beyond these signs the last account of the browser out. */
export const most_sessions = 6

export interface Browser {
  /** The active sessions, the current one first, each with its secret. */
  readonly sessions: readonly (SessionRow & { secret: string })[]
  /** Sessions past their idle time or absolute limit. They sign nobody in, but a sign-out ends them too. */
  readonly expired: Browser['sessions']
  readonly form_seed: string | null
  readonly device: string | null
  /** The secrets of the half sign-ins of its tabs, by attempt (`attemptOf`), the oldest first. Some may be over. */
  readonly halves: ReadonlyMap<string, string>
  /** The sealed sign-ins at providers that have not returned, by slot. */
  readonly upstreams: readonly (string | null)[]
  /** The browser can use passkeys, and the person has not put off the offer of one. */
  readonly takes_offers: boolean
  /** How the last sign-in in this browser began: a method, or the id of a provider. A person can have changed it. */
  readonly last_used: string | null
}

const upstream_slots = ['upstream_1', 'upstream_2'] as const satisfies { length: typeof most_upstream_cookies }

/** Each half sign-in has a cookie of its own, so that one tab does not end the attempt of another. */
type Names = 'session' | 'form' | 'device' | 'able' | 'later' | 'last' | { attempt: string } | (typeof upstream_slots)[number]

/** The id of an attempt, for addresses and forms. Only the cookie has the secret. */
export const attemptOf = (secret_hash: string): string => secret_hash.slice(0, 32)

/** An attempt beyond these ends the oldest one of the browser. */
const most_attempts = 5

/**
 * The name has the id of the environment, so that no trick with paths sends a cookie to another environment. RFC 6265bis §4.1.3: browsers
 * take a cookie named __Host- only from its own host, for all of its paths.
 */
function cookieName(call: OidcCall, name: Names): string {
  const own = call.issuer.has_own_host ? '__Host-' : '__Secure-'
  const prefix = call.issuer.url.startsWith('https:') ? own : ''
  const { environment_id } = call.issuer
  return `${prefix}ostiary_${typeof name === 'string' ? `${name}_${environment_id}` : `half_${environment_id}_${name.attempt}`}`
}

export async function readBrowser({ db }: Pick<Deployment, 'db'>, call: OidcCall): Promise<Browser> {
  const slots = upstreamNames(call)
  const cookies = cookiesOf(call)
  const secrets = sessionSecrets(cookies.get(cookieName(call, 'session')))
  const digests = secrets.map(digestOf)
  const rows = await findSessions(db, call.issuer.environment_id, digests)
  const known = secrets.flatMap((secret, i) => rows.filter((row) => row.token_hash === digests[i]).map((row) => ({ ...row, secret })))
  return {
    sessions: known.filter(({ expires_at }) => expires_at > call.now),
    expired: known.filter(({ expires_at }) => expires_at <= call.now),
    form_seed: readFormSeed(call, cookies),
    device: cookies.get(cookieName(call, 'device')) ?? null,
    halves: readHalves(call, cookies),
    upstreams: slots.map((slot) => cookies.get(slot) || null),
    takes_offers: cookies.has(cookieName(call, 'able')) && !cookies.has(cookieName(call, 'later')),
    last_used: cookies.get(cookieName(call, 'last')) ?? null,
  }
}

function readHalves(call: OidcCall, cookies: ReadonlyMap<string, string>): Map<string, string> {
  const beginning = cookieName(call, { attempt: '' })
  const named = [...cookies].filter(([name, secret]) => name.startsWith(beginning) && isSecret(secret)).slice(-2 * most_attempts)
  return new Map(named.map(([, secret]) => [attemptOf(digestOf(secret)), secret]))
}

/** The secret of the form tokens of this browser. */
export function readFormSeed(call: OidcCall, cookies = cookiesOf(call)): string | null {
  const seed = cookies.get(cookieName(call, 'form')) ?? ''
  return isSecret(seed) ? seed : null
}

const upstreamNames = (call: OidcCall): string[] => upstream_slots.map((slot) => cookieName(call, slot))

const cookiesOf = (call: OidcCall) => parseCookies(header(call, 'cookie') ?? '', upstreamNames(call))

const sessionSecrets = (value = ''): string[] => value.split('.').filter(isSecret).slice(0, most_sessions)

const isSecret = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/** RFC 6265 §6.1: browsers store at least 50 cookies for a domain. */
const most_cookies = 200
/** In characters. The longest cookie of this service, beside those of sign-ins at providers, holds six sessions. */
const longest_cookie = 400

/** Reads cookies; a value that this service cannot have set counts as empty. Of two cookies with one name the first counts. */
function parseCookies(text: string, long: readonly string[]): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of text.split(';', most_cookies)) {
    const at = pair.indexOf('=')
    const name = withoutBlanks(pair.slice(0, at))
    const value = withoutBlanks(pair.slice(at + 1))
    const longest = long.includes(name) ? longest_upstream_cookie : longest_cookie
    if (at > 0 && !cookies.has(name)) cookies.set(name, value.length <= longest && /^[A-Za-z0-9_.-]*$/.test(value) ? value : '')
  }
  return cookies
}

/** RFC 6265 §4.1: HttpOnly, SameSite=Lax, limited to the path of the issuer, and Secure where the issuer is https. */
function cookie(call: OidcCall, name: Names, value: string, max_age_seconds: number): string {
  const { pathname, protocol } = new URL(call.issuer.url)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${cookieName(call, name)}=${value}; Path=${pathname}; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Set by the script of the sign-in page, not by an answer: the browser can use passkeys. It is not a secret and gives no access. */
export const ableCookie = (call: OidcCall): string => cookie(call, 'able', '1', 86_400).replace('; HttpOnly', '')

/** The person put off the offer of a passkey, on this device and for this long. */
export const laterCookie = (call: OidcCall): string => cookie(call, 'later', '1', 86_400 * 60)

/** Remembers on this device how a sign-in began, for the sign-in page. It says nothing about an account. */
export const lastUsedCookie = (call: OidcCall, method: string): string => cookie(call, 'last', method, 86_400 * 365)

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

/** The cookie of a sign-in at a provider, in one of the slots; `null` removes it. */
export const upstreamCookie = (call: OidcCall, slot: number, sealed: string | null): string =>
  cookie(call, upstream_slots[slot] ?? 'upstream_1', sealed ?? '', sealed === null ? 0 : upstream_kept_seconds)

/**
 * A form token for this browser, and the cookie that it is bound to where the browser has none yet. Its second part differs on each
 * page, so that a form that is sent again differs from the form of a page that was loaded again (`repeat.ts`).
 */
export function formToken(
  deployment: Pick<Deployment, 'secrets' | 'random'>,
  call: OidcCall,
  browser: Browser,
): { csrf: string; set_cookie: string[] } {
  const seed = browser.form_seed ?? newSecret(deployment)
  const csrf = `${tokenOf(deployment, call, seed)}.${deployment.random(16).toString('base64url')}`
  return { csrf, set_cookie: browser.form_seed === null ? [cookie(call, 'form', seed, 86_400 * 30)] : [] }
}

/** What the form tokens of all pages of a browser have in common. */
export const browserOfToken = (csrf: string): string => csrf.split('.', 1)[0] ?? ''

/**
 * Reports whether a form was sent from a page of this issuer in this browser. It checks the form token, and Origin and Sec-Fetch-Site
 * where the browser sends them.
 */
export function isOwnForm(deployment: Pick<Deployment, 'secrets'>, call: OidcCall, browser: Pick<Browser, 'form_seed'>): boolean {
  const origin = header(call, 'origin')
  const site = header(call, 'sec-fetch-site')
  if (origin !== undefined && origin !== new URL(call.issuer.url).origin) return false
  if (site !== undefined && site !== 'same-origin') return false
  const [, token = ''] = /^([A-Za-z0-9_-]{43})(?:\.[A-Za-z0-9_-]{22})?$/.exec(call.form?.get('csrf') ?? '') ?? []
  const sent = Buffer.from(token)
  const expected = Buffer.from(browser.form_seed === null ? '' : tokenOf(deployment, call, browser.form_seed))
  return expected.length > 0 && sent.length === expected.length && timingSafeEqual(sent, expected)
}

/**
 * Why a form is not accepted, for its page; `null` where it is. Without the cookie of its token the browser has cookies turned off, or
 * has removed them.
 */
export function formProblem(
  deployment: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  browser: Browser,
): 'no_cookies' | 'expired_form' | null {
  if (browser.form_seed === null) return 'no_cookies'
  return isOwnForm(deployment, call, browser) ? null : 'expired_form'
}

function tokenOf({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, seed: string): string {
  return secrets.mac('form', `${call.issuer.environment_id}.${seed}`).toString('base64url')
}

/** The account of a mark. A mark becomes invalid when the email or the password changes. */
export interface MarkedAccount {
  user_id: string
  email: string
  password_hash: string | null
}

/** Marks a browser that signed in to this account. `users/attempts.ts` counts its attempts apart from those of other browsers. */
export function deviceCookie(deployment: Pick<Deployment, 'secrets' | 'random'>, call: OidcCall, account: MarkedAccount): string {
  const id = deployment.random(12).toString('base64url')
  return cookie(call, 'device', `${id}.${deviceMac(deployment, call, account, id)}`, 86_400 * 365)
}

/** The id of the mark of this browser; `null` where it has none that is valid for this account. */
export function knownDevice(
  deployment: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  browser: Browser,
  account: MarkedAccount,
): string | null {
  const [, id = '', mac = ''] = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{32})$/.exec(browser.device ?? '') ?? []
  const sent = Buffer.from(mac)
  const expected = Buffer.from(deviceMac(deployment, call, account, id))
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? id : null
}

/** A digest of the password hash is enough, because every hash has its own salt. */
function deviceMac({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, account: MarkedAccount, id: string): string {
  const { user_id, email, password_hash } = account
  const marked = JSON.stringify([call.issuer.environment_id, user_id, accountOf(email), digestOf(password_hash ?? ''), id])
  return secrets.mac('device', marked).toString('base64url').slice(0, 32)
}

/** The answer with these cookies beside those that it sets. */
export function withCookies(answer: Answer, set_cookie: readonly string[]): Answer {
  const before = [answer.headers['set-cookie'] ?? []].flat()
  return set_cookie.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...before, ...set_cookie] } }
}

/** The sessions that the cookie of a call names. */
export const sessionCookieOf = (call: OidcCall): string => cookiesOf(call).get(cookieName(call, 'session')) ?? ''

/**
 * The answer of an earlier press of the same button for a later one. `had` is the cookie of the sessions that came with the earlier press.
 * Where the browser has another one since, it learns only of a session that it does not know and that still lives, and keeps its own.
 */
export async function withSessionsOf(services: Pick<Deployment, 'db'>, call: OidcCall, answer: Answer, had: string): Promise<Answer> {
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

/** The refusal of a form that `isOwnForm` does not accept. */
export const foreign_form = refusal('form_expired', reason`The form token is missing, has expired or belongs to another browser.`)

/** The refusal of a form whose session this browser does not have. */
export const session_gone = refusal('form_expired', reason`The session of the page has ended, or does not belong to this browser.`)

export const no_cookies = refusal(
  'form_expired',
  reason`The browser sent no cookie with the form. It has cookies switched off, or removed them.`,
)

/** The refusals of `formProblem`. */
export const formRefusals = { no_cookies, expired_form: foreign_form }
