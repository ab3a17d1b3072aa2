import * as store from '../../domain/events/store.ts'
import { readPageBySequence } from '../../domain/lists/lists.ts'
import { found } from '../../http/problem.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

export const listEvents: Handler<'listEvents'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { limit, cursor, ...filters } = call.query
  const list = `events.${environment.id}.${JSON.stringify(filters)}`
  return readPageBySequence(services, call, { list, oldest_first: filters.after !== undefined }, (rest) =>
    store.listEvents(services.db, environment.id, filters, rest),
  )
}

/** An event never changes. */
export const getEvent: Handler<'getEvent'> = async ({ db }, call) => {
  const environment = await environmentOf({ db }, call)
  const event = await found(store.findEvent(db, environment.id, call.params.event_id ?? ''))
  return { ...event, version: 1 }
}
