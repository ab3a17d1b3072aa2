/** Key pairs for signatures, made ahead of need: making one for RS256 takes 75 ms, and one for ES256 a third of a millisecond. */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningAlg } from '@ostiary/contract/signing-key.ts'
import { sha256 } from '../base/digest.ts'

export interface SpareKey {
  kid: string
  public_jwk: Record<string, string>
  pem: string
}

const generate = promisify(generateKeyPair)

/** Keeps `size` spare key pairs of each algorithm, made one at a time in the background. An empty pool makes one on demand. */
export function createKeyPool(size: number) {
  const spare: Record<SigningAlg, SpareKey[]> = { RS256: [], ES256: [] }
  let is_filling = false
  let closed = false

  async function fill(): Promise<void> {
    if (is_filling) return
    is_filling = true
    for (const alg of ['RS256', 'ES256'] as const) while (spare[alg].length < size && !closed) spare[alg].push(await makeKeyPair(alg))
    is_filling = false
  }
  return {
    fill,
    async take(alg: SigningAlg): Promise<SpareKey> {
      const key = spare[alg].pop() ?? (await makeKeyPair(alg))
      void fill()
      return key
    },
    close(): void {
      closed = true
    },
  }
}
export type KeyPool = ReturnType<typeof createKeyPool>

export async function makeKeyPair(alg: SigningAlg): Promise<SpareKey> {
  const pair = alg === 'RS256' ? await generate('rsa', { modulusLength: 2048 }) : await generate('ec', { namedCurve: 'P-256' })
  const members = pair.publicKey.export({ format: 'jwk' })
  const named = (...names: readonly ('crv' | 'e' | 'kty' | 'n' | 'x' | 'y')[]) =>
    Object.fromEntries(names.map((name) => [name, members[name] ?? '']))
  // RFC 7638 §3: the thumbprint is over the required members, in this order.
  const kid = sha256(JSON.stringify(alg === 'RS256' ? named('e', 'kty', 'n') : named('crv', 'kty', 'x', 'y')), 'base64url')
  return {
    kid,
    public_jwk: { ...(alg === 'RS256' ? named('kty', 'n', 'e') : named('kty', 'crv', 'x', 'y')), alg, use: 'sig', kid },
    pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
