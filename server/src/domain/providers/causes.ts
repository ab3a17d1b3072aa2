/** Says in words of ours where a sign-in at a provider failed. `openid-client` reports it in errors of many kinds. */
import type { ProviderCause } from '@ostiary/contract/objects/provider.ts'
import * as client from 'openid-client'
import { oneOf, type Reason, reason } from '../../base/reason.ts'
import { OutboundFailed } from '../../deployment/outbound/fetch.ts'
import { UpstreamFailed, type UpstreamFailure } from './profile.ts'

/** How far a sign-in or a check has come: the last endpoint that was called, and its status. */
export interface Progress {
  at: 'metadata' | 'callback' | 'token' | 'keys' | 'userinfo'
  status: number | null
  /** GitHub answers 200 with an error of its own for a wrong secret and for a wrong code alike. */
  is_oidc: boolean
  /** How long each call may take. */
  timeout_ms: number
}

const places = {
  metadata: 'metadata',
  callback: 'authorization endpoint',
  token: 'token endpoint',
  keys: 'address of the keys',
  userinfo: 'UserInfo endpoint',
} as const

/** RFC 6749 §4.1.2.1 and §5.2, OIDC Core §3.1.2.6. */
const standard_errors = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'],
  ...['access_denied', 'unsupported_response_type', 'server_error', 'temporarily_unavailable', 'login_required', 'consent_required'],
  ...['interaction_required', 'account_selection_required', 'request_not_supported', 'request_uri_not_supported'],
]
/** Errors of the token endpoint that a browser causes by a code of its own. */
const errors_of_codes = ['invalid_grant', 'invalid_request']

const answers: Record<Progress['at'], [cause: ProviderCause, detail: Reason]> = {
  metadata: ['metadata', reason`The answer at .well-known/openid-configuration below the issuer has no metadata of an OpenID Provider.`],
  callback: ['metadata', reason`The request to the provider cannot be made from its metadata and settings.`],
  token: ['id_token', reason`The answer of the token endpoint has no valid ID token: signature, issuer, audience, time or nonce.`],
  keys: ['keys', reason`The keys of the provider cannot be read, or none of them signed the ID token.`],
  userinfo: ['userinfo', reason`The claims of the provider cannot be used.`],
}

/** Turns every error that the other server can cause into `UpstreamFailed`. Any other is thrown as it is. */
export async function orFail<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UpstreamFailed) throw error
    const is_theirs =
      error instanceof client.ClientError ||
      error instanceof client.ResponseBodyError ||
      error instanceof client.AuthorizationResponseError ||
      error instanceof client.WWWAuthenticateChallengeError ||
      error instanceof OutboundFailed ||
      error instanceof TypeError
    if (!is_theirs) throw error
    const failure = failureOf(error, progress)
    const is_checked = (progress.at === 'metadata' || progress.at === 'keys') && failure.cause !== 'id_token'
    throw new UpstreamFailed({ ...failure, is_checked }, { cause: error })
  }
}

function failureOf(error: Error, { at, status, is_oidc }: Progress): UpstreamFailure {
  const outbound = causesOf(error).find((one) => one instanceof OutboundFailed)
  if (outbound) return unreachable(outbound, at)
  if (error instanceof client.AuthorizationResponseError) return { ...rejected(error.error, at), by_browser: true }
  if (at === 'callback')
    return { cause: 'issuer_mismatch', detail: reason`The answer that the browser brought is not of this provider.`, by_browser: true }
  if (at === 'token' && !is_oidc && status === 200)
    return {
      cause: 'client_rejected',
      detail: reason`The token endpoint of the provider refused the client or the code.`,
      by_browser: true,
    }
  if (at === 'token' && error instanceof client.ResponseBodyError)
    return { ...rejected(error.error, at), by_browser: errors_of_codes.includes(error.error) }
  if (at === 'token' && error instanceof client.WWWAuthenticateChallengeError) return rejected('invalid_client', at)
  if (at === 'metadata' && codeOf(error) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return { cause: 'issuer_mismatch', detail: reason`The metadata names another issuer than the provider has here.` }
  if (at !== 'userinfo' && status !== null && status !== 200)
    return { cause: 'status', detail: reason`The ${places[at]} of the provider answered with the status ${status}.` }
  const [cause, detail] = codeOf(error) === 'OAUTH_KEY_SELECTION_FAILED' ? answers.keys : validated(error, at)
  return { cause, detail, by_browser: isOtherNonce(error) }
}

/** The keys are read last: what fails after them is the signature that they verify. */
const validated = (error: Error, at: Progress['at']) =>
  answers[at === 'keys' && causesOf(error).some(({ message }) => /signature/.test(message)) ? 'token' : at]

/** A browser can bring the code of another attempt, whose ID token has the nonce of that one. */
const isOtherNonce = (error: Error) =>
  causesOf(error).some(({ cause }) => typeof cause === 'object' && cause !== null && 'claim' in cause && cause.claim === 'nonce')

const rejected = (error: string, at: Progress['at']): UpstreamFailure => ({
  cause: 'client_rejected',
  detail: reason`The ${places[at]} of the provider refused the client with the error ${oneOf(standard_errors, error, 'of another name')}.`,
})

/** After the connection only the endpoint is named, so that nothing of what answered shows. */
function unreachable({ step }: OutboundFailed, at: Progress['at']): UpstreamFailure {
  const place = places[at]
  switch (step) {
    case 'dns':
      return { cause: step, detail: reason`The host of the ${place} has no address.` }
    case 'refused':
      return { cause: step, detail: reason`Nothing accepts connections at the host and port of the ${place}.` }
    case 'tls':
      return { cause: step, detail: reason`The ${place} has no certificate that this service trusts, or speaks no TLS.` }
    case 'timeout':
      return { cause: step, detail: reason`The ${place} did not answer in time.` }
    case 'address_not_allowed':
      return { cause: step, detail: reason`The host of the ${place} has an address that outgoing calls may not reach.` }
    case 'proxy':
      return { cause: step, detail: reason`The egress proxy made no connection to the ${place}.` }
    case null: {
      const [cause, detail] = answers[at]
      return { cause, detail }
    }
  }
}

const codeOf = (error: Error) => causesOf(error).flatMap((one) => ('code' in one && typeof one.code === 'string' ? [one.code] : []))[0]

/** The error and its causes, the outermost first. */
function causesOf(error: Error): Error[] {
  const found: Error[] = []
  for (let one: unknown = error; one instanceof Error && found.length < 5; one = one.cause) found.push(one)
  return found
}
