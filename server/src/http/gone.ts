import type { ServerResponse } from 'node:http'

/**
 * Returns a signal that is aborted if the client disconnects before the response is written. For work that may wait in a queue. A call
 * holds a function that makes it, not a getter: V8 makes a hidden class for each object with a getter of its own, and the class keeps the
 * request alive until the next full collection (bench/RESULTS.md).
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
  return gone.signal
}
