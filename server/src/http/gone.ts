import type { ServerResponse } from 'node:http'

/** Returns a signal that is aborted if the client disconnects before the response is written. For work that may wait in a queue. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
  return gone.signal
}
