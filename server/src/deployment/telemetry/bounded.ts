// pure
/** A queue with a bound: what does not fit is dropped and counted, the newest first, so that what waits is never out of order. */

export interface Bounded<T> {
  /** @param bytes about how much memory the item takes */
  add(item: T, bytes: number): void
  /** The oldest items, which stay until `remove`. */
  first(most: number): readonly T[]
  remove(count: number): void
  dropped(): number
}

export function createBounded<T>({ most, most_bytes }: { most: number; most_bytes: number }): Bounded<T> {
  const items: { item: T; bytes: number }[] = []
  let held_bytes = 0
  let dropped = 0
  return {
    add(item, bytes) {
      if (items.length >= most || held_bytes + bytes > most_bytes) {
        dropped += 1
        return
      }
      items.push({ item, bytes })
      held_bytes += bytes
    },
    first: (count) => items.slice(0, count).map(({ item }) => item),
    remove(count) {
      for (const { bytes } of items.splice(0, count)) held_bytes -= bytes
    },
    dropped: () => dropped,
  }
}
