/**
 * The public keys of providers, for their logout tokens; `openid-client` has those for ID tokens. A cache keeps them for minutes. A token
 * with an unknown key makes the service read them again, at most once a minute, so that strangers cannot make it call a provider all the time.
 */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { createBoundedMap } from '../base/bounded-map.ts'
import type { Deployment } from '../deployment/deployment.ts'

interface Entry {
  readonly read_at_ms: number
  readonly keys: Promise<LocalJWKSet | null>
}

/** A key that a provider withdraws is refused after this time at the latest. */
const keep_ms = 300_000
/** The shortest time between two reads. */
const cool_down_ms = 60_000
const most_cached = 200

interface KeyOwner {
  /** Of the provider. It decides how the address may be called. */
  issuer: string
  jwks_uri: string
}

/** @param read returns the body of the address, as JSON; `null` where it cannot be read */
export function createUpstreamKeys({ now }: Pick<Deployment, 'now'>, read: (owner: KeyOwner) => Promise<unknown>) {
  const cache = createBoundedMap<string, Entry>(most_cached)

  const keyOf = ({ issuer, jwks_uri }: KeyOwner) => `${issuer} ${jwks_uri}`

  function refresh(owner: KeyOwner): Entry {
    const entry = { read_at_ms: now().getTime(), keys: read(owner).then(keySetOf, () => null) }
    cache.set(keyOf(owner), entry)
    return entry
  }

  const ageOf = ({ read_at_ms }: Entry) => Math.abs(now().getTime() - read_at_ms)

  return {
    /** The payload, if a key of this address signed the token with one of these algorithms; `null` otherwise. */
    async verify(owner: KeyOwner, token: string, algorithms: readonly string[]): Promise<Uint8Array | null> {
      const cached = cache.get(keyOf(owner))
      const known = cached && ageOf(cached) < keep_ms ? cached : refresh(owner)
      const payload = await verifyWith(await known.keys, token, algorithms)
      if (payload !== 'unknown_key') return payload
      if (ageOf(known) < cool_down_ms) return null
      const again = await verifyWith(await refresh(owner).keys, token, algorithms)
      return again === 'unknown_key' ? null : again
    },
  }
}

function keySetOf(read: unknown): LocalJWKSet | null {
  try {
    return createLocalJWKSet(read as JSONWebKeySet) // as: jose checks it, and each key when it uses it
  } catch {
    return null
  }
}

/** An unusable key counts as absent. */
async function verifyWith(
  keys: LocalJWKSet | null,
  token: string,
  algorithms: readonly string[],
): Promise<Uint8Array | null | 'unknown_key'> {
  if (!keys) return 'unknown_key'
  const options = { algorithms: [...algorithms] }
  try {
    return (await compactVerify(token, keys, options)).payload
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key'
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return null
    for await (const key of error) {
      const verified = await compactVerify(token, key, options).catch(() => null)
      if (verified) return verified.payload
    }
    return null
  }
}
