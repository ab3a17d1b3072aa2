/** Keeps values that are read of environments in memory until the version of their roles changes (decisions 0176 and 0181). */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { outsideRequests } from '../base/database-time.ts'
import { withoutPremise } from '../base/premise.ts'
import { createWeightedMap } from '../base/weighted-map.ts'

interface Kept<T> {
  /** The most that is kept of all environments together, in bytes. */
  most: number
  read: (environment_id: EnvironmentId) => Promise<T>
  weightOf: (value: T) => number
}

/** Returns a function that gives the value at a version, or later: a request that learns of a change has another version. */
export function keepByVersion<T>({ most, read, weightOf }: Kept<T>): (environment_id: EnvironmentId, version: number) => Promise<T> {
  const all = createWeightedMap<EnvironmentId, { version: number; value: Promise<T> }>(most)
  return (environment_id, version) => {
    const known = all.get(environment_id)
    if (known?.version === version) return known.value
    const value = withoutPremise(() => outsideRequests(() => read(environment_id))) // other requests wait for it
    const kept = { version, value }
    all.set(environment_id, kept, 0)
    value.then(
      (found) => all.get(environment_id) === kept && all.set(environment_id, kept, weightOf(found)),
      () => all.get(environment_id) === kept && all.delete(environment_id),
    )
    return value
  }
}
