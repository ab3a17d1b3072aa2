// pure
/** A lane for work of which only one piece may go on at a time, in the order of arrival. */

/** Resolves when it is the turn of the caller, who calls the returned function at the end. */
export type Lane = () => Promise<() => void>

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve()
  return async () => {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await before
    return resolve
  }
}
