/** Errors of the management and runtime API: problem details (RFC 9457) with a stable code. */
import { type ErrorCode, errors } from '@ostiary/contract/errors.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { required_sentence, secret_sentence } from '@ostiary/contract/sentences.ts'
import type { z } from 'zod'
import { type Explained, oneOf, type Reason, reason } from '../base/reason.ts'
import type { RefusedValue } from '../base/refusal.ts'
import { fieldNames } from './field-names.ts'

export interface FieldError {
  pointer: string
  code: string
  detail: string
}

/** RFC 9110 §10.2.3: seconds to wait after a 503. */
export const retry_after = '2'

interface Extra {
  errors?: readonly FieldError[]
  required_scopes?: readonly string[]
  checks?: readonly PromotionCheck[]
  max_age?: number
  headers?: Readonly<Record<string, string>>
  reason?: Reason
  refused?: RefusedValue | null
}

/**
 * An error with a code of the contract. The message is for people: it says what to do, and no program may depend on it. `reason` is for
 * the developers of the tenant. A message without values is its own reason; see `reason.ts`.
 */
export class ApiError<const Detail extends string = string> extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly reason: Reason
  readonly extra: Omit<Extra, 'reason' | 'refused'>
  /** The value of the call that is refused: for its record, never in the answer. */
  readonly refused: RefusedValue | null
  constructor(code: ErrorCode, detail: Detail, ...explained: Explained<Detail, Extra>) {
    super(detail)
    const [{ reason = detail as string as Reason, refused = null, ...extra } = {}]: [extra?: Extra] = explained // as: a text without a reason of its own has no values
    this.code = code
    this.reason = reason
    this.extra = extra
    this.refused = refused
  }
  get status(): number {
    return errors[this.code].status
  }
  toProblem(base_url: string, request_id: string) {
    const { headers: _, ...members } = this.extra
    return {
      type: `${base_url}/docs/errors/${this.code}`,
      title: errors[this.code].title,
      status: this.status,
      detail: this.message,
      code: this.code,
      request_id,
      ...members,
    }
  }
}

/** RFC 6901: a JSON pointer to a field. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The most field errors in one response, since a body can have thousands. */
const most_errors = 100
/** The part of an unknown field's name that a response repeats. */
const longest_name = 200

/** Maps the issues of zod to field errors of the contract. Each unknown field is one error. */
export function fieldErrors(error: Pick<z.ZodError, 'issues'>): FieldError[] {
  return error.issues.slice(0, most_errors).flatMap(errorsOf).slice(0, most_errors)
}

function errorsOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, most_errors).map((key) => ({
      pointer: pointerTo([...issue.path, key.slice(0, longest_name)]),
      code: 'unknown_field',
      detail: 'There is no such field here.',
    }))
  return [{ pointer: pointerTo(issue.path), code: codeOf(issue), detail: issue.message }]
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.message === required_sentence) return 'required'
  if (issue.message === secret_sentence) return 'secret_in_document'
  switch (issue.code) {
    case 'invalid_type':
      return 'wrong_type'
    case 'too_small':
    case 'too_big':
      return 'out_of_range'
    case 'invalid_format':
      return 'bad_format'
    default:
      return 'not_allowed'
  }
}

export function validationFailed(problems: readonly FieldError[]): ApiError {
  const [first] = problems
  const pointer = first?.pointer ? ` (at ${first.pointer})` : ''
  return new ApiError('validation_failed', `${first?.detail ?? 'A field cannot be accepted.'}${pointer}`, {
    errors: problems,
    reason: reasonOf(problems),
  })
}

/** Names the fields as far as a schema has them. A field of the request that no schema has could contain anything. */
function reasonOf(problems: readonly FieldError[]): Reason {
  const [first] = problems
  if (!first) return reason`The request has a field that is not accepted.`
  const more = problems.length > 1 ? reason` Problems in all: ${problems.length}.` : reason``
  const what = oneOf(problem_codes, first.code, 'not_allowed')
  const where = first.pointer
    .split('/')
    .slice(1)
    .map((part) => (/^[0-9]{1,5}$/.test(part) ? reason`/${Number(part)}` : reason`/${oneOf(fieldNames(), part, '…')}`))
    .reduce((before, part) => reason`${before}${part}`, reason``)
  return first.pointer === ''
    ? reason`The request is not accepted: ${what}.${more}`
    : reason`The field ${where} is not accepted: ${what}.${more}`
}

const problem_codes = ['unknown_field', 'required', 'wrong_type', 'out_of_range', 'bad_format', 'secret_in_document', 'not_allowed']

/** Refuses one field. */
export function badField(path: readonly PropertyKey[], detail: string, code = 'not_allowed'): ApiError {
  return validationFailed([{ pointer: pointerTo(path), code, detail }])
}

/** Refuses a field by a quota. */
export const overQuota = (path: readonly PropertyKey[], detail: Reason): ApiError =>
  new ApiError('quota_exceeded', detail, { errors: [{ pointer: pointerTo(path), code: 'out_of_range', detail }] })

/** The change lost too many races against other changes of the same object. `what` names that object. */
export const tooBusy = (what: string) => (): never => {
  throw new ApiError('unavailable', `Too many concurrent changes to the same ${what}. Try again shortly.`, {
    reason: reason`Too many other changes of the same object took place at the same time.`,
  })
}

/** The order of a list is written after an upgrade. */
export const notListedYet = (what: string): ApiError =>
  new ApiError('unavailable', `${what} is being prepared after an upgrade. Try again in some minutes.`, {
    reason: reason`The rows of an earlier version have no place in this order yet.`,
  })

/** A limit of an object is reached. The limit of the credential is in `api/authenticate.ts`. */
export function rateLimited(detail: string, retry_after_seconds: number): ApiError {
  return new ApiError('rate_limited', detail, {
    headers: { 'retry-after': String(retry_after_seconds) },
    reason: reason`The limit of an object is reached.`,
  })
}

/** The document of a client is refused: it was not read, or it breaks a rule. */
export const refusedDocument = (code: 'metadata_unavailable' | 'metadata_invalid', why: Reason): ApiError =>
  new ApiError(code, why, { errors: [{ pointer: '/client_id', code, detail: why }] })

/** No document of a client is read now. */
export const documentsBusy = (why: Reason, retry_after_seconds: number): ApiError =>
  new ApiError('metadata_busy', why, { headers: { 'retry-after': String(retry_after_seconds) } })

/** The same error for an object that does not exist and for one that this caller may not see. `reason` must not distinguish them either. */
export function notFound(reason?: Reason): ApiError {
  const detail = 'There is no such object, or not within the tenant, project and environment of this call.'
  return new ApiError('not_found', detail, reason === undefined ? {} : { reason })
}

/** Returns what a look-up by the path found. */
export async function found<T>(looked_up: Promise<T | null>): Promise<T> {
  const object = await looked_up
  if (object === null) throw notFound()
  return object
}

/** An address at which there is nothing. `detail` says why, or where to look. */
export const nothingHere = (detail: string, reason: Reason): ApiError => new ApiError('not_found', detail, { reason })

/** Ends the call with an error that the row declares in `fails`. A detail with values of the request needs a reason; see `reason.ts`. */
export type Fail<Code extends ErrorCode> = <const Detail extends string>(
  code: Code,
  detail: Detail,
  ...explained: Explained<Detail, { reason?: Reason }>
) => never
