import type { Handler } from '../api/handler.ts'
import { readPageBySequence } from '../api/lists.ts'
import { environmentOf } from '../tenancy/environment.ts'
import * as store from './store.ts'

export const listEvents: Handler<'listEvents'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { limit, cursor, ...filters } = call.query
  const list = `events.${environment.id}.${JSON.stringify(filters)}`
  return readPageBySequence(services, call, { list, oldest_first: filters.after !== undefined }, (rest) =>
    store.listEvents(services.db, environment.id, filters, rest),
  )
}
