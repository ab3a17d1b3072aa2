// pure
import type { ResponseMode } from './authorize.ts'
import { OAuthError } from './oauth-error.ts'

export type AuthorizationResponse =
  | { kind: 'redirect'; location: string }
  | { kind: 'form_post'; action: string; fields: Readonly<Record<string, string>> }

/** Where and how to answer: the members that an AuthorizationRequest and a `return_error` share. */
interface Recipient {
  redirect_uri: string
  response_mode: ResponseMode
  state: string | undefined
}

/**
 * The response to an authorization request: a code or an error.
 *
 * RFC 6749 §4.1.2, §4.1.2.1: code or error, and the state exactly as it was sent
 * RFC 9207 §2:               iss in every response, so that a client knows its issuer
 * Multiple Response Types §2.1, Form Post Response Mode §2: in the query, the fragment or a form
 */
export function authorizationResponse(to: Recipient, issuer: string, answer: { code: string } | OAuthError): AuthorizationResponse {
  const fields: Record<string, string> = { ...(answer instanceof OAuthError ? answer.toJSON() : { code: answer.code }) }
  if (to.state !== undefined) fields.state = to.state
  fields.iss = issuer

  if (to.response_mode === 'form_post') return { kind: 'form_post', action: to.redirect_uri, fields }
  if (to.response_mode === 'fragment') return { kind: 'redirect', location: `${to.redirect_uri}#${encode(fields)}` }
  return { kind: 'redirect', location: withQuery(to.redirect_uri, fields) }
}

/** RFC 6749 §3.1.2: adds to the query of a registered URI without changing a byte of it. */
export function withQuery(uri: string, fields: Readonly<Record<string, string>>): string {
  const added = encode(fields)
  if (added === '') return uri
  if (!uri.includes('?')) return `${uri}?${added}`
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`
}

/** A space becomes %20, which form decoders and URI decoders both read. */
const encode = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString().replaceAll('+', '%20')
