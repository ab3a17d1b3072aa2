/** ES256 access tokens as the libraries of resource servers verify them, and their refusals of the other algorithm. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type Algorithm, createKeySet, verifyAccessToken } from '../../../sdk/src/verify.ts'
import { noPython, python } from '../support/connect.ts'
import { createEs256World, orders, plain } from '../support/es256.ts'
import { world } from '../support/world.ts'

const w = await world()
const e = await createEs256World(w, 'test', 'libraries')
await e.choose(e.servers.orders, 'ES256')
const { issuer } = e.environment
const jwks_uri = w.reach(`${issuer}/v1/oauth/jwks.json`)

interface Token {
  access_token: string
  audience: string
}
const token = async (audience: string): Promise<Token> => ({ access_token: (await e.tokens(audience)).access_token, audience })
const es256 = await token(orders)
const rs256 = await token(plain)

/** Each throws for a token that it does not accept by this algorithm. */
type Verifier = (token: Token, algorithm: Algorithm & ('RS256' | 'ES256')) => Promise<unknown>

const verifiers: Record<string, { verify: Verifier; skip?: string | false }> = {
  jose: {
    verify: ({ access_token, audience }, algorithm) =>
      jwtVerify(access_token, createRemoteJWKSet(new URL(jwks_uri)), { issuer, audience, typ: 'at+jwt', algorithms: [algorithm] }),
  },
  WebCrypto: { verify: ({ access_token }, algorithm) => verifyByWebCrypto(access_token, algorithm) },
  'our client library': {
    verify: ({ access_token, audience }, algorithm) =>
      verifyAccessToken(access_token, { keys: createKeySet({ issuer, jwks_uri }), issuer, audience, algorithms: [algorithm] }),
  },
  PyJWT: { verify: (given, algorithm) => runPython(pyjwt, given, algorithm), skip: noPython },
  Authlib: { verify: (given, algorithm) => runPython(authlib, given, algorithm), skip: noPython },
}

for (const [name, { verify, skip = false }] of Object.entries(verifiers))
  test(`${name} accepts an ES256 token by ES256 and an RS256 token by RS256 alone`, { skip }, async () => {
    await verify(es256, 'ES256')
    await verify(rs256, 'RS256')
    await assert.rejects(verify(es256, 'RS256'))
    await assert.rejects(verify(rs256, 'ES256'))
  })

test('our client library accepts an ES256 token only where the options name ES256', async () => {
  const options = { keys: createKeySet({ issuer, jwks_uri }), issuer, audience: orders }
  await assert.rejects(verifyAccessToken(es256.access_token, options), { code: 'wrong_algorithm' })
  assert.equal((await verifyAccessToken(es256.access_token, { ...options, algorithms: ['RS256', 'ES256'] })).client_id, e.client.client_id)
})

const parameters = {
  ES256: { imported: { name: 'ECDSA', namedCurve: 'P-256' }, verified: { name: 'ECDSA', hash: 'SHA-256' } },
  RS256: { imported: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, verified: { name: 'RSASSA-PKCS1-v1_5' } },
} as const

async function verifyByWebCrypto(access_token: string, algorithm: 'RS256' | 'ES256'): Promise<void> {
  const [head = '', body = '', signature = ''] = access_token.split('.')
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const jwk = (await e.jwks()).keys.find((key) => key.kid === kid)
  const { imported, verified } = parameters[algorithm]
  const key = await crypto.subtle.importKey('jwk', jwk ?? {}, imported, false, ['verify'])
  assert.ok(await crypto.subtle.verify(verified, key, Buffer.from(signature, 'base64url'), Buffer.from(`${head}.${body}`)))
}

const runPython = (program: string, { access_token, audience }: Token, algorithm: string) =>
  promisify(execFile)(python, ['-c', program, access_token, audience, algorithm, jwks_uri, issuer], { timeout: 30_000 })

const pyjwt = `
import sys, jwt
token, audience, algorithm, jwks_uri, issuer = sys.argv[1:]
key = jwt.PyJWKClient(jwks_uri).get_signing_key_from_jwt(token).key
jwt.decode(token, key, [algorithm], issuer=issuer, audience=audience)
`
const authlib = `
import sys, requests
from authlib.jose import JsonWebKey, JsonWebToken
token, audience, algorithm, jwks_uri, issuer = sys.argv[1:]
keys = JsonWebKey.import_key_set(requests.get(jwks_uri, timeout=10).json())
options = {'iss': {'essential': True, 'value': issuer}, 'aud': {'essential': True, 'value': audience}}
JsonWebToken([algorithm]).decode(token, keys, claims_options=options).validate()
`
