/** The names of objects, for the ids of a page: one call for up to 100 of them. A name is kept for a minute. */
import type { ObjectName } from '@ostiary/sdk'
import { queries } from '../api.ts'
import { useScope } from '../scope.tsx'
import { CopyButton } from './copy.tsx'
import { useRead } from './reading.tsx'
import { shortId } from './time.tsx'

const KEPT_MS = 60_000
const MOST = 100
const named = /^(?:usr|app|key|rs|prv|whk|env|prj)_[0-7][0-9a-hjkmnp-tv-z]{25}$/

export type NameOf = (id: string | null | undefined) => ObjectName | undefined

interface Place {
  project_id: string
  environment_id: string
}

/** The names of ids in several environments. An id without a name, such as that of a deleted object, has none. */
export function useNamesAt(groups: readonly (readonly [at: Place, ids: readonly unknown[]])[]): NameOf {
  const { client } = useScope()
  const wanted = groups.map(([at, ids]) => [at, [...new Set(ids)].filter(isNamed).sort()] as const).filter(([, ids]) => ids.length > 0)
  const keyOf = (id: string | null | undefined) => ['name', id]
  const isKnown = (id: string) => (queries.getQueryState(keyOf(id))?.dataUpdatedAt ?? 0) > Date.now() - KEPT_MS
  const known = useRead(
    ['names', wanted],
    async (signal) => {
      for (const [at, ids] of wanted) {
        const missing = ids.filter((id) => !isKnown(id))
        for (let first = 0; first < missing.length; first += MOST) {
          const some = missing.slice(first, first + MOST)
          const { data } = await client.listNames({ ...at, ids: some.join(',') }, { signal })
          for (const id of some) queries.setQueryData(keyOf(id), data.find((each) => each.id === id) ?? null)
        }
      }
      const all = wanted.flatMap(([, ids]) => ids)
      return Object.fromEntries(all.map((id) => [id, queries.getQueryData<ObjectName | null>(keyOf(id)) ?? undefined]))
    },
    { enabled: wanted.length > 0 },
  )
  const { data } = known // the names that just came draw the page again; earlier ones stay while others are read
  return (id) => (id ? (data?.[id] ?? queries.getQueryData<ObjectName | null>(keyOf(id)) ?? undefined) : undefined)
}

const isNamed = (id: unknown): id is string => typeof id === 'string' && named.test(id)

/** In the environment of the page. */
export function useNames(ids: readonly unknown[]): NameOf {
  const { project, environment } = useScope()
  return useNamesAt(project && environment ? [[{ project_id: project.id, environment_id: environment.id }, ids]] : [])
}

/** An id, small, with copy: it stands beside the name of its object. */
export const Id = ({ value, label }: { value: string; label: string }) => (
  <span className="idv">
    <code title={value}>{shortId(value)}</code> <CopyButton value={value} label={label} />
  </span>
)
