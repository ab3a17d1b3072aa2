/** A map with a bounded total weight, for caches whose values differ in size. */

/**
 * Creates a map whose values weigh at most `most` together. Where they would weigh more, the heaviest are given up first: who fills the memory
 * loses it, and the many small ones stay.
 */
export function createWeightedMap<K, V>(most: number) {
  const entries = new Map<K, { value: V; weight: number }>()
  let total = 0

  function remove(key: K): void {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }

  function heaviest(): K | undefined {
    let found: [K, number] | undefined
    for (const [key, { weight }] of entries) if (!found || weight > found[1]) found = [key, weight]
    return found?.[0]
  }

  return {
    get: (key: K): V | undefined => entries.get(key)?.value,

    /** Adds an entry, or replaces the one with the same key. */
    set(key: K, value: V, weight: number): void {
      remove(key)
      entries.set(key, { value, weight })
      total += weight
      while (total > most) remove(heaviest() as K) // as: there are entries, because they weigh something
    },

    delete: remove,

    /** The weight of all entries. */
    get weight(): number {
      return total
    },
  }
}
