/**
 * Changes an object with optimistic locking: read it, compare its version with If-Match, write if nothing that the change depends on has
 * changed. Otherwise it is tried again from the start. So If-Match refuses a change only for another version, never for a write that
 * failed because of other rows.
 */
import { untilWritten } from '../../base/until-written.ts'
import { ApiError, notFound, tooBusy } from '../../http/problem.ts'
import { entityTag, type IfMatch } from './if-match.ts'

interface Versioned {
  version: number
}

/** One of several concurrent changes succeeds at each try, so this is also the maximum number of concurrent changes. */
const most_tries = 500

/**
 * @param load  reads the current object; `null` if it does not exist for this caller (404)
 * @param write writes if `current` and what else it read are unchanged, else returns `null`
 */
export async function changeVersioned<T extends Versioned, R>(
  if_match: IfMatch,
  load: () => Promise<T | null>,
  write: (current: T) => Promise<R | null>,
): Promise<R> {
  return untilWritten(
    most_tries,
    async () => {
      const current = await load()
      if (!current) throw notFound()
      refuseOtherVersion(if_match, current)
      return write(current)
    },
    tooBusy('object'),
  )
}

/** @throws ApiError where If-Match does not name this version */
export function refuseOtherVersion(if_match: IfMatch, { version }: Versioned): void {
  if (if_match === 'malformed') throw new ApiError('malformed_request', 'If-Match must be a list of entity tags such as "3".')
  if (if_match && !if_match.has(entityTag(version)))
    throw new ApiError('stale_version', 'The object has changed since the version in If-Match. Read it again and repeat the change.')
}
