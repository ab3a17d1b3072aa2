// pure
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request, read once. Only what can be used stands in `values` and `lists`. */
export interface RequestParameters {
  /** Parameters sent once, with a value that is text. */
  readonly values: Readonly<Record<string, string>>
  /** Those that may repeat: every value, in order, without doubles. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly repeated: ReadonlySet<string>
  /** Names whose value holds control characters, or bytes that are no UTF-8. */
  readonly malformed: ReadonlySet<string>
}

/** NUL and its kin, and what a decoder puts where the percent-encoding was no UTF-8. No parameter of ours needs them. */
const unusable = /[\p{Cc}\p{Cs}\uFFFD]/u

/**
 * Reads query or form parameters. Never throws: who may be told of a fault, and where, is for the caller to decide.
 *
 * RFC 6749 §3.1, §3.2: a parameter without a value counts as omitted; none may be sent twice
 * RFC 8707 §2:         `resource` may be sent several times
 * We choose:           a second occurrence without a value is a repetition too, since other readers may see it first
 */
export function readParameters(search: URLSearchParams, mayRepeat: readonly string[] = ['resource']): RequestParameters {
  const values: Record<string, string> = Object.create(null)
  const lists: Record<string, readonly string[]> = Object.create(null)
  const repeated = new Set<string>()
  const malformed = new Set<string>()

  for (const [name, sent] of Map.groupBy(search, ([name]) => name)) {
    const given = [...new Set(sent.map(([, value]) => value))].filter((value) => value !== '')
    const [only] = given
    if (given.some((value) => unusable.test(value)) || unusable.test(name)) malformed.add(name)
    else if (mayRepeat.includes(name)) lists[name] = given
    else if (sent.length > 1) repeated.add(name)
    else if (only !== undefined) values[name] = only
  }
  return { values, lists, repeated, malformed }
}

/** RFC 6749 §4.1.2.1, §5.2: a repeated or unreadable parameter is `invalid_request`. */
export function refuseUnreadable({ repeated, malformed }: RequestParameters): void {
  for (const name of repeated) throw new OAuthError('invalid_request', `${name} was sent more than once.`)
  for (const name of malformed) throw new OAuthError('invalid_request', `${name} holds control characters or is no UTF-8.`)
}

/** RFC 6749 §5.2: a request that lacks a required parameter is `invalid_request`. */
export function requireParameter(parameters: RequestParameters, name: string): string {
  const value = parameters.values[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
