/**
 * Changing an object under If-Match, or without. One place for: look up, compare the version, write on condition of
 * that version, and try again where somebody else was faster and the caller did not ask for a particular version.
 */

import { ApiError, notFound } from '../http/problem.ts'
import { entityTag, type IfMatch } from './if-match.ts'

interface Versioned {
  version: number
}

/** Of any number of changes at once one succeeds at each try, so this is how many may come at once. */
const most_tries = 500

/**
 * @param load  the object as it is now, or `null` where it does not exist for this caller (404)
 * @param write writes on condition that the version is still that of `current`; `null` where it is not
 */
export async function changeVersioned<T extends Versioned, R>(
  if_match: IfMatch,
  load: () => Promise<T | null>,
  write: (current: T) => Promise<R | null>,
): Promise<R> {
  for (let tries = 0; tries < most_tries; tries++) {
    const current = await load()
    if (!current) throw notFound()
    if (if_match === 'malformed') throw new ApiError('malformed_request', 'If-Match must be a list of entity tags such as "3".')
    if (if_match && !if_match.has(entityTag(current.version))) throw stale()
    const written = await write(current)
    if (written !== null) return written
    if (if_match) throw stale()
  }
  throw new ApiError('unavailable', 'Too many changes of the same object at once. Try again shortly.')
}

function stale(): ApiError {
  return new ApiError('stale_version', 'The object was changed since the version that If-Match names. Read it again and repeat the change.')
}
