/** Limits of calls that count at several keys at once, such as their source and their target. */
import { createBoundedMap } from './bounded-map.ts'

export interface JointLimit {
  key: string
  /** The most calls within a window. */
  most: number
}

/**
 * Counts in the memory of the process, each call by its time. A key that is not among the latest `most_keys` begins again.
 * @param times the length of the window
 */
export function createJointLimits({ now }: { now: () => Date }, times: { window_ms: number; most_keys: number }) {
  const admitted = createBoundedMap<string, readonly number[]>(times.most_keys)
  const isWithin = (time: number, at: number) => Math.abs(at - time) < times.window_ms // a clock that is set back keeps nothing for long

  return {
    /**
     * Admits a call that has room at every key, and counts it at each. A refused call counts nowhere. Returns 0 for an admitted call, else
     * the milliseconds until there is room.
     */
    take(limits: readonly JointLimit[]): number {
      const at = now().getTime()
      const counted = limits.map(({ key, most }) => ({ key, most, calls: (admitted.get(key) ?? []).filter((time) => isWithin(time, at)) }))
      const waits = counted.map(({ most, calls }) => (calls.length < most ? 0 : (calls.at(-most) ?? at) + times.window_ms - at))
      const wait = Math.max(...waits)
      if (wait > 0) return wait
      for (const { key, calls } of counted) admitted.set(key, [...calls, at])
      return 0
    },
  }
}
