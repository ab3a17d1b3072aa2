/**
 * One refresh for all requests that carry the same cookie. A refresh token works once, and its second use ends the grant (RFC 9700 §4.14.2),
 * so parallel requests of a page share a refresh, and a late one with the old cookie gets its result. Several processes of an application
 * need `tokens.refresh_retry_window_seconds` of the environment for this.
 */
import type { Tokens } from './issuer.ts'

const kept_seconds = 60
const most_kept = 1_000

export function createRefresher(refresh: (before: Tokens) => Promise<Tokens | null>, seconds: () => number) {
  const kept = new Map<string, { done: Promise<Tokens | null>; until: number }>()

  return (before: Tokens): Promise<Tokens | null> => {
    const name = before.refresh_token ?? ''
    for (const [token, { until }] of kept) {
      if (until > seconds() && kept.size < most_kept) break // the oldest come first
      kept.delete(token)
    }
    const known = kept.get(name)
    if (known) return known.done
    const done = refresh(before)
    kept.set(name, { done, until: seconds() + kept_seconds })
    // Without an answer the token may still work, so the next request tries again.
    done.catch(() => kept.delete(name))
    return done
  }
}
