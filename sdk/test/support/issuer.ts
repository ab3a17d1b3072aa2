/** An issuer that the tests control: it publishes keys over HTTP and signs tokens. */
import { webcrypto } from 'node:crypto'
import type { Algorithm } from '../../src/key-set.ts'
import { type PeerAnswer, startPeer } from './peer.ts'

const { subtle } = webcrypto
const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
// biome-ignore format: this table is read by column
const kinds = {
  RS256: { made: { name: 'RSASSA-PKCS1-v1_5', ...rsa },        signed: { name: 'RSASSA-PKCS1-v1_5' } },
  PS256: { made: { name: 'RSA-PSS', ...rsa },                  signed: { name: 'RSA-PSS', saltLength: 32 } },
  ES256: { made: { name: 'ECDSA', namedCurve: 'P-256' },       signed: { name: 'ECDSA', hash: 'SHA-256' } },
} as const

export const audience = 'https://api.example.com'
export const now = new Date('2026-11-20T16:31:00.000Z')
const seconds = now.getTime() / 1000

export interface SigningKey {
  kid: string
  jwk: Record<string, unknown>
  sign(header: object, claims: object): Promise<string>
}

export async function makeKey(kid: string, alg: Algorithm = 'RS256'): Promise<SigningKey> {
  const { made, signed } = kinds[alg]
  const { publicKey, privateKey } = (await subtle.generateKey(made, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair // as: both algorithms are asymmetric
  const { ext: _, key_ops: __, ...jwk } = await subtle.exportKey('jwk', publicKey)
  return {
    kid,
    jwk: { ...jwk, kid, alg, use: 'sig' },
    async sign(header, claims) {
      const input = `${encode({ typ: 'at+jwt', alg, kid, ...header })}.${encode(claims)}`
      const signature = await subtle.sign(signed, privateKey, new TextEncoder().encode(input))
      return `${input}.${Buffer.from(signature).toString('base64url')}`
    },
  }
}

/** Claims that are accepted at `now`. */
export const claimsOf = (issuer: string) => ({
  iss: issuer,
  sub: 'usr_1',
  aud: [audience, issuer],
  client_id: 'app_1',
  scope: 'openid orders:read',
  exp: seconds + 600,
  iat: seconds,
  jti: 'token-1',
})

/** The `keys` of an issuer can change; `answer` replaces its answer. */
export async function startIssuer(keys: SigningKey[], headers: Record<string, string> = { 'cache-control': 'public, max-age=600' }) {
  const state: { keys: SigningKey[]; headers: Record<string, string>; answer: PeerAnswer | null } = { keys, headers, answer: null }
  const peer = await startPeer(
    () => state.answer ?? { status: 200, headers: state.headers, body: { keys: state.keys.map(({ jwk }) => jwk) } },
  )
  return { state, issuer: peer.base_url, received: peer.received }
}

export const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
