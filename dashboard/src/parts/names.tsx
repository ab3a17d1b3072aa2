/** The names of objects, for the ids of a page. */
import type { ObjectName } from '@ostiary/sdk'
import { knownName, names } from '../queries/names.ts'
import type { Here } from '../queries/query.ts'
import { useScope } from '../scope.tsx'
import { CopyButton } from './copy.tsx'
import { useRead } from './reading.tsx'
import { shortId } from './time.tsx'

const named = /^(?:usr|org|app|key|rs|rol|prv|whk|env|prj)_[0-7][0-9a-hjkmnp-tv-z]{25}$/

export type NameOf = (id: string | null | undefined) => ObjectName | undefined

/** The names of ids in several environments. An id without a name, such as that of a deleted object, has none. */
export function useNamesAt(groups: readonly (readonly [at: Here['at'], ids: readonly unknown[]])[]): NameOf {
  const { client } = useScope()
  const wanted = groups.map(([at, ids]) => [at, [...new Set(ids)].filter(isNamed).sort()] as const).filter(([, ids]) => ids.length > 0)
  const { data } = useRead(names(client, wanted), { enabled: wanted.length > 0 })
  // The names that just came draw the page again; earlier ones stay while others are read.
  return (id) => (id ? (data?.[id] ?? knownName(id)) : undefined)
}

const isNamed = (id: unknown): id is string => typeof id === 'string' && named.test(id)

/** In the environment of the page. */
export function useNames(ids: readonly unknown[]): NameOf {
  const { project, environment } = useScope()
  return useNamesAt(project && environment ? [[{ project_id: project.id, environment_id: environment.id }, ids]] : [])
}

/** An id, small, with a copy button, beside the name of its object. */
export const Id = ({ value, label }: { value: string; label: string }) => (
  <span className="idv">
    <code title={value}>{shortId(value)}</code> <CopyButton value={value} label={label} />
  </span>
)
