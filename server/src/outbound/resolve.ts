/** Asks for the addresses of a host name, within a time limit. Judges none of them: see `addresses.ts`. */
import { lookup, Resolver } from 'node:dns/promises'
import { isLocalhost } from './addresses.ts'

/** Every address of a name, as text. Rejects, or answers an empty list, where there is none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

const attempt_ms = 2_000

/**
 * Asks the name servers without the thread pool, where a slow one would stand before signatures and passwords, and can
 * be told to stop. `ask_system` goes on to the operating system, which also reads the hosts file: of use only where
 * addresses of one's own network may be reached at all.
 */
export function createResolve({ ask_system }: { ask_system: boolean }): Resolve {
  return async (name, signal) => {
    if (isLocalhost(name)) return ['127.0.0.1', '::1'] // no name server is asked for it
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
