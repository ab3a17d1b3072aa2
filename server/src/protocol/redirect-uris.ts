// pure
/** Decides which redirect URIs an application may register and which a request may use. Post-logout URIs follow the same rules. */
import type { Application } from '@ostiary/contract/objects/application.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { Client } from './client.ts'

interface RegistrationContext {
  application_type: Application['application_type']
  environment_type: EnvironmentType
  /** The origin of this service. It is the only origin that may be `http` in Live, for a local deployment. */
  base_url: string
}

/**
 * Returns the reason why a URI cannot be registered, for the administrator; `null` if it can.
 *
 * RFC 6749 §3.1.2: absolute, without a fragment
 * RFC 8252 §7.1:   a private-use scheme is a reversed domain name, so it contains a dot; this excludes javascript, data, file,
 *                  vbscript and similar schemes, in any spelling
 * RFC 8252 §7.3:   http on the loopback interface is for native applications
 * RFC 9700 §2.1:   no wildcards, because URIs are compared as exact strings
 */
export function redirectUriProblem(uri: string, { application_type, environment_type, base_url }: RegistrationContext): string | null {
  const spelling = spellingProblem(uri)
  if (spelling !== null) return spelling

  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?]*))?/.exec(uri) ?? []
  if (scheme === undefined)
    return 'Must be an absolute URI that begins with its scheme in lower case, such as https://app.example.com/callback.'
  if (authority?.includes('@')) return 'Must not contain user info before the host.'

  if (scheme !== 'https' && scheme !== 'http') {
    if (application_type !== 'native') return 'Must begin with https: other schemes are for native applications.'
    if (!scheme.includes('.')) return 'A private-use scheme must be your domain name reversed, such as com.example.app:/callback.'
    if (!uri.startsWith(`${scheme}:/`) || !URL.canParse(uri)) return 'Must have a path after the scheme, such as com.example.app:/callback.'
    return null
  }

  const url = URL.canParse(uri) ? new URL(uri) : null
  if (!url || !authority || !isCanonicalHost(authority.toLowerCase(), url)) {
    return 'Must have a host in its canonical form: a name in ASCII (an international name as xn--…) or a complete IP address.'
  }
  if (scheme === 'https' || environment_type === 'test' || url.origin === base_url) return null
  if (application_type === 'native' && loopbackHosts.includes(url.hostname)) return null
  return 'Live accepts https only (from native applications also http on 127.0.0.1, [::1] or localhost).'
}

const uriOn = (hosts: string) => new RegExp(`^(http://(?:${hosts}))(?::([1-9][0-9]{0,4}))?((?:[/?].*)?)$`)
const on_address = uriOn(String.raw`127\.0\.0\.1|\[::1\]`)
const on_loopback_host = uriOn(String.raw`127\.0\.0\.1|\[::1\]|localhost`)

/**
 * Reports whether a URI is registered. Compares byte by byte, except that the port of a loopback address may vary if the application
 * allows it.
 *
 * RFC 9700 §2.1, RFC 3986 §6.2.1: simple string comparison
 * RFC 8252 §7.3, §8.3: any port of http://127.0.0.1 and http://[::1]; localhost is a name, so it is compared exactly
 */
export function matchesRegistered(registered: readonly string[], sent: string, allow_loopback_port: boolean): boolean {
  return allow_loopback_port ? matchesButPort(registered, sent, on_address) : registered.includes(sent)
}

/**
 * Reports whether a URI is one of those that a client publishes. Compares byte by byte, except that the port of a loopback host may vary.
 *
 * RFC 8252 §7.3: any port of http://127.0.0.1 and http://[::1]
 * We choose: any port of http://localhost too, because most clients publish that name with a port that they do not use (0183)
 */
export function matchesPublished(published: readonly string[], sent: string): boolean {
  return matchesButPort(published, sent, on_loopback_host)
}

/** Reports whether a request of the client may name this redirect URI. */
export function isRegistered(client: Client, redirect_uri: string): boolean {
  if (client.metadata) return matchesPublished(client.redirect_uris, redirect_uri)
  const may_vary_port = client.allow_loopback_port && client.application_type === 'native'
  return matchesRegistered(client.redirect_uris, redirect_uri, may_vary_port)
}

function matchesButPort(registered: readonly string[], sent: string, varies: RegExp): boolean {
  if (registered.includes(sent)) return true
  const portless = withoutPort(sent, varies)
  return portless !== null && registered.some((uri) => withoutPort(uri, varies) === portless)
}

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

function spellingProblem(uri: string): string | null {
  if (!/^[\x21-\x7E]+$/.test(uri)) return 'Must contain only visible ASCII characters. Percent-encode all others.'
  if (/[\\"<>^`{|}]/.test(uri)) return 'Must not contain any of \\ " < > ^ ` { | }.'
  if (uri.includes('#')) return 'Must not have a fragment (#).'
  if (/\*|%2a/i.test(uri)) return 'Must not contain a wildcard (*). Register every URI in full.'
  if (/%(?![0-9a-f]{2})/i.test(uri)) return 'Must have two hexadecimal digits after every %.'
  if (/%(?:[01][0-9a-f]|7f)/i.test(uri)) return 'Must not contain control characters, percent-encoded or not.'
  return null
}

/** Reports whether a URL parser returns the host as written. Excludes 127.1, 0x7f000001, a full-width dot and an empty port. */
function isCanonicalHost(authority: string, url: URL): boolean {
  return authority === url.host || authority === `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}`
}

/** Returns a loopback URI without its port, `null` for any other URI. */
function withoutPort(uri: string, pattern: RegExp): string | null {
  const [, origin, port = '80', rest] = pattern.exec(uri) ?? []
  return origin === undefined || Number(port) > 65_535 ? null : `${origin}${rest}`
}
