/** Reads a form-encoded body, within the limits of `http/query.ts` and of its route. */
import type { IncomingMessage } from 'node:http'
import type { Route } from '@ostiary/contract/route.ts'
import { body_limit_bytes, growingBytes, isExcess, type Kept, noBytes, readBody, tooLarge, tooManyPieces } from '../http/body.ts'
import { ApiError } from '../http/problem.ts'
import { hasTooMany, most_parameters, wellFormed } from '../http/query.ts'
import { asQuery, longest_query } from './call.ts'

interface FormLimits {
  /** The longest parameter, in bytes: with three bytes for each percent-encoded character. */
  readonly longest: number
  /** The most bytes that are kept of all parameters. No valid form is longer. */
  readonly most_bytes: number
  /** Whether a longer parameter gets a value that no such parameter has; elsewhere it is refused. */
  readonly replaces: boolean
}

/** A parameter can be the request in its form. A query of a page has the limit of `asQuery`, any other that of a request's head. */
export const of_page: FormLimits = { longest: 3 * longest_query, most_bytes: 3 * longest_query + 16_384, replaces: false }
/** A token request has a code or a refresh token, a client assertion of 10,000 characters, and names of scopes and resources. */
export const of_client: FormLimits = { longest: 24_576, most_bytes: 32_768, replaces: true }
/** RFC 7009 §2.2: an unknown token is revoked like any other, however long it is. */
const limitsOf = (path: string): FormLimits => (path.includes('/v1/oauth/') ? of_client : of_page)

export const too_much = Symbol('too many parameters, or one that is too long')

/**
 * The form, `null` for a body of another type, or `too_much`.
 *
 * RFC 9110 §8.3.1: the media type is compared without its parameters, in any case
 */
export async function readForm(
  message: IncomingMessage,
  { path }: Route,
  addressOf: () => string | null,
): Promise<URLSearchParams | null | typeof too_much> {
  const { headers } = message
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const is_form = type === 'application/x-www-form-urlencoded' && headers['content-encoding'] === undefined
  try {
    const body = await readBody(message, { addressOf, keep: is_form ? () => keptForm(limitsOf(path)) : noBytes })
    return is_form ? new URLSearchParams(body.toString('utf8')) : null
  } catch (error) {
    if (error === excess) return too_much
    throw error
  }
}

/**
 * A query in the form in which it is read, or `null` where it exceeds the limits of a form. The next form of a page contains the query of
 * the page, so a longer one is refused before a page begins what it cannot continue.
 */
export function withinLimits(query: string, { page }: Route): string | null {
  if (hasTooMany(query)) return null
  return page === true && query.length * most_per_character > longest_query ? asQuery(query) : wellFormed(query)
}

/** A character of a request's head is a byte, which can become two bytes of UTF-8, each percent-encoded. */
const most_per_character = 6

const excess = new ApiError('malformed_request', 'The form has too many parameters, or one that is too long.')

/** The value of a parameter that was too long: no token, code, secret, address or name. */
const too_long = Buffer.from('(too_long)')

/**
 * Keeps a form while it arrives, and stops at the first parameter too many. A value that is too long to be one is dropped and counted, so a
 * megabyte of it takes no memory.
 */
export function keptForm({ longest, most_bytes, replaces }: FormLimits): Kept {
  const kept = growingBytes(most_bytes)
  let arrived = 0
  let pieces = 0
  let parameters = 1
  /** The last parameter so far: where it begins in what is kept, and its length as it was sent. */
  let start = 0
  let length = 0

  function take(part: Buffer): ApiError | null {
    const was_too_long = length > longest
    length += part.length
    if (length <= longest) {
      if (kept.length() + part.length > most_bytes) return excess
      kept.append(part)
    } else if (!replaces) return excess
    else if (!was_too_long) replaceValue(part)
    return null
  }

  /** Keeps the name of the parameter, or nothing where the name is too long too. `part` is not kept yet. */
  function replaceValue(part: Buffer): void {
    const at = kept.bytes().indexOf('=', start)
    const rest_of_name = at === -1 ? part.subarray(0, part.indexOf('=') + 1) : nothing
    const name_bytes = at === -1 ? kept.length() - start + rest_of_name.length : at + 1 - start
    const is_named = at !== -1 || (rest_of_name.length > 0 && name_bytes <= longest)
    kept.cutTo(is_named ? start + name_bytes - rest_of_name.length : start)
    if (!is_named) return
    kept.append(rest_of_name)
    kept.append(too_long)
  }

  return {
    add(piece) {
      arrived += piece.length
      if (arrived > body_limit_bytes) return tooLarge(body_limit_bytes)
      if (isExcess(++pieces, arrived)) return tooManyPieces()
      let from = 0
      for (let at = piece.indexOf('&'); at !== -1; at = piece.indexOf('&', from)) {
        const problem = ++parameters > most_parameters ? excess : take(piece.subarray(from, at))
        if (problem) return problem
        kept.append(ampersand)
        start = kept.length()
        length = 0
        from = at + 1
      }
      return take(piece.subarray(from))
    },
    bytes: kept.bytes,
    capacity: kept.capacity,
  }
}

const ampersand = Buffer.from('&')
const nothing = Buffer.alloc(0)
