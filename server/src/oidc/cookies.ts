/** The cookies of an issuer: their names, how they are read and how they are set. Scripts cannot read them. */
import { withoutBlanks } from '../base/text.ts'
import { longest_upstream_cookie, type most_upstream_cookies, upstream_kept_seconds } from '../domain/providers/upstream-sign-ins.ts'
import { type Answer, header, type OidcCall } from './call.ts'

const upstream_slots = ['upstream_1', 'upstream_2'] as const satisfies { length: typeof most_upstream_cookies }

/**
 * Each half sign-in has a cookie of its own, so that one tab does not end the attempt of another. So has each load of a page without a form
 * cookie: tabs that load at once do not replace the cookies of each other (decision 0155).
 */
type Names =
  | 'session'
  | { form: string }
  | 'device'
  | 'able'
  | 'later'
  | 'tried'
  | 'last'
  | 'language'
  | 'signed_out'
  | { attempt: string }
  | { trusted: string }
  | { refused: string }
  | (typeof upstream_slots)[number]

/**
 * The name has the id of the environment, so that no trick with paths sends a cookie to another environment. RFC 6265bis §4.1.3: browsers
 * take a cookie named __Host- only from its own host, for all of its paths.
 */
export function cookieName(call: Pick<OidcCall, 'issuer'>, name: Names): string {
  const own = call.issuer.has_own_host ? '__Host-' : '__Secure-'
  const prefix = call.issuer.url.startsWith('https:') ? own : ''
  const { environment_id } = call.issuer
  return `${prefix}ostiary_${typeof name === 'string' ? `${name}_${environment_id}` : ownName(environment_id, name)}`
}

function ownName(environment_id: string, name: Exclude<Names, string>): string {
  if ('attempt' in name) return `half_${environment_id}_${name.attempt}`
  if ('trusted' in name) return `trusted_${environment_id}_${name.trusted}`
  if ('refused' in name) return `refused_${environment_id}_${name.refused}`
  return name.form === '' ? `form_${environment_id}` : `form_${environment_id}_${name.form}`
}

export const upstreamNames = (call: Pick<OidcCall, 'issuer'>): string[] => upstream_slots.map((slot) => cookieName(call, slot))

export const cookiesOf = (call: Pick<OidcCall, 'issuer' | 'headers'>) =>
  parseCookies(header(call, 'cookie') ?? '', [...upstreamNames(call), cookieName(call, 'signed_out')], cookieName(call, { refused: '' }))

/** RFC 6265 §6.1: browsers store at least 50 cookies for a domain. */
const most_cookies = 200
/** In characters. The longest cookie of this service, beside those of sign-ins at providers, contains six sessions. */
const longest_cookie = 400

/** Reads cookies; a value that this service cannot have set is read as empty. Of two cookies with one name the first is used. */
function parseCookies(text: string, long: readonly string[], also_long: string): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of text.split(';', most_cookies)) {
    const at = pair.indexOf('=')
    const name = withoutBlanks(pair.slice(0, at))
    const value = withoutBlanks(pair.slice(at + 1))
    const longest = long.includes(name) || name.startsWith(also_long) ? longest_upstream_cookie : longest_cookie
    if (at > 0 && !cookies.has(name)) cookies.set(name, value.length <= longest && /^[A-Za-z0-9_.-]*$/.test(value) ? value : '')
  }
  return cookies
}

/** RFC 6265 §4.1: HttpOnly, SameSite=Lax, limited to the path of the issuer, and Secure where the issuer is https. */
export function cookie(call: OidcCall, name: Names, value: string, max_age_seconds: number): string {
  const { pathname, protocol } = new URL(call.issuer.url)
  const secure = protocol === 'https:' ? '; Secure' : ''
  return `${cookieName(call, name)}=${value}; Path=${pathname}; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** Set by the script of the sign-in page, not by an answer: the browser can use passkeys. It is not a secret and gives no access. */
export const ableCookie = (call: OidcCall): string => cookie(call, 'able', '1', 86_400).replace('; HttpOnly', '')

/** The value of that cookie where the browser can also create a passkey by itself. */
export const able_to_create = '2'

/**
 * The browser was asked to create a passkey by itself. After a failure the sign-ins of a day do not ask again. Where it is settled those of 60 days
 * do not: a passkey that the person removed does not come back the next day, and nobody waits each day for a browser that never answers.
 */
export const triedCookie = (call: OidcCall, is_settled: boolean): string => cookie(call, 'tried', '1', 86_400 * (is_settled ? 60 : 1))

/** The person put off the offer of a passkey, on this device and for this long. */
export const laterCookie = (call: OidcCall): string => cookie(call, 'later', '1', 86_400 * 60)

/** Remembers on this device how a sign-in began, for the sign-in page. It says nothing about an account. */
export const lastUsedCookie = (call: OidcCall, method: string): string => cookie(call, 'last', method, 86_400 * 365)

/** The language that the person chose on a page. */
export const languageCookie = (call: OidcCall, locale: string): string => cookie(call, 'language', locale, 86_400 * 365)

/** The cookie of a sign-in at a provider, in one of the slots; `null` removes it. */
export const upstreamCookie = (call: OidcCall, slot: number, sealed: string | null): string =>
  cookie(call, upstream_slots[slot] ?? 'upstream_1', sealed ?? '', sealed === null ? 0 : upstream_kept_seconds)

/** The cookie of a sign-out that leads through a provider; `null` removes it. */
export const signedOutCookieOf = (call: OidcCall, sealed: string | null): string =>
  cookie(call, 'signed_out', sealed ?? '', sealed === null ? 0 : upstream_kept_seconds)

/** The answer with these cookies beside those that it sets. */
export function withCookies(answer: Answer, set_cookie: readonly string[]): Answer {
  const before = [answer.headers['set-cookie'] ?? []].flat()
  return set_cookie.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...before, ...set_cookie] } }
}
