/** The error of every call that has no answer of success. */
import type { ErrorCode } from './generated/types.ts'

/**
 * Errors that the service does not send.
 *
 * network_error      there is no answer: the connection failed or broke
 * timed_out          an attempt took longer than `timeout_ms`
 * unexpected_answer  the answer is not from the API, such as the error page of a proxy
 */
export type ClientErrorCode = 'network_error' | 'timed_out' | 'unexpected_answer'

export interface RefusedField {
  /** A JSON pointer (RFC 6901). */
  pointer: string
  code: string
  detail: string
}

export interface Failure {
  status: number
  code: ErrorCode | ClientErrorCode
  detail: string
  request_id?: string | null
  errors?: readonly RefusedField[]
  required_scopes?: readonly string[]
  max_age?: number | null
  retry_after_seconds?: number | null
}

export class OstiaryError extends Error {
  override readonly name = 'OstiaryError'
  /** The HTTP status; 0 if there is no answer. */
  readonly status: number
  /** The stable code. Programs decide by it. A newer service can send codes that this version does not list. */
  readonly code: ErrorCode | ClientErrorCode
  /** The problem and its remedy, for people. */
  readonly detail: string
  /** The id by which the service finds the call. */
  readonly request_id: string | null
  /** The refused fields, for `validation_failed`. */
  readonly errors: readonly RefusedField[]
  /** The scopes that the call needs, for `insufficient_scope`. */
  readonly required_scopes: readonly string[]
  /** How recent the sign-in must be, in seconds, for `reauthentication_required`. */
  readonly max_age: number | null
  /** How long the service asks to wait before the next attempt (`Retry-After`), for 429 and 503. `null` if it does not say. */
  readonly retry_after_seconds: number | null

  constructor(failure: Failure, options?: ErrorOptions) {
    super(`${failure.code}: ${failure.detail}${failure.request_id ? ` (${failure.request_id})` : ''}`, options)
    this.status = failure.status
    this.code = failure.code
    this.detail = failure.detail
    this.request_id = failure.request_id ?? null
    this.errors = failure.errors ?? []
    this.required_scopes = failure.required_scopes ?? []
    this.max_age = failure.max_age ?? null
    this.retry_after_seconds = failure.retry_after_seconds ?? null
  }
}
