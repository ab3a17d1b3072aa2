// pure
import { timingSafeEqual } from 'node:crypto'
import { most_client_secrets } from '@ostiary/contract/client-secret.ts'
import type { Remedy } from '@ostiary/contract/refused-call.ts'
import { digestOf } from '../base/digest.ts'
import { type Reason, reason } from '../base/reason.ts'
import { type Client, type StoredSecret, sentIdOf } from './client.ts'
import { longest_assertion } from './client-assertion.ts'
import { OAuthError } from './oauth-error.ts'
import { type RequestParameters, refuseUnreadable } from './parameters.ts'

export type ClientCredentials = { client_id: string; used_header: boolean } & (
  | { method: 'none' }
  | { method: 'client_secret_basic' | 'client_secret_post'; client_secret: string }
  | { method: 'private_key_jwt'; client_assertion: string }
)

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Reads the credentials of a client at the token and revocation endpoints. `checkClient` verifies them.
 *
 * RFC 6749 §2.3:   one method per request
 * RFC 6749 §2.3.1: Basic, or client_id and client_secret in the body
 * RFC 7523 §2.2:   a signed assertion; without client_id in the body its `sub` names the client
 */
export function readClientCredentials(authorization: string | undefined, parameters: RequestParameters): ClientCredentials {
  refuseUnreadable(parameters)
  const { client_id, client_secret, client_assertion, client_assertion_type } = parameters.values
  if ([authorization, client_secret, client_assertion].filter((sent) => sent !== undefined).length > 1) {
    throw new OAuthError('invalid_request', 'The client authenticates in more than one way. Use one.')
  }

  if (authorization !== undefined) {
    const credentials = readBasic(authorization)
    if (client_id !== undefined && client_id !== credentials.client_id) {
      throw new OAuthError('invalid_request', 'client_id differs from the one in the Authorization header.')
    }
    return credentials
  }
  if (client_assertion !== undefined || client_assertion_type !== undefined) {
    if (client_assertion_type !== assertionType) throw new OAuthError('invalid_request', `client_assertion_type must be ${assertionType}.`)
    if (client_assertion === undefined) throw new OAuthError('invalid_request', 'client_assertion is missing.')
    return { method: 'private_key_jwt', client_id: client_id ?? claimedSubject(client_assertion), client_assertion, used_header: false }
  }
  if (client_id === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  if (client_secret !== undefined) return { method: 'client_secret_post', client_id, client_secret, used_header: false }
  return { method: 'none', client_id, used_header: false }
}

/** An authenticated client, or a client whose assertion is still to be verified with its keys. */
export type ClientVerdict =
  | { kind: 'authenticated'; client: Client; secret: StoredSecret | null }
  | { kind: 'verify_assertion'; client: Client; client_assertion: string }

/**
 * Verifies the identity of a client by its own method. The text and time of the error are the same for an unknown client and a wrong
 * secret.
 *
 * @throws OAuthError `invalid_client`
 *
 * RFC 6749 §5.2:   unknown client, no authentication, or a method other than the client's: invalid_client
 * RFC 6749 §2.3.1: a public client has no secret to send
 * We choose:       the refused call names `client_secret` as the remedy only to the right secret, so that nobody else can plant the advice
 */
export function checkClient(client: Client | null, credentials: ClientCredentials, now: Date): ClientVerdict {
  const { used_header } = credentials
  const refusal = (description: string, why: Reason, remedy: Remedy | null = null) =>
    new OAuthError('invalid_client', description, { used_header, reason: why, remedy })
  const failed = (why: Reason) => refusal('Client authentication failed.', why)
  const sent_secret = 'client_secret' in credentials ? credentials.client_secret : ''
  const secret = findSecret(sent_secret, client?.client_secrets ?? [])
  const is_expired = secret !== null && secret.expires_at !== null && secret.expires_at <= now
  const secret_matches = secret !== null && !is_expired

  if (!client || sentIdOf(client) !== credentials.client_id)
    throw failed(reason`No application of the environment has the client_id that was sent.`)
  if (client.disabled) throw failed(reason`The application is disabled.`)
  if (!accepts(client.token_endpoint_auth_method, credentials.method)) {
    if (client.token_endpoint_auth_method === 'none')
      throw refusal('A public client sends client_id only.', reason`The application is public, and a secret was sent.`)
    const text = reason`This application authenticates with ${client.token_endpoint_auth_method}, not with ${credentials.method}.`
    throw refusal(text, text, secret_matches ? { token_endpoint_auth_method: 'client_secret' } : null)
  }
  if (credentials.method === 'private_key_jwt') return { kind: 'verify_assertion', client, client_assertion: credentials.client_assertion }
  if (credentials.method === 'none') return { kind: 'authenticated', client, secret: null }
  if (is_expired) throw failed(reason`The client_secret has expired.`)
  if (!secret) throw failed(reason`The client_secret is wrong, or it was rotated or deleted.`)
  return { kind: 'authenticated', client, secret }
}

/** RFC 6749 §2.3, §2.3.1: the secret is in one place, which `client_secret` leaves to the client. */
const accepts = (own: Client['token_endpoint_auth_method'], used: ClientCredentials['method']) =>
  own === used || (own === 'client_secret' && (used === 'client_secret_basic' || used === 'client_secret_post'))

const no_hash = '0'.repeat(64)

/** Compares digests in constant time, the same number of them for every client. */
function findSecret(sent: string, secrets: readonly StoredSecret[]): StoredSecret | null {
  const actual = Buffer.from(digestOf(sent), 'hex')
  const isOf = (hash: string) => {
    const expected = Buffer.from(hash, 'hex')
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  }
  const matches = Array.from({ length: most_client_secrets }, (_, i) => isOf(secrets[i]?.hash ?? no_hash))
  return secrets[matches.indexOf(true)] ?? null
}

/** RFC 7617 §2, RFC 6749 §2.3.1: `Basic` base64(id:secret), both form-urlencoded first. An empty secret means the method `none`. */
function readBasic(authorization: string): ClientCredentials {
  const malformed = () => new OAuthError('invalid_client', 'The Authorization header is not well-formed Basic.', { used_header: true })
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? []
  if (token === undefined) throw malformed()

  const text = Buffer.from(token, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const client_id = formDecoded(text.slice(0, Math.max(colon, 0)))
  const client_secret = formDecoded(text.slice(colon + 1))
  if (client_id === null || client_id === '' || client_secret === null) throw malformed()
  if (client_secret === '') return { method: 'none', client_id, used_header: true }
  return { method: 'client_secret_basic', client_id, client_secret, used_header: true }
}

/** The decoded text; null for broken percent-encoding and control characters. */
function formDecoded(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return /[\p{Cc}\p{Cs}\uFFFD]/u.test(decoded) ? null : decoded
  } catch {
    return null
  }
}

function claimedSubject(client_assertion: string): string {
  if (client_assertion.length > longest_assertion) throw new OAuthError('invalid_client', 'client_assertion is too long.')
  try {
    const payload: unknown = JSON.parse(Buffer.from(client_assertion.split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (typeof payload === 'object' && payload !== null && 'sub' in payload && typeof payload.sub === 'string') return payload.sub
  } catch {
    // not JSON: refused below, like any assertion that names no client
  }
  throw new OAuthError('invalid_client', 'client_assertion names no client.')
}
