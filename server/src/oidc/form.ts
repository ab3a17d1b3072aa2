/** Reads a form-encoded body, within limits that every request of this service keeps. */
import type { IncomingMessage } from 'node:http'
import type { Route } from '@ostiary/contract/route.ts'
import { body_limit_bytes, readBody, type Watch } from '../http/body.ts'
import { ApiError } from '../http/problem.ts'
import { asQuery, longest_query } from './call.ts'

/** The most parameters of a form or query. */
const most_parameters = 200

/**
 * The longest parameter of a page, in bytes: the request in its form, with three bytes for each percent-encoded character. A
 * query of a page has the limit of `asQuery`, any other that of a request's head.
 */
const longest_of_page = 3 * longest_query

const takesAnyToken = (path: string): boolean => path.includes('/v1/oauth/')

export const too_much = Symbol('too many parameters, or one that is too long')

/**
 * The form, `null` for a body of another type, or `too_much`.
 *
 * RFC 9110 §8.3.1: the media type is compared without its parameters, in any case
 * RFC 7009 §2.2:   an unknown token is revoked like any other, so at the endpoints of clients a parameter may be as long as the body
 */
export async function readForm(message: IncomingMessage, { path }: Route): Promise<URLSearchParams | null | typeof too_much> {
  const { headers } = message
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  const is_form = type === 'application/x-www-form-urlencoded' && headers['content-encoding'] === undefined
  try {
    const body = await readBody(message, is_form ? watchForm(takesAnyToken(path) ? body_limit_bytes : longest_of_page) : undefined)
    return is_form ? new URLSearchParams(body.toString('utf8')) : null
  } catch (error) {
    if (error === excess) return too_much
    throw error
  }
}

/**
 * Reports whether a query exceeds the limits of a form. The next form of a page holds the query of the page, so a longer one is refused
 * before a page begins what it cannot continue.
 */
export const isTooMuch = (query: string, { page }: Route): boolean => hasTooMany(query) || (page === true && isTooLong(query))

/** A parameter takes at least one character and an ampersand. */
function hasTooMany(query: string): boolean {
  return query.length > most_parameters && query.split('&', most_parameters + 1).length > most_parameters
}

/** A character of a request's head is a byte, which can become two bytes of UTF-8, each percent-encoded. */
const most_per_character = 6

function isTooLong(query: string): boolean {
  return query.length * most_per_character > longest_query && asQuery(query) === null
}

const excess = new ApiError('malformed_request', 'The form has too many parameters, or one that is too long.')

/**
 * Stops at the first parameter too many, or at the first byte of one too long. It counts the bytes as they arrive, so that a form of a
 * megabyte with a hundred thousand parameters is neither kept nor parsed.
 */
function watchForm(longest: number): Watch {
  let parameters = 1
  let length = 0 // of the last parameter so far
  return (piece) => {
    let from = 0
    for (let at = piece.indexOf('&'); at !== -1; at = piece.indexOf('&', from)) {
      if (++parameters > most_parameters || length + at - from > longest) return excess
      length = 0
      from = at + 1
    }
    length += piece.length - from
    return length > longest ? excess : null
  }
}
