/** Signs and verifies the tokens of an issuer by its keys, with RS256. */
import { type KeyObject, sign, verify } from 'node:crypto'
import { createBoundedMap } from '../base/bounded-map.ts'
import { sha256 } from '../base/digest.ts'
import { isRecord } from '../base/record.ts'
import { longest_jwt } from '../protocol/claims.ts'
import { currentKey } from '../protocol/key-states.ts'
import type { PublicKey, SigningKey } from './signing-keys.ts'

/** A key that is ready to sign. */
export interface Signer {
  readonly kid: string
  readonly private_key: KeyObject
}

/** The key that signs at this time. Throws where it cannot be unsealed, so callers take it before they write anything. */
export function signerAt(keys: readonly SigningKey[], now: Date): Signer {
  const key = currentKey(keys, now)
  return { kid: key.kid, private_key: key.private_key() }
}

/** The encoded header of each key and type. */
const heads = createBoundedMap<string, string>(10_000)

/** RFC 7515 §3.1, RS256. Signs on the thread pool, because a signature takes a third of a millisecond. */
export function signJwt(
  { kid, private_key }: Signer,
  typ: 'JWT' | 'at+jwt' | 'logout+jwt',
  claims: Record<string, unknown>,
): Promise<string> {
  const name = `${typ}.${kid}`
  let head = heads.get(name)
  if (head === undefined) {
    head = Buffer.from(JSON.stringify({ alg: 'RS256', typ, kid })).toString('base64url')
    heads.set(name, head)
  }
  const input = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), private_key, (error, signature) =>
      error ? reject(error) : resolve(`${input}.${signature.toString('base64url')}`),
    )
  })
}

/**
 * The claims of a JWT of this type that one of these keys signed with RS256; `null` for any other text. The caller checks time and
 * audience. The header does not choose the algorithm (RFC 8725 §3.1).
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

function verifySignature(keys: readonly PublicKey[], token: string): VerifiedJwt | null {
  const [head, body, signature, ...rest] = token.split('.')
  if (!head || !body || !signature || rest.length > 0) return null
  const header = parseObject(head)
  if (header?.alg !== 'RS256' || header.crit !== undefined) return null
  const key = keys.find((candidate) => candidate.kid === header.kid)
  if (!key) return null
  const bytes = Buffer.from(signature, 'base64url')
  if (bytes.toString('base64url') !== signature) return null
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key.public_key(), bytes)) return null
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
