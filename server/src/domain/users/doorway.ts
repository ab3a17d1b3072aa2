/**
 * The doorway of forms with passwords: only a few are worked on at a time until their hashes wait for their turns. Otherwise the queries
 * and pages of 200 sign-ins that one source sends together would hold up everybody, before any hash takes its turn. The others wait
 * here, in the same order as hashes. See docs/decisions/0069.
 */
import { createTurns, type Ended, type Place } from './hashing-turns.ts'

/** Forms that are worked on at a time, for each hash that runs at a time: more while a core has no hash waiting. */
const places_per_lane = { while_hashes_wait: 1, otherwise: 8 }
/** A form gives its place away after this time, so that a database that does not answer closes no doorway. */
const longest_stay_ms = 50

/** Gives the place away. The second call does nothing. */
export type Leave = () => void

interface Hashing {
  /** How many hashes run at a time. */
  lanes: number
  /** How many hashes wait for their turns. */
  waiting: () => number
  /** How many forms may wait. Beyond it the newest of the source with the most waiting is refused. */
  most_waiting: number
  /** The error of a form that is refused, or whose client disconnects. */
  refusal: (why: 'busy' | 'gone') => Error
}

interface Waiter {
  enter(leave: Leave): void
  refuse(): void
}

export function createDoorway({ lanes, waiting, most_waiting, refusal }: Hashing) {
  const turns = createTurns<Waiter>()
  let inside = 0

  const isFull = () => inside >= lanes * places_per_lane[waiting() < lanes ? 'otherwise' : 'while_hashes_wait']

  function stay(ended: Ended): Leave {
    inside += 1
    let has_left = false
    const leave = () => {
      if (has_left) return
      has_left = true
      clearTimeout(timer)
      inside -= 1
      ended()
      letIn()
    }
    const timer = setTimeout(leave, longest_stay_ms).unref()
    return leave
  }

  function letIn(): void {
    while (!isFull()) {
      const next = turns.next()
      if (!next) return
      next.value.enter(stay(next.ended))
    }
  }

  function waitForPlace(place: Place, signal: AbortSignal): Promise<Leave> {
    if (turns.waiting >= most_waiting) {
      const other = turns.givesWayTo(place)
      if (!other) throw refusal('busy')
      turns.remove(other)
      other.value.refuse()
    }
    return new Promise((resolve, reject) => {
      const waiter = turns.add(place, {
        enter(leave) {
          signal.removeEventListener('abort', disconnect)
          resolve(leave)
        },
        refuse() {
          signal.removeEventListener('abort', disconnect)
          reject(refusal('busy'))
        },
      })
      function disconnect() {
        turns.remove(waiter)
        reject(refusal('gone'))
      }
      signal.addEventListener('abort', disconnect, { once: true })
    })
  }

  return {
    /**
     * Waits for a place. The form must leave it when its hash waits, or when it is answered.
     *
     * @param signal makes a signal that is aborted when the client disconnects
     */
    async enter(place: Place, signal: () => AbortSignal): Promise<Leave> {
      if (isFull()) return waitForPlace(place, signal())
      return stay(turns.begins(place))
    },
  }
}
