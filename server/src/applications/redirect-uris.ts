// pure
/** Which redirect URIs an application may register, and which a request may then use. Post-logout URIs follow the same rules. */
import type { Application } from '@ostiary/contract/application.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'

interface Circumstances {
  application_type: Application['application_type']
  environment_type: EnvironmentType
  /** The service's own origin: the only one that may be `http` in Live, for a machine under one's desk. */
  base_url: string
}

/**
 * Why a URI may not be registered, in a sentence for its owner; null if it may.
 *
 * RFC 6749 §3.1.2: absolute, without fragment
 * RFC 8252 §7.1:   a private-use scheme is a reversed domain name, so it holds a dot; that alone shuts out javascript,
 *                  data, file, vbscript and their like, however they are spelt
 * RFC 8252 §7.3:   http on the loopback interface is for native applications
 * RFC 9700 §2.1:   no wildcards, since URIs are compared as exact strings
 */
export function redirectUriProblem(uri: string, { application_type, environment_type, base_url }: Circumstances): string | null {
  const spelling = spellingProblem(uri)
  if (spelling !== null) return spelling

  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?]*))?/.exec(uri) ?? []
  if (scheme === undefined)
    return 'Must be an absolute URI that begins with its scheme in lower case, such as https://app.example.com/callback.'
  if (authority?.includes('@')) return 'Must not hold user info before the host.'

  if (scheme !== 'https' && scheme !== 'http') {
    if (application_type !== 'native') return 'Must begin with https: other schemes are for native applications.'
    if (!scheme.includes('.')) return 'A private-use scheme is a reversed domain name of yours, such as com.example.app:/callback.'
    if (!uri.startsWith(`${scheme}:/`) || !URL.canParse(uri)) return 'Must have a path after the scheme, such as com.example.app:/callback.'
    return null
  }

  const url = URL.canParse(uri) ? new URL(uri) : null
  if (!url || !authority || !isSpeltOut(authority.toLowerCase(), url)) {
    return 'Must have a host in its usual form: a name in ASCII letters (an international one as xn--…), or an address in full.'
  }
  if (scheme === 'https' || environment_type === 'test' || url.origin === base_url) return null
  if (application_type === 'native' && loopbackHosts.includes(url.hostname)) return null
  return 'Live takes https only (native applications also http on 127.0.0.1, [::1] or localhost).'
}

/**
 * Is this the address of a registered URI? Byte by byte; only the port of a loopback address may vary, and only where
 * the application has that allowed.
 *
 * RFC 9700 §2.1, RFC 3986 §6.2.1: simple string comparison
 * RFC 8252 §7.3, §8.3: any port of http://127.0.0.1 and http://[::1]; localhost is a name, so it is compared as it stands
 */
export function matchesRegistered(registered: readonly string[], sent: string, allow_loopback_port: boolean): boolean {
  if (registered.includes(sent)) return true
  const portless = allow_loopback_port ? withoutLoopbackPort(sent) : null
  return portless !== null && registered.some((uri) => withoutLoopbackPort(uri) === portless)
}

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

function spellingProblem(uri: string): string | null {
  if (!/^[\x21-\x7E]+$/.test(uri))
    return 'Must hold visible ASCII characters only: no spaces, no control characters, others percent-encoded.'
  if (/[\\"<>^`{|}]/.test(uri)) return 'Must not hold any of \\ " < > ^ ` { | }.'
  if (uri.includes('#')) return 'Must not have a fragment (#).'
  if (/\*|%2a/i.test(uri)) return 'Must not hold a wildcard (*): every address is registered in full.'
  if (/%(?![0-9a-f]{2})/i.test(uri)) return 'Must have two hexadecimal digits after every %.'
  if (/%(?:[01][0-9a-f]|7f)/i.test(uri)) return 'Must not hold control characters, percent-encoded or not.'
  return null
}

/** Whether a URL reader finds the very host that is written: not 127.1, 0x7f000001, a full-width dot or an empty port. */
function isSpeltOut(authority: string, url: URL): boolean {
  return authority === url.host || authority === `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}`
}

/** A loopback URI with its port taken out, or null for any other URI. */
function withoutLoopbackPort(uri: string): string | null {
  const [, origin, port = '80', rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9][0-9]{0,4}))?((?:[/?].*)?)$/.exec(uri) ?? []
  return origin === undefined || Number(port) > 65_535 ? null : `${origin}${rest}`
}
