/** The entry `@ostiary/sdk/node`: `protect` for a server of node:http and for whatever has middleware like it. */
import { type Body, bytesOfStream, type NodeStream } from './body.ts'
import { createGuard, type ProtectOptions } from './protect.ts'
import type { Answer } from './resource-metadata.ts'
import { keepToken } from './tokens.ts'

export type { ProtectOptions } from './protect.ts'
export { tokenOf } from './tokens.ts'

/** The parts of a request that the middleware uses. */
export interface Incoming extends NodeStream {
  method?: string | undefined
  url?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of frameworks: the address, before a mounted part took its beginning away. */
  originalUrl?: string | undefined
  body?: unknown
}
export interface Outgoing {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text?: string): unknown
}
/**
 * Middleware that answers requests without a valid access token, and calls `next` for the others, or with an error of the options or of the application.
 * With `tools` the message of an admitted request is in its `body`, since a stream is read once.
 */
export function protect<R extends Incoming = Incoming>(options: ProtectOptions<R>) {
  const judge = createGuard(options)
  return (request: R, response: Outgoing, next: (error?: unknown) => void): void => {
    const { method = 'GET', url = '', originalUrl = url, headers } = request
    const path = originalUrl.split('?', 1)[0] ?? ''
    const header = (name: string) => headers[name]?.toString()
    judge({ request, method, path, header, readBody: (longest) => bodyOf(request, longest) }).then((verdict) => {
      if ('answer' in verdict) return send(response, verdict.answer)
      keepToken(request, verdict.token)
      // `_body` keeps the parser of Express 4 from the stream, which has ended.
      if (verdict.message !== undefined) Object.assign(request, { body: verdict.message, _body: true })
      next()
    }, next)
  }
}

/** A stream that has ended was read by a parser, which left the body. Any other is still to be read, whatever stands in `body`. */
const bodyOf = async (request: Incoming, longest: number): Promise<Body> =>
  request.readableEnded || request.destroyed ? { parsed: request.body } : { bytes: await bytesOfStream(request, longest) }

function send(response: Outgoing, { status, headers, body }: Answer): void {
  response.writeHead(status, body === null ? headers : { ...headers, 'content-type': 'application/json' })
  response.end(body === null ? undefined : JSON.stringify(body))
}
