/**
 * Refuses a query over the limits of `query.ts` before the handler of any route of the site and of the API. Issuers answer in the form of
 * their protocols, by the same rule (`oidc/mount.ts`).
 */
import { reason } from '../base/reason.ts'
import { ApiError } from './problem.ts'
import { hasTooMany, queryOf } from './query.ts'

const of_issuers = /^\/e\//

/** Returns why the query of a request is refused; `null` where it is not. */
export const refuseQuery = ({ url }: { url: string }): ApiError | null =>
  !hasTooMany(queryOf(url)) || of_issuers.test(url) ? null : tooManyParameters()

const tooManyParameters = () =>
  new ApiError('malformed_request', 'The query has more than 200 parameters.', { reason: reason`The query has too many parameters.` })
