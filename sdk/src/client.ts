/** The management client: an object with one function for each operation of the route table. */
import { createCaller, type Request } from './call.ts'
import { type Operations, routes } from './generated/operations.ts'
import { listOf } from './lists.ts'
import type { Answer, AnyOptions, ClientOptions, List, Page } from './options.ts'

/** The same operations, which return the answer with its status and headers. A list returns one page. */
export type Responses = {
  [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<AnswerOf<ReturnType<Operations[Name]>>>
}
type AnswerOf<R> = R extends List<infer T> ? Answer<Page<T>> : R extends Promise<infer T> ? Answer<T> : never

export type Client = Operations & { readonly responses: Responses }

export function createClient(options: ClientOptions): Client {
  const send = createCaller(options)
  const operations: Record<string, unknown> = {}
  const responses: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(routes)) {
    const [method = '', path = '', flags = ''] = row.split(' ')
    const requestOf = (args: unknown[]): Request => {
      const rest = [...args]
      const params = flags.includes('p') ? { ...(rest.shift() as Record<string, unknown> | undefined) } : {} // as: see Operations
      const body = flags.includes('b') ? rest.shift() : undefined
      return { operation: name, method, path, params, body, options: (rest[0] ?? {}) as AnyOptions } // as: see Operations
    }
    const respond = (...args: unknown[]) => send(requestOf(args))
    const list = (...args: unknown[]) => {
      const request = requestOf(args)
      const read = async (cursor = request.params.cursor) =>
        (await send({ ...request, params: { ...request.params, cursor } })).data as Page<unknown> // as: the type of the operation
      return listOf(read)
    }
    responses[name] = respond
    operations[name] = flags.includes('l') ? list : async (...args: unknown[]) => (await respond(...args)).data
  }
  return { ...operations, responses } as unknown as Client // as: the table has a row for each operation
}
