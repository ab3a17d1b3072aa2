/** The entry `@ostiary/sdk/fetch`: `protect` around a handler of the Fetch standard, such as those of Next.js, Bun, Deno and workers. */
import { bytesOfRequest } from './body.ts'
import { createGuard, type ProtectOptions, type Received } from './protect.ts'
import type { Answer } from './resource-metadata.ts'
import { keepToken } from './tokens.ts'

export type { ProtectOptions } from './protect.ts'
export { tokenOf } from './tokens.ts'

/**
 * A handler that answers requests without a valid access token, and gives the others to `handler`, with what the runtime passes beside the request. `tokenOf`
 * returns the token of an admitted request.
 */
export function protect<R extends Request, Rest extends unknown[]>(
  options: ProtectOptions<R>,
  handler: (request: R, ...rest: Rest) => Response | Promise<Response>,
) {
  const judge = createGuard(options)
  return async (request: R, ...rest: Rest): Promise<Response> => {
    const verdict = await judge(receivedOf(request, request))
    if ('answer' in verdict) return responseOf(verdict.answer)
    keepToken(request, verdict.token)
    return handler(request, ...rest)
  }
}

/** A function of the options gets `request`. */
export function receivedOf<R>(raw: Request, request: R): Received<R> {
  return {
    request,
    method: raw.method,
    path: new URL(raw.url).pathname,
    header: (name) => raw.headers.get(name) ?? undefined,
    readBody: async (longest) => ({ bytes: await bytesOfRequest(raw, longest) }),
  }
}

export const responseOf = ({ status, headers, body }: Answer): Response =>
  body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers })
