/**
 * The doorway of forms with passwords: only a few are worked on at a time until their hashes wait for their turns. Otherwise the queries
 * and pages of 200 sign-ins that one source sends together would hold up everybody, before any hash takes its turn. The others wait
 * here, in the same order as hashes. See docs/decisions/0069.
 */
import type { Ended, HashOrigin } from './hashing-turns.ts'
import { createWaitingRoom } from './waiting-room.ts'

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

export function createDoorway({ lanes, waiting, most_waiting, refusal }: Hashing) {
  const room = createWaitingRoom<Leave>(refusal)
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
    while (!isFull() && room.admitNext(stay)) {
      // Each that is admitted takes a place.
    }
  }

  return {
    /**
     * Waits for a place. The form must leave it when its hash waits, or when it is answered.
     *
     * @param signal makes a signal that is aborted when the client disconnects
     */
    async enter(place: HashOrigin, signal: () => AbortSignal): Promise<Leave> {
      if (isFull()) return room.wait(place, signal(), room.waiting >= most_waiting)
      return stay(room.begins(place))
    },
  }
}
