/** The metadata of a provider (OpenID Connect Discovery 1.0 §3), as far as the service reads it: typed values, or why one cannot be used. */
import type { ServerMetadata } from 'openid-client'
import { isHttpLoopback } from '../../base/addresses.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { UpstreamFailed } from './profile.ts'

type Endpoint = 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri' | 'userinfo_endpoint' | 'end_session_endpoint'

/** `undefined` where the metadata has none. */
type Member<T> = T | { problem: Reason } | undefined

export type ProviderMetadata = Readonly<Record<Endpoint, Member<string>>> & {
  issuer: string
  algorithms: Member<readonly string[]>
  names_issuer: Member<boolean>
}

/** In characters. We choose: as long as any address that browsers and servers take. */
const longest_endpoint = 2_000
const most_algorithms = 50

/** @param issuer the configured one, which `document` names too */
export function readMetadata(issuer: string, document: Readonly<Record<string, unknown>>): ProviderMetadata {
  const endpoint = (name: Endpoint) => endpointOf(issuer, name, document[name])
  return {
    issuer: typeof document.issuer === 'string' ? document.issuer : issuer,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    jwks_uri: endpoint('jwks_uri'),
    userinfo_endpoint: endpoint('userinfo_endpoint'),
    end_session_endpoint: endpoint('end_session_endpoint'),
    algorithms: algorithmsOf(document.id_token_signing_alg_values_supported),
    names_issuer: namesIssuer(document.authorization_response_iss_parameter_supported),
  }
}

/**
 * RFC 8414 §2, OIDC Discovery §3: an absolute URL with https. We choose: plain http only from a provider on this machine to this machine
 * RFC 6749 §3.1, §3.2: no fragment. RFC 9110 §4.2.4: no user info
 */
function endpointOf(issuer: string, name: Endpoint, value: unknown): Member<string> {
  if (value === undefined || value === null) return undefined
  const bad = (problem: Reason) => ({ problem: reason`${name} of the metadata ${problem}` })
  if (typeof value !== 'string') return bad(reason`must be a text.`)
  if (value.length > longest_endpoint) return bad(reason`is longer than ${longest_endpoint} characters.`)
  const url = /^https?:\/\/[^/?#\\]/i.test(value) && /^[\x21-\x7E]+$/.test(value) ? URL.parse(value) : null
  if (!url) return bad(reason`must be an absolute URL with https and a host.`)
  if (url.username !== '' || url.password !== '') return bad(reason`has user info before its host.`)
  if (value.includes('#')) return bad(reason`has a fragment.`)
  if (url.protocol !== 'https:' && !isLocal(issuer, url)) return bad(reason`does not begin with https.`)
  return url.href
}

function algorithmsOf(value: unknown): Member<readonly string[]> {
  if (value === undefined || value === null) return undefined
  const is_list = Array.isArray(value) && value.length <= most_algorithms && value.every((one) => typeof one === 'string')
  return is_list ? value : { problem: reason`id_token_signing_alg_values_supported of the metadata must be a list of names.` }
}

function namesIssuer(value: unknown): Member<boolean> {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
  return { problem: reason`authorization_response_iss_parameter_supported of the metadata is neither true nor false.` }
}

/** Plain http is for a provider on this machine alone, and then only to this machine, whatever its metadata names. */
export const isLocal = (issuer: string, url: URL) => isHttpLoopback(new URL(issuer)) && isHttpLoopback(url)

/** The address of an endpoint that is needed. @throws UpstreamFailed */
export function need(metadata: ProviderMetadata, name: Endpoint): string {
  return usable(metadata[name]) ?? fail(reason`The metadata has no ${name}.`)
}

/** The address of an endpoint that can be missing. @throws UpstreamFailed for one that is there and cannot be used */
export const optional = (metadata: ProviderMetadata, name: Endpoint): string | undefined => usable(metadata[name])

/** Returns the metadata that a sign-in needs, as `openid-client` expects it. @throws UpstreamFailed */
export function forSignIn(metadata: ProviderMetadata): ServerMetadata {
  const userinfo_endpoint = optional(metadata, 'userinfo_endpoint')
  const algorithms = usable(metadata.algorithms)
  const names_issuer = usable(metadata.names_issuer)
  return {
    issuer: metadata.issuer,
    authorization_endpoint: need(metadata, 'authorization_endpoint'),
    token_endpoint: need(metadata, 'token_endpoint'),
    jwks_uri: need(metadata, 'jwks_uri'),
    ...(userinfo_endpoint !== undefined && { userinfo_endpoint }),
    ...(algorithms !== undefined && { id_token_signing_alg_values_supported: [...algorithms] }),
    ...(names_issuer !== undefined && { authorization_response_iss_parameter_supported: names_issuer }),
  }
}

function usable<T extends string | boolean | readonly string[]>(member: Member<T>): T | undefined {
  return typeof member === 'object' && 'problem' in member ? fail(member.problem) : member
}

function fail(detail: Reason): never {
  throw new UpstreamFailed({ cause: 'metadata', detail, is_checked: true })
}
