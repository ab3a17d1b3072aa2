// pure
/** Whether the database takes changes: what the last write of this process said. */

export interface Writes {
  /** Why the last write failed, where its disk or a read-only database was the reason; `null` after one that did not fail so. */
  readonly failure: Error | null
  /** Takes the outcome of a write, and passes it on. */
  watch<T>(written: Promise<T>): Promise<T>
}

/** @param isOfDisk tells such a failure from others, which say nothing about the next write */
export function createWrites(isOfDisk: (error: unknown) => error is Error): Writes {
  let failure: Error | null = null
  return {
    get failure() {
      return failure
    },
    watch(written) {
      written.then(
        () => {
          failure = null
        },
        (error) => {
          if (isOfDisk(error)) failure = error
        },
      )
      return written
    },
  }
}
