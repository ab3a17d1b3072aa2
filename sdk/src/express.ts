/** The entry `@ostiary/sdk/express`: middleware for Express 4 and 5, without an import of it. */
import { type Incoming, type Outgoing, protect as protectNode } from './node.ts'
import type { ProtectOptions } from './protect.ts'

export type { ProtectOptions } from './protect.ts'
export { tokenOf } from './tokens.ts'

/** The parts that a function of the options can read without the types of Express. */
interface Routed extends Incoming {
  params: Record<string, string | string[]>
}

/** Middleware that answers requests without a valid access token. `tokenOf` returns the token of an admitted request. */
export const protect: <R extends Incoming = Routed>(
  options: ProtectOptions<R>,
) => (request: R, response: Outgoing, next: (error?: unknown) => void) => void = protectNode

/** An earlier name of `protect`. */
export const requireToken = protect
