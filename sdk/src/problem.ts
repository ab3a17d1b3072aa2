/** Reads the problem details (RFC 9457) of a refused call. */
import type { Failure, RefusedField } from './error.ts'
import type { ErrorCode } from './generated/types.ts'
import { askedWait } from './retries.ts'

/** The failure that a response describes. Only members of the expected type are taken, since proxies answer too. */
export function failureOf(response: Response, text: string, now: Date): Failure {
  const { status } = response
  const wait_ms = askedWait(response, now)
  const retry_after_seconds = wait_ms === null ? null : Math.ceil(wait_ms / 1000)
  const request_id = response.headers.get('x-request-id')
  const problem = objectOf(text)
  if (typeof problem.code !== 'string') {
    // Browsers hide the status of a redirect.
    const is_redirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400)
    const what = is_redirect ? 'The answer is a redirect, which is not followed.' : `The answer has the status ${status} and no error code.`
    return { status, code: 'unexpected_answer', detail: `${what} Check the address of the service.`, request_id, retry_after_seconds }
  }
  return {
    status,
    code: problem.code as ErrorCode, // as: a newer service can have codes that the type does not list
    detail: typeof problem.detail === 'string' ? problem.detail : `The call was refused with the status ${status}.`,
    request_id: typeof problem.request_id === 'string' ? problem.request_id : request_id,
    errors: Array.isArray(problem.errors) ? problem.errors.filter(isRefusedField) : [],
    required_scopes: Array.isArray(problem.required_scopes) ? problem.required_scopes.filter((scope) => typeof scope === 'string') : [],
    max_age: typeof problem.max_age === 'number' ? problem.max_age : null,
    retry_after_seconds,
  }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {} // not JSON: the page of a proxy
  }
}

function isRefusedField(value: unknown): value is RefusedField {
  if (typeof value !== 'object' || value === null) return false
  const { pointer, code, detail } = value as Record<string, unknown> // as: an object
  return [pointer, code, detail].every((member) => typeof member === 'string')
}
