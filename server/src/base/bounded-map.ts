/** A map with a bounded number of entries, for caches. */

/**
 * Creates a map of at most `most` entries. Adding to a full map evicts the oldest entry.
 * @param onEvict is called with an evicted entry, and not with one that was deleted
 */
export function createBoundedMap<K, V>(most: number, onEvict: (value: V, key: K) => void = () => {}) {
  const entries = new Map<K, V>()
  return {
    get: (key: K): V | undefined => entries.get(key),

    /** Adds an entry as the newest, or replaces the one with the same key. */
    set(key: K, value: V): void {
      entries.delete(key)
      for (const [oldest, evicted] of entries) {
        if (entries.size < most) break
        entries.delete(oldest)
        onEvict(evicted, oldest)
      }
      entries.set(key, value)
    },

    delete: (key: K): boolean => entries.delete(key),

    get size(): number {
      return entries.size
    },
  }
}
