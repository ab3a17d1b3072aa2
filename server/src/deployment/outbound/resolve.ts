/** Resolves host names within a time limit. `addresses.ts` decides which of the addresses may be reached. */
import { lookup, Resolver } from 'node:dns/promises'
import { isLocalhost } from '../../base/addresses.ts'

/** Returns all addresses of a name as text. Rejects or returns an empty list if there are none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

const attempt_ms = 2_000

/**
 * Queries the name servers outside the thread pool, where a slow query would delay signatures and passwords, and can cancel a
 * query. With `ask_system` it falls back to the resolver of the operating system, which also reads the hosts file. That helps
 * only where private networks are allowed.
 */
export function createResolve({ ask_system }: { ask_system: boolean }): Resolve {
  return async (name, signal) => {
    if (isLocalhost(name)) return ['127.0.0.1', '::1'] // RFC 6761 §6.3: never sent to a name server
    const resolver = new Resolver({ timeout: attempt_ms, tries: 2 })
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      signal.throwIfAborted()
      if (addresses.length > 0 || !ask_system) return addresses
      return (await lookup(name, { all: true })).map(({ address }) => address)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
