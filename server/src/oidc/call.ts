/**
 * The request and the answer of an OpenID Connect endpoint, as plain values. `mount.ts` connects them with the HTTP library, so that
 * endpoints depend on no framework.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Refusal, Subject } from '../base/refusal.ts'
import { withoutEnds } from '../base/typed.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Upstreams } from '../domain/providers/profile.ts'
import type { Passwords } from '../domain/users/password.ts'
import { encodedAgain } from '../http/query.ts'
import type { OAuthError } from '../protocol/oauth-error.ts'
import type { ClientDocuments } from './client-documents.ts'
import type { ClientKeys } from './client-keys.ts'
import type { Issuer } from './issuer.ts'
import type { RefusedBefore, ShownAgain } from './refused-form.ts'

export interface OidcServices extends Deployment {
  readonly passwords: Passwords
  readonly upstreams: Upstreams
  readonly client_keys: ClientKeys
  readonly client_documents: ClientDocuments
  /** The pre-registered client of command lines, which gets no code until a person presses a button; see `flow/shared/press.ts`. */
  readonly command_line_client_id: string
  /** The environment in which administrators sign in and accept invitations. */
  readonly root_environment_id: EnvironmentId
}

export interface OidcCall {
  readonly issuer: Issuer
  readonly method: string
  readonly params: Readonly<Record<string, string>>
  /** The path and query as the router saw them. */
  readonly url: string
  /** The query as it was sent, without the question mark. */
  readonly query: string
  /** The form-encoded body; `null` where it has another type or there is none. */
  readonly form: URLSearchParams | null
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly ip: string | null
  readonly request_id: string
  readonly now: Date
  /** Makes a signal that is aborted when the client disconnects. */
  readonly signal: () => AbortSignal
  /** Leaves the doorway of forms with passwords; see `hashing.ts`. */
  readonly queued?: () => void
  /** The refusal of an earlier form, as the address names it; `query` and `url` are without it. */
  readonly refused_before?: RefusedBefore | null
  /** Filled in by each step that finds out more. A refusal is recorded with it. */
  readonly subject: Subject
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
  /** Why the call does not get what it asked for. Every answer with an error has it; `mount.ts` records it. */
  readonly refusal?: Refusal
  /** The page shows what a form was refused for, and that call has the record. */
  readonly is_recorded?: true
  /** A refused form, which leads to the address of its step (`refused-form.ts`). `passing`: a limit or a failure that ends by itself. */
  readonly step?: 'refused' | 'passing'
  /** A page beside the steps. Where a form is answered with it, it gets an address of its own too. */
  readonly again?: { readonly page: 'message' | 'provider' | 'waiting'; readonly view: ShownAgain; readonly address: string | null }
}

/** An answer that refuses: a page that asks again, a redirect with an error. */
export const refused = (answer: Answer, refusal: Refusal): Answer => ({ ...answer, refusal })

export type OidcEndpoint = (services: OidcServices, call: OidcCall) => Answer | Promise<Answer>

/** The value of a header; the first one where it was sent several times. */
export function header(call: Pick<OidcCall, 'headers'>, name: string): string | undefined {
  const value = call.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** A field of the form, cut to one character more than the longest value, so that later checks take bounded time. */
export const fieldOf = (call: Pick<OidcCall, 'form'>, name: string, longest: number) => (call.form?.get(name) ?? '').slice(0, longest + 1)

/**
 * A field that a person typed, without what keyboards and pasting add around it (`base/typed.ts`). A field that was cut keeps that: without
 * it a part of what was sent could be the address or code of another person.
 */
export function typedOf(call: Pick<OidcCall, 'form'>, name: string, longest: number): string {
  const sent = fieldOf(call, name, longest)
  return sent.length > longest ? sent : withoutEnds(sent)
}

/** The longest query of a GET, in characters. It leaves room for headers. */
export const longest_query = 24_576

/** Encodes a request that was sent in a form as the query of a GET; `null` where it is too long for one. */
export function asQuery(sent: string): string | null {
  if (sent.length > 3 * longest_query) return null // three bytes for each character that is percent-encoded
  const query = encodedAgain(sent)
  return query.length > longest_query ? null : query
}

/** JSON that no cache may store (RFC 6749 §5.1). */
export function json(body: unknown): Answer {
  return { status: 200, headers: json_headers, body: JSON.stringify(body) }
}

const json_headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** The response of an endpoint that is not a page, for an error (RFC 6749 §5.2). */
export function errorJson(error: OAuthError, headers: Answer['headers'] = {}, status: number = error.status): Answer {
  return { status, headers: { ...json_headers, ...headers }, body: JSON.stringify(error), refusal: error }
}

/** 303: the next request is a GET (RFC 9110 §15.4.4). Characters that no header may contain are percent-encoded (RFC 3986 §2.1). */
export function redirect(to: string, headers: Answer['headers'] = {}): Answer {
  const location = to.toWellFormed().replaceAll(/[^\x21-\x7E]/gu, encodeURIComponent)
  return { status: 303, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}
