/** The entry `@ostiary/sdk/express`: middleware for Express 4 and 5, without an import of it. */
import { admit, type ProtectOptions } from './protect.ts'
import type { AccessToken } from './verify.ts'

export type { ProtectOptions } from './protect.ts'

/** The parts of Express that the middleware uses. */
interface Incoming {
  headers: { authorization?: string | undefined }
}
/** The parts that a function of the options can read without the types of Express. */
interface Routed extends Incoming {
  params: Record<string, string | string[]>
}
interface Outgoing {
  status(code: number): this
  set(headers: Record<string, string>): unknown
  json(body: unknown): unknown
}

const tokens = new WeakMap<object, AccessToken>()

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export function protect<R extends Incoming = Routed>(options: ProtectOptions<R>) {
  return (request: R, response: Outgoing, next: (error?: unknown) => void): void => {
    admit(request.headers.authorization, request, options).then((result) => {
      if ('refusal' in result) {
        const { status, headers, body } = result.refusal
        response.status(status).set(headers)
        response.json(body)
        return
      }
      tokens.set(request, result.token)
      next()
    }, next)
  }
}

/** An earlier name of `protect`. */
export const requireToken = protect

/** The access token of a request that `protect` admitted. */
export function tokenOf(request: object): AccessToken {
  const token = tokens.get(request)
  if (!token) throw new TypeError('The request did not pass protect.')
  return token
}
