/**
 * Forty people of a provider that lies: it gives each of them the user name or the address of another person, or one that looks like it. A
 * product must know none of them as one of the people who were there first.
 */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** With a verified address of their own the service lets them in. */
export interface Impostor {
  readonly preferred_username?: string
  readonly email: string
  readonly email_verified: boolean
}

const address = 'grace@example.com'
const names = [
  ...['ada', 'Ada', 'ADA', 'aDA', ' ada', 'ada ', '\tada', 'ada\n', 'ada\r', 'ada\0', 'a\u200bda', 'ada\u200d', '\u2060ada', 'ada\ufeff'],
  ...[
    'ada\u00ad',
    'ａｄａ',
    'ᵃᵈᵃ',
    'ad\u0061\u0301',
    'аda',
    'ada.',
    'ada/',
    '../ada',
    'x/../ada',
    'ada?x=1',
    'ada#x',
    'ada%00',
    'ada%20',
    'ada,x',
  ],
  ...[address, address.toUpperCase(), ` ${address}`, `${address}\u200b`, 'ｇrace@example.com', 'ada@example.com'],
]
const addresses = ['ada@example.com', 'ADA@EXAMPLE.COM', address, 'Grace@Example.com', 'grace@example.com\u200b', 'ada@example.com.']

export const impostors: readonly Impostor[] = [
  ...names.map((preferred_username, n) => ({ email: `mallory${n}@example.org`, email_verified: true, preferred_username })),
  ...addresses.map((email) => ({ email, email_verified: false, preferred_username: 'mallory' })),
]

export interface LyingProvider {
  readonly issuer: string
  /** The person who signs in next. */
  is: Impostor
  stop(): Promise<void>
}

const client_id = 'product'
export const registration = { client_id, client_secret: 'a-secret-of-the-provider' }

/** An OpenID Provider whose sign-in needs no password. Each sign-in has a new subject. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }]
  const nonces = new Map<string, string>()
  const tokenOf = (claims: object) => {
    const signed = [{ alg: 'ES256', kid: 'one' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', provider.issuer)
    const send = (body: object) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const { issuer, is } = provider
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return void send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['ES256'],
        })
      case '/jwks':
        return void send({ keys })
      case '/authorize': {
        const code = randomUUID()
        nonces.set(code, searchParams.get('nonce') ?? '')
        const back = new URL(searchParams.get('redirect_uri') ?? '')
        back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString()
        return void response.writeHead(302, { location: back.href }).end()
      }
      case '/token': {
        const code = new URLSearchParams(await text(request)).get('code') ?? ''
        const now = Math.floor(Date.now() / 1_000)
        const claims = { iss: issuer, aud: client_id, sub: randomUUID(), nonce: nonces.get(code), iat: now, exp: now + 300, ...is }
        return void send({ access_token: 'opaque', token_type: 'Bearer', id_token: tokenOf(claims) })
      }
      default:
        response.writeHead(404).end()
    }
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const listening = server.address()
  if (listening === null || typeof listening === 'string') throw new Error('The provider has no port.')
  const provider: LyingProvider = {
    issuer: `http://localhost:${listening.port}`,
    is: { email: 'nobody@example.org', email_verified: true },
    async stop() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
  return provider
}
