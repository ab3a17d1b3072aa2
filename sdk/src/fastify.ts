/** The entry `@ostiary/sdk/fastify`: a hook for Fastify, without an import of it. */
import { createGuard, type ProtectOptions } from './protect.ts'
import { keepToken } from './tokens.ts'

export type { ProtectOptions } from './protect.ts'
export { tokenOf } from './tokens.ts'

/** The parts of Fastify that the hook uses. */
interface Incoming {
  method: string
  url: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  body?: unknown
}
/** The parts that a function of the options can read without the types of Fastify. */
interface Routed extends Incoming {
  params: unknown
}
interface Reply {
  code(status: number): this
  headers(headers: Record<string, string>): this
  send(body?: unknown): unknown
}

/**
 * A hook for `preHandler` that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. Fastify has parsed
 * the body before, within its `bodyLimit`.
 */
export function protect<R extends Incoming = Routed>(options: ProtectOptions<R>) {
  const judge = createGuard(options)
  // Not inferred from the place of the hook, whose type has parameters of its own.
  return async (request: NoInfer<R>, reply: Reply): Promise<unknown> => {
    const { method, url, headers, body } = request
    const verdict = await judge({
      request,
      method,
      path: url.split('?', 1)[0] ?? '',
      header: (name) => headers[name]?.toString(),
      readBody: async () => ({ parsed: body }),
    })
    if ('answer' in verdict) return reply.code(verdict.answer.status).headers(verdict.answer.headers).send(verdict.answer.body)
    keepToken(request, verdict.token)
    return undefined
  }
}
