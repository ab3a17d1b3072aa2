/** Refused calls: of an environment, or of a tenant outside of its environments. */

import { OstiaryError, type RefusedCall } from '@ostiary/sdk'
import { rangeOf } from '../parts/range.ts'
import type { Search } from '../parts/search.ts'
import { type Here, type InTenant, key, list, one } from './query.ts'

export interface CallFilter {
  code?: string | undefined
  route?: string | undefined
  application_id?: string | undefined
  key_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The filter that the query of an address has. */
export const callFilter = ({ code, route, application_id, key_id, ...search }: Search): CallFilter => ({
  code,
  route,
  application_id,
  key_id,
  ...rangeOf(search),
})

/** `null` for a call that was not refused. */
async function orNull(read: Promise<RefusedCall>): Promise<{ call: RefusedCall | null }> {
  try {
    return { call: await read }
  } catch (error) {
    if (error instanceof OstiaryError && error.status === 404) return { call: null }
    throw error
  }
}

export const callsOfEnvironment = ({ client, at }: Here) => ({
  list: (filter: CallFilter) =>
    list(key('calls', at.environment_id, filter), (cursor) => client.listRefusedCalls({ ...at, ...filter, cursor }).page()),
  summary: one(key('calls', at.environment_id, 'summary'), (options) => client.summariseRefusedCalls(at, options)),
  one: (request_id: string) =>
    one(key('call', at.environment_id, request_id), (options) => orNull(client.getRefusedCall({ ...at, request_id }, options))),
  /** The latest five of an application. */
  ofApplication: (application_id: string) =>
    one(key('calls', at.environment_id, 'of', application_id), (options) =>
      client.listRefusedCalls({ ...at, application_id, limit: 5 }, options).page(),
    ),
  /** The events that happened in a call. */
  events: (request_id: string) =>
    one(key('events', at.environment_id, 'of', request_id), (options) => client.listEvents({ ...at, request_id }, options).page()),
})

export const callsOfTenant = ({ client, tenant: { id: tenant_id } }: InTenant) => ({
  list: (filter: CallFilter) =>
    list(key('calls', tenant_id, filter), (cursor) => client.listRefusedCallsOfTenant({ tenant_id, ...filter, cursor }).page()),
  summary: one(key('calls', tenant_id, 'summary'), (options) => client.summariseRefusedCallsOfTenant({ tenant_id }, options)),
  one: (request_id: string) =>
    one(key('call', tenant_id, request_id), (options) => orNull(client.getRefusedCallOfTenant({ tenant_id, request_id }, options))),
  events: null,
})
