// pure

import { oneOf, reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. `values` and `lists` have the usable ones. */
export interface RequestParameters {
  /** Parameters sent once, with a value that is text. */
  readonly values: Readonly<Record<string, string>>
  /** Parameters that may repeat: every value, in order, without duplicates. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly repeated: ReadonlySet<string>
  /** Names of parameters with control characters, or bytes that are not UTF-8. */
  readonly malformed: ReadonlySet<string>
}

const requiredNames = ['grant_type', 'code', 'refresh_token', 'token'] as const
type ParameterName = (typeof requiredNames)[number]

/** Control characters, and the character that a decoder writes for bytes that are not UTF-8. No parameter needs them. */
const unusable = /[\p{Cc}\p{Cs}\uFFFD]/u

/**
 * Reads query or form parameters. It never throws: the caller decides where to report a fault.
 *
 * RFC 6749 §3.1, §3.2: a parameter without a value is treated as omitted; none may be sent twice
 * RFC 8707 §2:         `resource` may be sent several times
 * We choose:           a second occurrence without a value is a repetition too, because other parsers may use it
 */
export function readParameters(search: Iterable<[string, string]>, mayRepeat: readonly string[] = ['resource']): RequestParameters {
  const values: Record<string, string> = Object.create(null)
  const lists: Record<string, readonly string[]> = Object.create(null)
  const repeated = new Set<string>()
  const malformed = new Set<string>()

  for (const [name, sent] of Map.groupBy(search, ([name]) => name)) {
    const distinct = [...new Set(sent.map(([, value]) => value))].filter((value) => value !== '')
    const [only] = distinct
    if (distinct.some((value) => unusable.test(value)) || unusable.test(name)) malformed.add(name)
    else if (mayRepeat.includes(name)) lists[name] = distinct
    else if (sent.length > 1) repeated.add(name)
    else if (only !== undefined) values[name] = only
  }
  return { values, lists, repeated, malformed }
}

/** The parameters that this service reads. A reason names no other, because its name could be anything. */
const parameterNames = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'response_mode', 'prompt', 'max_age', 'login_hint'],
  ...['id_token_hint', 'ui_locales', 'acr_values', 'display', 'claims', 'request', 'request_uri', 'registration', 'resource'],
  ...['code_challenge', 'code_challenge_method', 'code_verifier', 'client_secret', 'client_assertion', 'client_assertion_type'],
  ...['token_type_hint', 'post_logout_redirect_uri', 'logout_hint', 'organization'],
  ...requiredNames,
]

/** RFC 6749 §4.1.2.1, §5.2: a repeated or unreadable parameter is `invalid_request`. */
export function refuseUnreadable({ repeated, malformed }: RequestParameters): void {
  for (const name of repeated)
    throw new OAuthError('invalid_request', `${name} was sent more than once.`, {
      reason: reason`${oneOf(parameterNames, name, 'An unknown parameter')} was sent more than once.`,
    })
  for (const name of malformed)
    throw new OAuthError('invalid_request', `${name} holds control characters or is not UTF-8.`, {
      reason: reason`${oneOf(parameterNames, name, 'An unknown parameter')} holds control characters or is not UTF-8.`,
    })
}

/** RFC 6749 §5.2: a request that lacks a required parameter is `invalid_request`. */
export function requireParameter(parameters: RequestParameters, name: ParameterName): string {
  const value = parameters.values[name]
  if (value === undefined) throw new OAuthError('invalid_request', reason`${name} is missing.`)
  return value
}
