/**
 * The public keys of providers, for their logout tokens; `openid-client` has those for ID tokens. A cache keeps them for minutes. A token
 * with an unknown key makes the service read them again, at most once a minute, so that strangers cannot make it call a provider all the
 * time.
 */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { createSharedReads } from '../../base/shared-reads.ts'
import type { Deployment } from '../../deployment/deployment.ts'

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
  const reads = createSharedReads(
    { now },
    { keep_ms, cool_down_ms, most: most_cached },
    async (owner: KeyOwner) => createLocalJWKSet((await read(owner)) as JSONWebKeySet), // as: jose checks it, and each key when it uses it
  )
  const keyOf = ({ issuer, jwks_uri }: KeyOwner) => `${issuer} ${jwks_uri}`

  return {
    /** The payload, if a key of this address signed the token with one of these algorithms; `null` otherwise. */
    async verify(owner: KeyOwner, token: string, algorithms: readonly string[]): Promise<Uint8Array | null> {
      const known = await reads.find(keyOf(owner), owner, 0).catch(() => null)
      const payload = await verifyWith(known, token, algorithms)
      if (payload !== 'unknown_key') return payload
      const fresh = reads.findFresh(keyOf(owner), owner, 0)
      if (!fresh) return null
      const again = await verifyWith(await fresh.catch(() => null), token, algorithms)
      return again === 'unknown_key' ? null : again
    },
  }
}

/** An unusable key is ignored. */
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
