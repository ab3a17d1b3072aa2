import type { EventKind } from '@ostiary/sdk'
import { rangeOf } from '../parts/range.ts'
import type { Search } from '../parts/search.ts'

export interface EventFilter {
  type?: EventKind | undefined
  user_id?: string | undefined
  application_id?: string | undefined
  request_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The filter that the query of an address has. */
export const eventFilter = ({ type, user_id, application_id, request_id, ...search }: Search): EventFilter => ({
  type: type as EventKind | undefined, // as: the service refuses other kinds
  user_id,
  application_id,
  request_id,
  ...rangeOf(search),
})
