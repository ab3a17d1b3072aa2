/** RSA key pairs, made ahead of need: making one takes 75 ms. */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { sha256 } from '../base/digest.ts'

export interface SpareKey {
  kid: string
  public_jwk: Record<string, string>
  pem: string
}

const generate = promisify(generateKeyPair)

/** Keeps `size` spare key pairs, made one at a time in the background. An empty pool makes one on demand. */
export function createKeyPool(size: number) {
  const spare: SpareKey[] = []
  let is_filling = false
  let closed = false

  async function fill(): Promise<void> {
    if (is_filling) return
    is_filling = true
    while (spare.length < size && !closed) spare.push(await makeKeyPair())
    is_filling = false
  }
  return {
    fill,
    async take(): Promise<SpareKey> {
      const key = spare.pop() ?? (await makeKeyPair())
      void fill()
      return key
    },
    close(): void {
      closed = true
    },
  }
}
export type KeyPool = ReturnType<typeof createKeyPool>

/** Makes an RSA key pair, which takes 75 ms of a thread. */
export async function makeKeyPair(): Promise<SpareKey> {
  const pair = await generate('rsa', { modulusLength: 2048 })
  const { n = '', e = '' } = pair.publicKey.export({ format: 'jwk' })
  // RFC 7638 §3: the thumbprint is over the required members, in this order.
  const kid = sha256(JSON.stringify({ e, kty: 'RSA', n }), 'base64url')
  return {
    kid,
    public_jwk: { kty: 'RSA', n, e, alg: 'RS256', use: 'sig', kid },
    pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
