// pure
/** Whether a change of a key lets it do more, from more places or for longer. Only such a change needs a fresh sign-in. */
import type { ApiKey } from '@ostiary/contract/api-key.ts'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import { parseNetwork } from '../../base/networks.ts'
import { rateLimitOf, scopesAllow } from './policy.ts'

type Widening = (before: ApiKey, after: ApiKey) => boolean

const widenings: Readonly<Record<string, Widening>> = {
  /** `*` also covers scopes that do not exist yet. */
  scopes: (before, after) =>
    (after.scopes.includes('*') && !before.scopes.includes('*')) ||
    platformScopes.some((scope) => scopesAllow(after.scopes, scope) && !scopesAllow(before.scopes, scope)),
  allowed_origins: (before, after) => after.allowed_origins.some((origin) => !before.allowed_origins.includes(origin)),
  /** An empty list admits every address. */
  ip_allowlist: (before, after) =>
    before.ip_allowlist.length > 0 &&
    (after.ip_allowlist.length === 0 || after.ip_allowlist.some((entry) => !before.ip_allowlist.some((wide) => holds(wide, entry)))),
  /** More requests at once, or more in the long run. */
  rate_limit: (before, after) => {
    const [old, next] = [rateLimitOf(before), rateLimitOf(after)]
    return next.limit > old.limit || next.limit * old.window_seconds > old.limit * next.window_seconds
  },
  expires_at: (before, after) =>
    before.expires_at !== null && (after.expires_at === null || Date.parse(after.expires_at) > Date.parse(before.expires_at)),
}

/** A field without a rule is treated as widened. */
export const isWidened = (field: string, before: ApiKey, after: ApiKey): boolean => widenings[field]?.(before, after) ?? true

/** Whether the network `wide` contains every address of `narrow`. */
function holds(wide: string, narrow: string): boolean {
  const [outer, inner] = [parseNetwork(wide), parseNetwork(narrow)]
  if (typeof outer === 'string' || typeof inner === 'string') return wide === narrow
  return outer.base.kind() === inner.base.kind() && outer.prefix <= inner.prefix && inner.base.match(outer.base, outer.prefix)
}
