/**
 * What a browser carries for one environment, in cookies that no script reads: the secrets of its sessions (the current
 * one first), the seed of its form tokens, and a mark that this person signed in here before.
 */
import { timingSafeEqual } from 'node:crypto'
import { type Deployment, newSecret } from '../deployment.ts'
import { digestOf } from '../digest.ts'
import { accountOf } from '../users/attempts.ts'
import { type Answer, header, type OidcCall } from './call.ts'
import { findSessions, type SessionRow } from './store/sessions.ts'

const most_sessions = 6

export interface Browser {
  /** Living sessions, current one first, each with the secret of its cookie. */
  readonly sessions: readonly (SessionRow & { secret: string })[]
  readonly form_seed: string | null
  readonly device: string | null
}

type Names = 'session' | 'form' | 'device'

/** The environment's id is in the name, so that no path trick shows one environment another's cookie. */
function cookieName(call: OidcCall, name: Names): string {
  const secure = call.issuer.url.startsWith('https:') ? '__Secure-' : ''
  return `${secure}ostiary_${name}_${call.issuer.environment_id}`
}

export async function readBrowser({ db }: Pick<Deployment, 'db'>, call: OidcCall): Promise<Browser> {
  const cookies = parseCookies(header(call, 'cookie') ?? '')
  const secrets = (cookies.get(cookieName(call, 'session')) ?? '').split('.').filter(isSecret).slice(0, most_sessions)
  const digests = secrets.map(digestOf)
  const rows = await findSessions(db, call.issuer.environment_id, digests, call.now)
  const sessions = secrets.flatMap((secret, i) => rows.filter((row) => row.token_hash === digests[i]).map((row) => ({ ...row, secret })))
  const seed = cookies.get(cookieName(call, 'form')) ?? ''
  return { sessions, form_seed: isSecret(seed) ? seed : null, device: cookies.get(cookieName(call, 'device')) ?? null }
}

const isSecret = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

/** RFC 6265 §6.1: browsers keep at least 50 cookies a domain. */
const most_cookies = 200
/** Of ours; the longest is that of six sessions. */
const longest_cookie = 400

/** The cookies that can be ours: base64url and dots, and no longer than we make them. Of two with one name the first counts. */
function parseCookies(text: string): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of text.split(';', most_cookies)) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    const value = pair.slice(at + 1).trim()
    if (at > 0 && !cookies.has(name)) cookies.set(name, value.length <= longest_cookie && /^[A-Za-z0-9_.-]*$/.test(value) ? value : '')
  }
  return cookies
}

/** RFC 6265 §4.1: HttpOnly, SameSite=Lax, within the issuer's path; Secure wherever the issuer is https. */
function cookie(call: OidcCall, name: Names, value: string, max_age_seconds: number): string {
  const { pathname, protocol } = new URL(call.issuer.url)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${cookieName(call, name)}=${value}; Path=${pathname}; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The cookie that holds these sessions, the first one current. */
export function sessionCookie(call: OidcCall, secrets: readonly string[]): string {
  const kept = secrets.slice(0, most_sessions)
  return cookie(call, 'session', kept.join('.'), kept.length === 0 ? 0 : call.issuer.settings.sessions.absolute_ttl_seconds)
}

/** A form token for this browser, with the cookie that it is bound to where the browser has none yet. */
export function formToken(
  deployment: Pick<Deployment, 'secrets' | 'random'>,
  call: OidcCall,
  browser: Browser,
): { csrf: string; set_cookie: string[] } {
  const seed = browser.form_seed ?? newSecret(deployment)
  return { csrf: tokenOf(deployment, call, seed), set_cookie: browser.form_seed === null ? [cookie(call, 'form', seed, 86_400 * 30)] : [] }
}

/**
 * Did this form come from our own page in this browser? By its token, and by Origin and Sec-Fetch-Site where the
 * browser sends them.
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

function tokenOf({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, seed: string): string {
  return secrets.mac('form', `${call.issuer.environment_id}.${seed}`).toString('base64url')
}

/** An account as the mark of a browser names it: a mark ends when the address or the password changes. */
export interface MarkedAccount {
  user_id: string
  email: string
  password_hash: string | null
}

/** The mark of a browser that signed in to this account; see `users/attempts.ts` for its use. */
export function deviceCookie(deployment: Pick<Deployment, 'secrets' | 'random'>, call: OidcCall, account: MarkedAccount): string {
  const id = deployment.random(12).toString('base64url')
  return cookie(call, 'device', `${id}.${deviceMac(deployment, call, account, id)}`, 86_400 * 365)
}

/** The id of the mark, if it is one for this account as it is now. */
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

/** The digest of the password hash is enough: every hash has a salt of its own. */
function deviceMac({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, account: MarkedAccount, id: string): string {
  const { user_id, email, password_hash } = account
  const named = JSON.stringify([call.issuer.environment_id, user_id, accountOf(email), digestOf(password_hash ?? ''), id])
  return secrets.mac('device', named).toString('base64url').slice(0, 32)
}

export function withCookies(answer: Answer, set_cookie: readonly string[]): Answer {
  return set_cookie.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...set_cookie] } }
}
