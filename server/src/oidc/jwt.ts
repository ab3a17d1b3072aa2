/** Signs and verifies the tokens of an issuer by its keys, each with the algorithm of the key: RS256 or ES256. */
import { type KeyObject, sign, verify } from 'node:crypto'
import type { SigningAlg } from '@ostiary/contract/signing-key.ts'
import { createBoundedMap } from '../base/bounded-map.ts'
import { sha256 } from '../base/digest.ts'
import { isRecord } from '../base/record.ts'
import { longest_jwt } from '../protocol/claims.ts'
import { derOfJose, es256_bytes, joseOfDer } from '../protocol/ecdsa-signature.ts'
import { currentKey, keyInUse } from '../protocol/key-states.ts'
import type { Es256Key } from './es256-keys.ts'
import type { PublicKey, SigningKey } from './signing-keys.ts'

/** A key that is ready to sign. */
export interface Signer {
  readonly kid: string
  readonly alg: SigningAlg
  readonly private_key: KeyObject
}

/** The key that signs at this time. Throws where it cannot be unsealed, so callers take it before they write anything. */
export const signerAt = (keys: readonly SigningKey[], now: Date): Signer => signerOf(currentKey(keys, now))

/** The same of the keys for ES256; `null` while none signs. */
export function es256SignerAt(keys: readonly Es256Key[], now: Date): Signer | null {
  const key = keyInUse(keys, now)
  return key && signerOf(key)
}

const signerOf = ({ kid, alg, private_key }: SigningKey): Signer => ({ kid, alg, private_key: private_key() })

/** The encoded header of each key and type. */
const heads = createBoundedMap<string, string>(10_000)

/** RFC 7515 §3.1. Signs on the thread pool, because a signature of RS256 takes a third of a millisecond. */
export function signJwt(
  { kid, alg, private_key }: Signer,
  typ: 'JWT' | 'at+jwt' | 'logout+jwt',
  claims: Record<string, unknown>,
): Promise<string> {
  const name = `${typ}.${kid}`
  let head = heads.get(name)
  if (head === undefined) {
    head = Buffer.from(JSON.stringify({ alg, typ, kid })).toString('base64url')
    heads.set(name, head)
  }
  const input = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), private_key, (error, signature) => {
      if (error) return reject(error)
      const bytes = alg === 'ES256' ? joseOfDer(signature) : signature
      resolve(`${input}.${bytes.toString('base64url')}`)
    })
  })
}

/**
 * The claims of a JWT of this type that one of these keys signed; `null` for any other text. The caller checks time and audience. The
 * algorithm is that of the key: a header that names a different one is refused (RFC 8725 §3.1).
 */
export function verifyJwt(keys: readonly PublicKey[], typ: string, token: string): Readonly<Record<string, unknown>> | null {
  if (token.length > longest_jwt) return null
  const digest = sha256(token, 'base64url')
  let found = verified.get(digest) ?? null
  if (!found) {
    found = verifySignature(keys, token)
    if (!found) return null
    verified.set(digest, found)
  }
  const { kid } = found
  return found.typ === typ && keys.some((key) => key.kid === kid) ? found.claims : null
}

interface VerifiedJwt {
  readonly typ: unknown
  /** The thumbprint of the key, which no other key has. */
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * JWTs with a valid signature, by their digest: backends send the same token many times. Whether the key is among those
 * that the caller accepts, and everything else that can change, is checked each time.
 */
const verified = createBoundedMap<string, VerifiedJwt>(5_000)

/** The only length of a signature: of the modulus of our RSA keys, and of r and s of P-256 (RFC 7518 §3.4). */
const signature_bytes: Readonly<Record<SigningAlg, number>> = { RS256: 256, ES256: es256_bytes }

function verifySignature(keys: readonly PublicKey[], token: string): VerifiedJwt | null {
  const [head, body, signature, ...rest] = token.split('.')
  if (!head || !body || !signature || rest.length > 0) return null
  const header = parseObject(head)
  if (!header || header.crit !== undefined) return null
  const key = keys.find((candidate) => candidate.kid === header.kid)
  if (!key || header.alg !== key.alg) return null
  const bytes = Buffer.from(signature, 'base64url')
  if (bytes.length !== signature_bytes[key.alg] || bytes.toString('base64url') !== signature) return null
  const signed = key.alg === 'ES256' ? derOfJose(bytes) : bytes
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key.public_key(), signed)) return null
  const claims = parseObject(body)
  return claims && { typ: header.typ, kid: key.kid, claims: Object.freeze(claims) }
}

/** Decodes a base64url part; `null` where it is not a JSON object. */
function parseObject(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isRecord(value) ? value : null
  } catch {
    return null // not JSON, so this service did not sign it
  }
}
