import type { RefusedCall } from '@ostiary/contract/refused-call.ts'
import { callSortKey, findCall, listCalls, refused_calls_kept_ms, summarise } from '../../deployment/refused-calls/store.ts'
import { scopesAllow } from '../../domain/keys/policy.ts'
import { readPageBy } from '../../domain/lists/lists.ts'
import { badField, found } from '../../http/problem.ts'
import type { Caller } from '../authenticate.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const listRefusedCalls: Handler<'listRefusedCalls'> = async (services, call) =>
  list(services, call, (await environmentOf(services, call)).id)

export const getRefusedCall: Handler<'getRefusedCall'> = async (services, call) =>
  find(services, call, (await environmentOf(services, call)).id)

export const summariseRefusedCalls: Handler<'summariseRefusedCalls'> = async (services, call) =>
  summary(services, call, (await environmentOf(services, call)).id)

export const listRefusedCallsOfTenant: Handler<'listRefusedCallsOfTenant'> = (services, call) => list(services, call, call.caller.tenant_id)

export const getRefusedCallOfTenant: Handler<'getRefusedCallOfTenant'> = (services, call) => find(services, call, call.caller.tenant_id)

export const summariseRefusedCallsOfTenant: Handler<'summariseRefusedCallsOfTenant'> = (services, call) =>
  summary(services, call, call.caller.tenant_id)

/** A reader sees every call that this process has answered, and those of other processes within a second. */
async function list(
  { db, secrets, refused_calls }: Services,
  call: Call<'listRefusedCalls'> | Call<'listRefusedCallsOfTenant'>,
  scope_id: string,
) {
  await refused_calls.write()
  const { limit, cursor, ...filters } = call.query
  const listed = `refused_calls.${scope_id}.${JSON.stringify(filters)}`
  const page = await readPageBy({ secrets }, call, listed, {
    keyOf: callSortKey,
    read: (last, limit) => listCalls(db, scope_id, filters, { last, limit }),
  })
  return { ...page, data: page.data.map((one) => shownTo(call.caller, one)) }
}

async function find(
  { db, refused_calls }: Services,
  { caller, params }: Pick<Call<'getRefusedCall'>, 'caller' | 'params'>,
  scope_id: string,
) {
  await refused_calls.write()
  const refused = await found(findCall(db, scope_id, params.request_id ?? ''))
  return { ...shownTo(caller, refused), version: 1 } // a record never changes
}

async function summary({ db, now, refused_calls }: Services, { query }: Pick<Call<'summariseRefusedCalls'>, 'query'>, scope_id: string) {
  await refused_calls.write()
  const to = query.to === undefined ? new Date(now().getTime() + 1) : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - refused_calls_kept_ms) : new Date(query.from)
  if (from >= to) throw badField(['from'], 'from must be before to.')
  return summarise(db, scope_id, from, to)
}

/** Addresses, browsers and what was sent are data about people. */
function shownTo({ key }: Caller, call: RefusedCall): RefusedCall {
  return key === null || scopesAllow(key.scopes, 'users:read') ? call : { ...call, ip: null, user_agent: null, refused: null }
}
