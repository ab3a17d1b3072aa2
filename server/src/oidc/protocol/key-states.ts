// pure
/** Which signing key signs now, which are published, and which are done. */

interface KeyTime {
  readonly signs_from: Date
}

interface KeyState<K> {
  readonly key: K
  readonly state: 'next' | 'current' | 'retired' | 'expired'
}

/** The longest life of any token (settings allow 24 hours), with an allowance for clocks that differ. */
export const longest_token_ms = (86_400 + 300) * 1000

/**
 * The state of each key at an instant. The newest key whose time has come signs; a key that was replaced stays
 * published (OIDC Core §10.1.1) until the last token it can have signed has expired.
 */
export function keyStates<K extends KeyTime>(keys: readonly K[], now: Date): KeyState<K>[] {
  const sorted = [...keys].sort((a, b) => a.signs_from.getTime() - b.signs_from.getTime())
  const current = sorted.findLastIndex((key) => key.signs_from <= now)
  return sorted.map((key, i) => {
    if (i > current) return { key, state: 'next' }
    if (i === current) return { key, state: 'current' }
    const replaced_at = sorted[i + 1]?.signs_from.getTime() ?? 0
    return { key, state: replaced_at + longest_token_ms > now.getTime() ? 'retired' : 'expired' }
  })
}

/** Until when all states stay as they are, in milliseconds since 1970. */
export function statesEndAt(keys: readonly KeyTime[], now: Date): number {
  const changes = keys.flatMap(({ signs_from }) => [signs_from.getTime(), signs_from.getTime() + longest_token_ms])
  return Math.min(...changes.filter((at) => at > now.getTime()))
}

/** The key that signs now. */
export function currentKey<K extends KeyTime>(keys: readonly K[], now: Date): K {
  const found = keyStates(keys, now).find((state) => state.state === 'current')
  if (!found) throw new Error('The environment has no signing key that may be used now.')
  return found.key
}

/** The keys that the JWKS shows: those that sign, will sign, or signed tokens that still live. */
export function publishedKeys<K extends KeyTime>(keys: readonly K[], now: Date): K[] {
  return keyStates(keys, now)
    .filter((state) => state.state !== 'expired')
    .map((state) => state.key)
}
