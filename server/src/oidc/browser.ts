/**
 * The cookies of a browser for one environment. Scripts cannot read them. They hold the secrets of its sessions (the current one
 * first), the seed of its form tokens, a mark of the account that signed in last, and the secret of a half sign-in.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '../base/digest.ts'
import { reason } from '../base/reason.ts'
import { refusal } from '../base/refusal.ts'
import { withoutBlanks } from '../base/text.ts'
import { type Deployment, newSecret } from '../deployment/deployment.ts'
import { longest_upstream_cookie, type most_upstream_cookies, upstream_kept_seconds } from '../providers/upstream-sign-ins.ts'
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
  /** The secret of the half sign-in that waits for a second factor. */
  readonly half: string | null
  /** The sealed sign-ins at providers that have not returned, by slot. */
  readonly upstreams: readonly (string | null)[]
  /** The browser can use passkeys, and the person has not put off the offer of one. */
  readonly takes_offers: boolean
  /** How the last sign-in in this browser began: a method, or the id of a provider. A person can have changed it. */
  readonly last_used: string | null
}

const upstream_slots = ['upstream_1', 'upstream_2'] as const satisfies { length: typeof most_upstream_cookies }

type Names = 'session' | 'form' | 'device' | 'half' | 'able' | 'later' | 'last' | (typeof upstream_slots)[number]

/**
 * The name has the id of the environment, so that no trick with paths sends a cookie to another environment. RFC 6265bis §4.1.3: browsers
 * take a cookie named __Host- only from its own host, for all of its paths.
 */
function cookieName(call: OidcCall, name: Names): string {
  const own = call.issuer.has_own_host ? '__Host-' : '__Secure-'
  const prefix = call.issuer.url.startsWith('https:') ? own : ''
  return `${prefix}ostiary_${name}_${call.issuer.environment_id}`
}

export async function readBrowser({ db }: Pick<Deployment, 'db'>, call: OidcCall): Promise<Browser> {
  const slots = upstream_slots.map((slot) => cookieName(call, slot))
  const cookies = parseCookies(header(call, 'cookie') ?? '', slots)
  const secrets = (cookies.get(cookieName(call, 'session')) ?? '').split('.').filter(isSecret).slice(0, most_sessions)
  const digests = secrets.map(digestOf)
  const rows = await findSessions(db, call.issuer.environment_id, digests)
  const known = secrets.flatMap((secret, i) => rows.filter((row) => row.token_hash === digests[i]).map((row) => ({ ...row, secret })))
  const seed = cookies.get(cookieName(call, 'form')) ?? ''
  const half = cookies.get(cookieName(call, 'half')) ?? ''
  return {
    sessions: known.filter(({ expires_at }) => expires_at > call.now),
    expired: known.filter(({ expires_at }) => expires_at <= call.now),
    form_seed: isSecret(seed) ? seed : null,
    device: cookies.get(cookieName(call, 'device')) ?? null,
    half: isSecret(half) ? half : null,
    upstreams: slots.map((slot) => cookies.get(slot) || null),
    takes_offers: cookies.has(cookieName(call, 'able')) && !cookies.has(cookieName(call, 'later')),
    last_used: cookies.get(cookieName(call, 'last')) ?? null,
  }
}

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

/** The cookie of a half sign-in; `null` removes it. */
export const halfCookie = (call: OidcCall, secret: string | null): string => cookie(call, 'half', secret ?? '', secret === null ? 0 : 600)

/** The cookie of a sign-in at a provider, in one of the slots; `null` removes it. */
export const upstreamCookie = (call: OidcCall, slot: number, sealed: string | null): string =>
  cookie(call, upstream_slots[slot] ?? 'upstream_1', sealed ?? '', sealed === null ? 0 : upstream_kept_seconds)

/** A form token for this browser, and the cookie that it is bound to where the browser has none yet. */
export function formToken(
  deployment: Pick<Deployment, 'secrets' | 'random'>,
  call: OidcCall,
  browser: Browser,
): { csrf: string; set_cookie: string[] } {
  const seed = browser.form_seed ?? newSecret(deployment)
  return { csrf: tokenOf(deployment, call, seed), set_cookie: browser.form_seed === null ? [cookie(call, 'form', seed, 86_400 * 30)] : [] }
}

/**
 * Reports whether a form was sent from a page of this issuer in this browser. It checks the form token, and Origin and Sec-Fetch-Site
 * where the browser sends them.
 */
export function isOwnForm(deployment: Pick<Deployment, 'secrets'>, call: OidcCall, browser: Browser): boolean {
  const origin = header(call, 'origin')
  const site = header(call, 'sec-fetch-site')
  if (origin !== undefined && origin !== new URL(call.issuer.url).origin) return false
  if (site !== undefined && site !== 'same-origin') return false
  const sent = Buffer.from(call.form?.get('csrf') ?? '')
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
