// pure
/** Returns a function whose callers share one call while it runs: however many strangers ask, the work is done once at a time. */
export function oneAtATime<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= call().finally(() => {
      running = null
    })
    return running
  }
}
