// pure
/**
 * Long computations in slices, so that nobody waits for them: the work is a generator that stops after each small step, and goes on in a later
 * turn of the event loop when a slice of time is over. All of them together have one slice in each turn.
 */

/** The work, step by step. A step is short whatever the input is: one object of a thousand, some kilobytes of a text. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Does all the work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Like `flatMap`, with a step for each entry. */
export function* flatMapSteps<T, U>(entries: Iterable<T>, of: (entry: T) => readonly U[]): Steps<U[]> {
  const found: U[] = []
  for (const entry of entries) {
    for (const made of of(entry)) found.push(made)
    yield
  }
  return found
}

const slice_ms = 5

export interface Slices {
  run<T>(steps: Steps<T>): Promise<T>
}

interface Means {
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number
  /** Resolves in the next turn of the event loop. */
  readonly nextTurn: () => Promise<unknown>
}

/** A half of the time is for the step that begins just before the end of its slice, and for the garbage that the steps make. */
const planned_ms = slice_ms / 2

export function createSlices({ elapsed, nextTurn }: Means): Slices {
  /** Settles when the computation that asked last has its slice. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(steps) {
      for (;;) {
        last = last.then(nextTurn)
        await last
        const until = elapsed() + planned_ms
        do {
          const { done, value } = steps.next()
          if (done) return value
        } while (elapsed() < until)
      }
    },
  }
}
