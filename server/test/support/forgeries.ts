/** Forged tokens, made from a valid token and the public keys (RFC 8725 §2). */
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import type { TestEnvironment, World } from './world.ts'

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Forged tokens by what is wrong with them. */
export async function forgeriesOf(w: World, { issuer }: Pick<TestEnvironment, 'issuer'>, token: string): Promise<Record<string, string>> {
  const { body } = await w.call('GET', `${issuer}/v1/oauth/jwks.json`, { key: null })
  const published: JsonWebKey = body.keys[0]
  const public_key = createPublicKey({ key: published, format: 'jwk' })
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header = decode(head)
  const claims = decode(payload)
  const jwk = stranger.publicKey.export({ format: 'jwk' })
  const signed = (change: object, key: KeyObject = stranger.privateKey, about: object = claims) => {
    const input = `${encode({ ...header, ...change })}.${encode(about)}`
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  }
  const hmac = (secret: string | Buffer, alg: string) => {
    const input = `${encode({ ...header, alg })}.${payload}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const pem = public_key.export({ type: 'spki', format: 'pem' })
  const flipped = Buffer.from(signature, 'base64url')
  flipped[0] = (flipped[0] ?? 0) ^ 1

  const forged: Record<string, string> = {
    'signed by a stranger': signed({}),
    'signed by a stranger, with its key in the header': signed({ jwk }),
    'signed by a stranger, with its key and no kid': signed({ jwk, kid: undefined }),
    'signed by a stranger, with an address of its key': signed({ jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example/x5u' }),
    'signed by a stranger, with another kid': signed({ kid: 'another' }),
    'signed by a stranger, with a kid that is a path': signed({ kid: '../../../../dev/null' }),
    'signed by a stranger, with a kid that is SQL': signed({ kid: "' or '1'='1" }),
    'signed by a stranger, with a kid that is not text': signed({ kid: [header.kid] }),
    'HS256 with the public key as PEM': hmac(pem, 'HS256'),
    'HS256 with the public key as PEM without its last line break': hmac(pem.toString().trimEnd(), 'HS256'),
    'HS256 with the public key as DER': hmac(public_key.export({ type: 'spki', format: 'der' }), 'HS256'),
    'HS256 with the modulus': hmac(published.n ?? '', 'HS256'),
    'HS256 with the JWK': hmac(JSON.stringify(published), 'HS256'),
    'HS256 with an empty secret': hmac('', 'HS256'),
    'HMAC that calls itself RS256': hmac(pem, 'RS256'),
    'without a signature': `${head}.${payload}.`,
    'without the third part': `${head}.${payload}`,
    'with a part more': `${token}.${signature}`,
    'with five parts': `${head}.${payload}.${signature}.${signature}.${signature}`,
    'with a bit flipped in the signature': `${head}.${payload}.${flipped.toString('base64url')}`,
    'with a shorter signature': token.slice(0, -4),
    'with a longer signature': `${token}AAAA`,
    'with padding': `${token}==`,
    'with another claim': `${head}.${encode({ ...claims, sub: 'usr_00000000000000000000000000' })}.${signature}`,
    'with a later expiry': `${head}.${encode({ ...claims, exp: Number(claims.exp) + 1 })}.${signature}`,
    'with the same claims in other words': `${head}.${Buffer.from(`${JSON.stringify(claims)} `).toString('base64url')}.${signature}`,
    'with a critical extension': `${encode({ ...header, crit: ['b64'], b64: false })}.${payload}.${signature}`,
    'as an array': Buffer.from(JSON.stringify([token])).toString('base64url'),
    'in quotation marks': `"${token}"`,
    'in capitals': token.toUpperCase(),
    'very long': `${head}.${'A'.repeat(9_000)}.${signature}`,
  }
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, 'RS512', 'PS256', 'ES256', 'rs256', 'unknown']) {
    const changed = encode({ ...header, alg })
    forged[`alg ${alg}, unsigned`] = `${changed}.${payload}.`
    forged[`alg ${alg}, with the signature of the real one`] = `${changed}.${payload}.${signature}`
    forged[`alg ${alg}, signed by a stranger`] = signed({ alg })
  }
  return forged
}

const decode = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
