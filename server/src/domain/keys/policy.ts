// pure
/** Decides who may use an existing key (origin, source address, scope, expiry) and which restrictions a key may have. */
import type { ApiKey } from '@ostiary/contract/api-key.ts'
import { type PlatformScope, platformScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { isWithin, parseAddress, parseNetwork } from '../../base/networks.ts'

/** Compares origins byte by byte (RFC 6454 §6.2). A missing header and an opaque origin (`null`) are never allowed. */
export function originAllowed(allowed_origins: readonly string[], origin: string | undefined): boolean {
  return origin !== undefined && origin !== 'null' && allowed_origins.includes(origin)
}

/** An empty list allows every address. Any other list refuses an unknown address (`null`). */
export function ipAllowed(ip_allowlist: readonly string[], ip: string | null): boolean {
  if (ip_allowlist.length === 0) return true
  const address = parseAddress(ip ?? '')
  const networks = ip_allowlist.map(parseNetwork).filter((network) => typeof network !== 'string')
  return address !== null && isWithin(address, networks)
}

/** `*` covers every operation, present and future. `write` does not imply `read`. */
export function scopesAllow(key_scopes: readonly (PlatformScope | '*')[], needed: PlatformScope): boolean {
  return key_scopes.includes('*') || key_scopes.includes(needed)
}

/** Lists the allowed scopes once each, in the order of `contract/src/scopes.ts`. Expands `*` to the scopes that exist today. */
export function effectiveScopes(key_scopes: readonly (PlatformScope | '*')[]): PlatformScope[] {
  return platformScopes.filter((scope) => scopesAllow(key_scopes, scope))
}

/** A key ends exactly at `expires_at`. A revoked key is never usable, whatever the time in `revoked_at`. */
export function keyIsUsable(key: { revoked_at: Date | string | null; expires_at: Date | string | null }, now: Date): boolean {
  if (key.revoked_at !== null) return false
  return key.expires_at === null || new Date(key.expires_at) > now
}

/** Returns the problem of an entry of an IP allowlist, or `null`. */
export function ipAllowlistProblem(entry: string): string | null {
  const network = parseNetwork(entry)
  return typeof network === 'string' ? network : null
}

/**
 * Returns the problem of an allowed origin, or `null`. Only the exact text that a browser sends can match.
 *
 * RFC 6454 §6.2: scheme, host in lower case and punycode, and the port only if it is not the scheme's default
 * Our rule:      Live allows only `https`, except for the origin of this service
 */
export function originProblem(origin: string, environment_type: EnvironmentType, base_url: string): string | null {
  if (origin.includes('*')) return 'Wildcards are not accepted. List every origin.'
  const serialised = serialisationOf(origin)
  if (serialised === null) return 'Expected an exact origin such as https://app.example.com: scheme, host and port, nothing else.'
  if (serialised !== origin) return `Expected an exact origin: scheme, host and port, nothing else. Write ${serialised}`
  if (environment_type === 'live' && !origin.startsWith('https://') && origin !== base_url)
    return 'In Live an origin must begin with https://.'
  return null
}

function serialisationOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  return new URL(text).origin
}

/** Returns the rate limit of a key, or the default: generous in Live, enough for development in Test. */
export function rateLimitOf(key: Pick<ApiKey, 'rate_limit' | 'environment_type'>): NonNullable<ApiKey['rate_limit']> {
  return key.rate_limit ?? { limit: key.environment_type === 'test' ? 100 : 1_000, window_seconds: 10 }
}
