import type { routes } from '@ostiary/contract/routes.ts'
import { readPageBySequence } from '../api/lists.ts'
import type { Handler } from '../api/mount.ts'
import { environmentOf } from '../tenancy/environment.ts'
import * as store from './store.ts'

export const listEvents: Handler<typeof routes.listEvents> = async (deployment, call) => {
  const environment = await environmentOf(deployment, call)
  const { limit, cursor, ...filters } = call.query
  const list = `events.${environment.id}.${JSON.stringify(filters)}`
  return readPageBySequence(deployment, list, { limit, cursor, oldest_first: filters.after !== undefined }, (rest) =>
    store.listEvents(deployment.db, environment.id, filters, rest),
  )
}
