/** Signing keys, and the tokens that an issuer makes with them. Without anything of Node. */
import type { Algorithm } from '../../src/key-set.ts'

const { subtle } = globalThis.crypto
type Key = Parameters<typeof subtle.exportKey>[1]
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
  const { publicKey, privateKey } = (await subtle.generateKey(made, true, ['sign', 'verify'])) as { publicKey: Key; privateKey: Key } // as: both algorithms are asymmetric
  const { ext: _, key_ops: __, ...jwk } = await subtle.exportKey('jwk', publicKey)
  return {
    kid,
    jwk: { ...jwk, kid, alg, use: 'sig' },
    async sign(header, claims) {
      const input = `${encode({ typ: 'at+jwt', alg, kid, ...header })}.${encode(claims)}`
      const signature = await subtle.sign(signed, privateKey, new TextEncoder().encode(input))
      return `${input}.${base64url(new Uint8Array(signature))}`
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

export const encode = (value: object) => base64url(new TextEncoder().encode(JSON.stringify(value)))

export const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** A `fetch` that answers with the public keys, and the address of their issuer. */
export function servedKeys(keys: readonly { jwk: Record<string, unknown> }[]) {
  const answer: typeof fetch = async () => Response.json({ keys: keys.map(({ jwk }) => jwk) })
  return { issuer: 'https://id.example.com/e/env_1', fetch: answer }
}
