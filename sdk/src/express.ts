/** The entry `@ostiary/sdk/express`: middleware for Express 4 and 5, without an import of it. */
import { admit } from './protect.ts'
import type { AccessToken, VerifyOptions } from './verify.ts'

/** The parts of Express that the middleware uses. */
interface Incoming {
  headers: { authorization?: string | undefined }
}
interface Outgoing {
  status(code: number): this
  set(headers: Record<string, string>): unknown
  json(body: unknown): unknown
}

const tokens = new WeakMap<object, AccessToken>()

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export function requireToken(options: VerifyOptions) {
  return (request: Incoming, response: Outgoing, next: (error?: unknown) => void): void => {
    admit(request.headers.authorization, options).then((result) => {
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

/** The access token of a request that `requireToken` admitted. */
export function tokenOf(request: object): AccessToken {
  const token = tokens.get(request)
  if (!token) throw new TypeError('The request did not pass requireToken.')
  return token
}
