// pure
/**
 * The cookies of the dashboard. Scripts cannot read them. The session cookie is sent only with requests of the dashboard itself
 * (SameSite=Strict). That of a sign-in must also come with the redirect from the issuer, behind which an identity provider on another
 * site may be, so it is SameSite=Lax; it is accepted at the callback only.
 */
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { withoutBlanks } from '../../base/text.ts'

/** RFC 6265bis §4.1.3.1: a browser takes `__Secure-` only with `Secure`, over https. */
const prefixed = (base_url: string, name: string) => (base_url.startsWith('https:') ? `__Secure-${name}` : name)

const sessionName = (base_url: string) => prefixed(base_url, 'ostiary_dashboard')

/** Each sign-in has its own cookie, so that two tabs can sign in at the same time. */
const signInName = (base_url: string, id: string) => prefixed(base_url, `ostiary_dashboard_sign_in_${id}`)

const longest_header = 65_536

/** The value of the first cookie of this name; `null` if there is none, or one that this service cannot have set. */
function findCookie(header: string | undefined, name: string): string | null {
  if (header === undefined || header.length > longest_header) return null
  const pair = header
    .split(';')
    .map(withoutBlanks)
    .find((each) => each.startsWith(`${name}=`))
  const value = pair?.slice(name.length + 1)
  return value !== undefined && /^[A-Za-z0-9_.-]+$/.test(value) ? value : null
}

const attributes = (base_url: string) => `HttpOnly${base_url.startsWith('https:') ? '; Secure' : ''}`

/** The browser may keep it for longer than the session lives, which the database decides. */
const session_kept_seconds = 86_400

export function dashboardSessionCookie(base_url: string, secret: string | null): string {
  const life = secret === null ? 0 : session_kept_seconds
  return `${sessionName(base_url)}=${secret ?? ''}; Path=/dashboard; Max-Age=${life}; ${attributes(base_url)}; SameSite=Strict`
}

export function readSessionCookie(base_url: string, header: string | undefined): string | null {
  const value = findCookie(header, sessionName(base_url))
  return value !== null && isSecret(value) ? value : null
}

const isSecret = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text)

export interface SignInCookie {
  readonly secret: string
  readonly return_to: string
}

/** A person may take this long to sign in. */
const sign_in_kept_seconds = 3_600

/** @param value `null` removes the cookie */
export function signInCookie(base_url: string, id: string, value: SignInCookie | null): string {
  const text = value ? `${value.secret}.${Buffer.from(value.return_to).toString('base64url')}` : ''
  const life = value ? sign_in_kept_seconds : 0
  const path = serviceRoutes.dashboardCallback.path
  return `${signInName(base_url, id)}=${text}; Path=${path}; Max-Age=${life}; ${attributes(base_url)}; SameSite=Lax`
}

export function readSignInCookie(base_url: string, header: string | undefined, id: string): SignInCookie | null {
  const [secret = '', return_to = ''] = (findCookie(header, signInName(base_url, id)) ?? '').split('.')
  return isSecret(secret) ? { secret, return_to: Buffer.from(return_to, 'base64url').toString('utf8') } : null
}
