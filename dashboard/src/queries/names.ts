/** The names of objects, for the ids of a page: one call for up to 100 of them. A name is kept for a minute. */
import type { Client, ObjectName } from '@ostiary/sdk'
import { queries } from '../api.ts'
import { type Here, key, one, remember } from './query.ts'

const KEPT_MS = 60_000
const MOST = 100

const keyOf = (id: string) => key('name', id)
const isKnown = (id: string) => (queries.getQueryState(keyOf(id))?.dataUpdatedAt ?? 0) > Date.now() - KEPT_MS

/** The name that was read for an id. An id without a name, such as that of a deleted object, has none. */
export const knownName = (id: string): ObjectName | undefined => queries.getQueryData<ObjectName | null>(keyOf(id)) ?? undefined

/** The names of ids in several environments. Those that are known are not read again. */
export const names = (client: Client, wanted: readonly (readonly [at: Here['at'], ids: readonly string[]])[]) =>
  one(key('names', wanted), async (options) => {
    for (const [at, ids] of wanted) {
      const missing = ids.filter((id) => !isKnown(id))
      for (let first = 0; first < missing.length; first += MOST) {
        const some = missing.slice(first, first + MOST)
        const { data } = await client.listNames({ ...at, ids: some.join(',') }, options)
        for (const id of some) remember(keyOf(id), data.find((each) => each.id === id) ?? null)
      }
    }
    const all = wanted.flatMap(([, ids]) => ids)
    return Object.fromEntries(all.map((id) => [id, knownName(id)]))
  })
