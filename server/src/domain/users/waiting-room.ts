/**
 * Where requests wait for their turns, in the order of `hashing-turns.ts`: hashes for a core, forms for the doorway. One that waits is
 * admitted, gives way to another, or leaves when its client disconnects.
 */
import { createTurns, type Ended, type HashOrigin } from './hashing-turns.ts'

/** @param refusal the error of one that gives way, or whose client disconnects */
export function createWaitingRoom<T>(refusal: (why: 'busy' | 'gone') => Error) {
  const turns = createTurns<PromiseWithResolvers<T>>()
  return {
    get waiting(): number {
      return turns.waiting
    },
    /** Whether a foreign hash runs, for whose end the others wait. */
    get foreignRuns(): boolean {
      return turns.foreignRuns
    },
    begins: turns.begins,
    turnsBefore: turns.turnsBefore,

    /** Waits, beginning with the call. Where the room is full, the newest of the source with the most waiting is refused, or the newcomer. */
    wait(place: HashOrigin, signal: AbortSignal | undefined, is_full: boolean, is_foreign = false): Promise<T> {
      if (is_full) {
        const other = turns.givesWayTo(place)
        if (!other) throw refusal('busy')
        turns.remove(other)
        other.value.reject(refusal('busy'))
      }
      const admission = Promise.withResolvers<T>()
      const waiter = turns.add(place, admission, is_foreign)
      const disconnect = () => {
        turns.remove(waiter)
        admission.reject(refusal('gone'))
      }
      signal?.addEventListener('abort', disconnect, { once: true })
      return admission.promise.finally(() => signal?.removeEventListener('abort', disconnect))
    },

    /** Admits the one whose turn it is, with what `give` makes. Returns false where none waits that may run. */
    admitNext(give: (ended: Ended) => T): boolean {
      const next = turns.next()
      next?.value.resolve(give(next.ended))
      return next !== null
    },
  }
}
