/** A map that holds at most so many entries: the oldest one goes when another is added. For whatever is kept to save work. */

/** @param onEvict is called with an entry that had to go, not with one that was deleted */
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
