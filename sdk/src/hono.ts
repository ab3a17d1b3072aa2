/** The entry `@ostiary/sdk/hono`: middleware for Hono, without an import of it. */
import { admit } from './protect.ts'
import type { AccessToken, VerifyOptions } from './verify.ts'

/** The parts of Hono that the middleware uses. */
interface Context {
  req: { raw: Request }
}

const tokens = new WeakMap<Request, AccessToken>()

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export function requireToken(options: VerifyOptions) {
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { raw } = context.req
    const result = await admit(raw.headers.get('authorization') ?? undefined, options)
    if ('refusal' in result) return Response.json(result.refusal.body, result.refusal)
    tokens.set(raw, result.token)
    await next()
    return undefined
  }
}

/** The access token of a request that `requireToken` admitted. */
export function tokenOf(context: Context): AccessToken {
  const token = tokens.get(context.req.raw)
  if (!token) throw new TypeError('The request did not pass requireToken.')
  return token
}
