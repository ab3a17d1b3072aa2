// pure
/** The states of the signing keys of an environment: next, current, retired and expired. */

interface KeyTime {
  readonly signs_from: Date
  /** The time from which nothing asks for signatures of the sequence; `null` where something does. */
  readonly unused_from?: Date | null
}

interface KeyState<K> {
  readonly key: K
  readonly state: 'next' | 'current' | 'retired' | 'expired'
}

/** The longest lifetime of any token (settings allow 24 hours), with an allowance for clocks that differ. */
export const longest_token_ms = (86_400 + 300) * 1000

/** The longest session (settings allow 365 days). For so long an ID token can name a session that still exists. */
export const longest_session_ms = 31_536_000 * 1000

/**
 * The state of each key at a time. The newest key whose `signs_from` has passed signs. A replaced key stays published (OIDC Core
 * §10.1.1) until the last token that it can have signed has expired. A key that nothing asks for stays as long after that time.
 */
export function keyStates<K extends KeyTime>(keys: readonly K[], now: Date): KeyState<K>[] {
  const sorted = [...keys].sort((a, b) => a.signs_from.getTime() - b.signs_from.getTime())
  const used = sorted.filter((key) => !key.unused_from)
  const current = used.findLastIndex((key) => key.signs_from <= now)
  const endedAt = (ms: number) => (ms + longest_token_ms > now.getTime() ? 'retired' : 'expired')
  return sorted.map((key) => {
    if (key.unused_from) return { key, state: endedAt(key.unused_from.getTime()) }
    const i = used.indexOf(key)
    if (i > current) return { key, state: 'next' }
    if (i === current) return { key, state: 'current' }
    return { key, state: endedAt(used[i + 1]?.signs_from.getTime() ?? 0) }
  })
}

/** The time at which the first state changes, in milliseconds since 1970. */
export function statesEndAt(keys: readonly KeyTime[], now: Date): number {
  const times = keys.flatMap(({ signs_from, unused_from }) => [signs_from, unused_from ?? signs_from].map((time) => time.getTime()))
  const changes = times.flatMap((time) => [time, time + longest_token_ms])
  return Math.min(...changes.filter((at) => at > now.getTime()))
}

/** The key that signs at this time; `null` where none has begun, or nothing asks for its signatures. */
export const keyInUse = <K extends KeyTime>(keys: readonly K[], now: Date): K | null =>
  keyStates(keys, now).find(({ state }) => state === 'current')?.key ?? null

/**
 * The key that signs at this time. Where none has begun, the oldest signs: a process whose clock is ahead made it as the first key, which
 * signs at once.
 */
export function currentKey<K extends KeyTime>(keys: readonly K[], now: Date): K {
  const found = keyInUse(keys, now) ?? keyStates(keys, now)[0]?.key
  if (!found) throw new Error('The environment has no signing key.')
  return found
}

/** The keys of the JWKS: keys that sign, keys that will sign, and keys that signed tokens which are still valid. */
export function publishedKeys<K extends KeyTime>(keys: readonly K[], now: Date): K[] {
  return keyStates(keys, now)
    .filter((state) => state.state !== 'expired')
    .map((state) => state.key)
}
