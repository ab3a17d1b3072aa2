/**
 * Values that are read from another server, such as its keys, where a stranger can cause the read. All who wait for a value share one call,
 * the value is kept, and a call that failed is not repeated at once.
 */
import { createBoundedMap } from './bounded-map.ts'

interface Entry<T> {
  readonly begun_at_ms: number
  /** How long the call may take. */
  readonly patience_ms: number
  state: 'pending' | 'read' | 'failed'
  readonly value: Promise<T>
}

interface Times {
  /** A value that its server withdraws is refused after this time at the latest. */
  keep_ms: number
  /** The shortest time between two calls for one value, where the first one failed, or where its value does not satisfy. */
  cool_down_ms: number
  most: number
}

/** @param read calls the other server, and rejects where there is no value */
export function createSharedReads<K, T>({ now }: { now: () => Date }, times: Times, read: (about: K, patience_ms: number) => Promise<T>) {
  const cache = createBoundedMap<string, Entry<T>>(times.most)
  const ageOf = ({ begun_at_ms }: Entry<T>) => Math.abs(now().getTime() - begun_at_ms)

  function begin(key: string, about: K, patience_ms: number): Entry<T> {
    const value = read(about, patience_ms)
    const entry: Entry<T> = { begun_at_ms: now().getTime(), patience_ms, state: 'pending', value }
    value.then(
      () => {
        entry.state = 'read'
      },
      () => {
        entry.state = 'failed'
      },
    )
    cache.set(key, entry)
    return entry
  }

  /** A call that failed for a request with less patience says nothing to others. */
  const isUsable = (entry: Entry<T>, patience_ms: number) =>
    entry.state === 'failed' ? ageOf(entry) < times.cool_down_ms && entry.patience_ms >= patience_ms : ageOf(entry) < times.keep_ms

  return {
    /**
     * The kept value, or that of the call that runs, or of a new one. Rejects as the call does. `tries_again`: a failure before is not kept, for
     * requests of people, which have a limit of their own.
     */
    async find(key: string, about: K, patience_ms: number, tries_again = false): Promise<T> {
      for (;;) {
        const known = cache.get(key)
        const is_over = tries_again && known?.state === 'failed'
        const entry = known && !is_over && isUsable(known, patience_ms) ? known : begin(key, about, patience_ms)
        try {
          return await entry.value
        } catch (error) {
          if (entry.patience_ms >= patience_ms) throw error
        }
      }
    },

    /** Reads again, for a value that does not satisfy; `null` where the last call is too recent. */
    findFresh(key: string, about: K, patience_ms: number): Promise<T> | null {
      const known = cache.get(key)
      return known && ageOf(known) < times.cool_down_ms ? null : begin(key, about, patience_ms).value
    },

    /** Reads past the kept value. A call that runs is shared. */
    readAgain(key: string, about: K, patience_ms: number): Promise<T> {
      const known = cache.get(key)
      return (known?.state === 'pending' ? known : begin(key, about, patience_ms)).value
    },
  }
}
