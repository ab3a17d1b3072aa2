/**
 * A buffer for refused calls between two writes: bounded in number, and fair. Each source has a share, and a full share gives up the
 * oldest of the records that are most alike. So a flood of one source pushes out no record of another source, over however many
 * environments it spreads, and within the source frequent records do not push out rare ones.
 */

export interface Gathered {
  /** The address of the caller. */
  readonly sender: string
  /** The environment or tenant as far as it is known, the code and the application. */
  readonly kind: string
}

export interface GatherLimits {
  /** Records in all. When this many different senders are there, further ones are dropped. */
  readonly most: number
  readonly most_per_sender: number
}

/** The records of one sender by kind, each list in the order of arrival. */
type Share<T> = Map<string, T[]>

export function createGathering<T extends Gathered>({ most, most_per_sender }: GatherLimits, onDrop: (call: T) => void) {
  let shares = new Map<string, Share<T>>()
  let size = 0

  function push(share: Share<T>, call: T): void {
    const alike = share.get(call.kind)
    if (alike) alike.push(call)
    else share.set(call.kind, [call])
    size++
  }

  /** Drops the oldest record of the kind with most records. Of kinds with one record each, that is the kind that came first. */
  function dropFrom(share: Share<T>): boolean {
    const alike = longest(share.values(), (list) => list.length)
    const oldest = alike?.shift()
    if (!alike || !oldest) return false
    if (alike.length === 0) share.delete(oldest.kind)
    size--
    onDrop(oldest)
    return true
  }

  /** Drops a record of the sender with most records. Every sender keeps one. */
  function makeRoom(): boolean {
    const largest = longest(shares.values(), sizeOf)
    return largest !== undefined && sizeOf(largest) > 1 && dropFrom(largest)
  }

  return {
    add(call: T): void {
      const share: Share<T> = shares.get(call.sender) ?? new Map()
      const is_new = share.size === 0
      if (is_new && size >= most && !makeRoom()) {
        onDrop(call)
        return
      }
      shares.set(call.sender, share)
      push(share, call)
      if (size > most || sizeOf(share) > most_per_sender) dropFrom(share)
    },

    /** Empties the buffer. */
    take(): T[] {
      const taken = [...shares.values()].flatMap((share) => [...share.values()].flat())
      shares = new Map()
      size = 0
      return taken
    },
  }
}

const sizeOf = (share: Share<unknown>): number => {
  let size = 0
  for (const alike of share.values()) size += alike.length
  return size
}

function longest<T>(all: Iterable<T>, lengthOf: (one: T) => number): T | undefined {
  let found: T | undefined
  let length = -1
  for (const one of all) {
    const its = lengthOf(one)
    if (its > length) [found, length] = [one, its]
  }
  return found
}
