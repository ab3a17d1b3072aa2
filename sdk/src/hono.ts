/** The entry `@ostiary/sdk/hono`: middleware for Hono, without an import of it. */
import { admit, type ProtectOptions } from './protect.ts'
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

const tokens = new WeakMap<Request, AccessToken>()

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export function protect<C extends Context = Routed>(options: ProtectOptions<C>) {
  return async (context: C, next: () => Promise<void>): Promise<Response | undefined> => {
    const { raw } = context.req
    const result = await admit(raw.headers.get('authorization') ?? undefined, context, options)
    if ('refusal' in result) return Response.json(result.refusal.body, result.refusal)
    tokens.set(raw, result.token)
    await next()
    return undefined
  }
}

/** An earlier name of `protect`. */
export const requireToken = protect

/** The access token of a request that `protect` admitted. */
export function tokenOf(context: Context): AccessToken {
  const token = tokens.get(context.req.raw)
  if (!token) throw new TypeError('The request did not pass protect.')
  return token
}
