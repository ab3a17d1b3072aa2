/** The entry `@ostiary/sdk/hono`: middleware for Hono, without an import of it. */
import { receivedOf, responseOf } from './fetch.ts'
import { createGuard, type ProtectOptions } from './protect.ts'
import { keepToken, tokenOf as tokenOfRequest } from './tokens.ts'
import type { AccessToken } from './verify.ts'

export type { ProtectOptions } from './protect.ts'

/** The parts of Hono that the middleware uses. */
interface Context {
  req: { raw: Request }
}
/** The parts that a function of the options can read without the types of Hono. */
interface Routed extends Context {
  req: { raw: Request; param(name: string): string | undefined }
}

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export function protect<C extends Context = Routed>(options: ProtectOptions<C>) {
  const judge = createGuard(options)
  return async (context: C, next: () => Promise<void>): Promise<Response | undefined> => {
    const { raw } = context.req
    const verdict = await judge(receivedOf(raw, context))
    if ('answer' in verdict) return responseOf(verdict.answer)
    keepToken(raw, verdict.token)
    await next()
    return undefined
  }
}

/** An earlier name of `protect`. */
export const requireToken = protect

/** The access token of a request that `protect` admitted. */
export const tokenOf = (context: Context): AccessToken => tokenOfRequest(context.req.raw)
