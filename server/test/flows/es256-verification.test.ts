/** Tokens by each algorithm, key and header: a token is verified by the algorithm of its key alone (RFC 8725 §3.1, decision 0184). */
import assert from 'node:assert/strict'
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { currentKey } from '../../src/protocol/key-states.ts'
import { authorizationRequest, userinfo } from '../support/cookie-browser.ts'
import { createEs256World, headerOf, issuerOf } from '../support/es256.ts'
import { types_of_run, world } from '../support/world.ts'

const w = await world()

const encode = (value: object | string) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
/** As RFC 7518 §3.4 has it, by the other conversion. */
const jose = (input: Buffer, key: KeyObject) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' })

for (const type of types_of_run) {
  const e = await createEs256World(w, type, `matrix-${type}`)
  await e.choose(e.servers.orders, 'ES256')
  w.advance(600)
  const tokens = await e.tokens()
  assert.equal(headerOf(tokens.access_token).alg, 'ES256')
  const issuer = await issuerOf(w, e.environment)
  const keys = { RS256: currentKey(issuer.keys, w.now()), ES256: currentKey(issuer.es256_keys, w.now()) }
  const [rsa, ec] = [keys.RS256.private_key(), keys.ES256.private_key()]
  const pem = keys.ES256.public_key().export({ type: 'spki', format: 'pem' })

  const signatures: Record<string, (input: Buffer) => Buffer> = {
    'RSA with PKCS #1': (input) => sign('sha256', input, rsa),
    'RSA with PSS': (input) => sign('sha256', input, { key: rsa, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    'P-256 as 64 bytes': (input) => jose(input, ec),
    'P-256 as DER': (input) => sign('sha256', input, ec),
    'P-256 of a stranger': (input) => jose(input, p256.privateKey),
    'HMAC with the public key': (input) => createHmac('sha256', pem).update(input).digest(),
    'no bytes': () => Buffer.alloc(0),
    '64 zero bytes': () => Buffer.alloc(64),
  }
  const algs = ['RS256', 'ES256', 'PS256', 'ES384', 'HS256', 'none', 'es256', '', null, undefined]
  const forge = (typ: string, claims: object, { alg, kid }: { alg: unknown; kid: string }, signed: (input: Buffer) => Buffer) => {
    const input = `${encode({ alg, typ, kid })}.${encode(claims)}`
    return `${input}.${signed(Buffer.from(input)).toString('base64url')}`
  }
  /** Every combination, with the algorithm of the key where the signature is by it. */
  function* combinations(typ: string, claims: object) {
    for (const alg of algs)
      for (const [of_key, { kid }] of Object.entries(keys))
        for (const [name, signed] of Object.entries(signatures)) {
          const is_by_key = (of_key === 'RS256' ? 'RSA with PKCS #1' : 'P-256 as 64 bytes') === name
          yield {
            what: `${alg}, key of ${of_key}, ${name}`,
            token: forge(typ, claims, { alg, kid }, signed),
            is_right: is_by_key && alg === of_key,
          }
        }
  }

  const is_right_at_hint = (what: string) => what === 'RS256, key of RS256, RSA with PKCS #1'

  test(`UserInfo and tokens/validate accept an access token by the algorithm of its key alone (${type})`, async () => {
    const seen: string[] = []
    for (const { what, token, is_right } of combinations('at+jwt', decodeJwt(tokens.access_token))) {
      const { status } = await userinfo(w, e.environment, token)
      const { active } = await e.validate(token)
      assert.deepEqual([status, active], is_right ? [200, true] : [401, false], what)
      if (is_right) seen.push(what)
    }
    assert.equal(seen.length, 2)
  })

  const silently = async (id_token_hint: string) => {
    const { url } = authorizationRequest(e.environment, e.client, { prompt: 'none', scope: 'openid', id_token_hint })
    const location = (await e.person.agent.get(url)).headers.get('location') ?? ''
    return new URL(location).searchParams.get('error') ?? 'accepted'
  }

  test(`a hint is accepted by RS256 and its key alone, since no ID token has another algorithm (${type})`, async () => {
    assert.equal(await silently(tokens.id_token), 'accepted')
    for (const { what, token } of combinations('JWT', decodeJwt(tokens.id_token)))
      assert.equal(await silently(token), is_right_at_hint(what) ? 'accepted' : 'invalid_request', what)
    assert.equal(await silently(tokens.access_token), 'invalid_request')
    assert.equal((await userinfo(w, e.environment, tokens.id_token)).status, 401)
  })

  test(`a signature of another length is refused, even if its numbers are right (${type})`, async () => {
    const [head = '', body = '', signature = ''] = tokens.access_token.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)]
    const zero = Buffer.alloc(1)
    const others = {
      'a byte less': bytes.subarray(0, 63),
      'a byte more': Buffer.concat([bytes, zero]),
      'a zero byte before r': Buffer.concat([zero, bytes]),
      'a zero byte before r and s': Buffer.concat([zero, r, zero, s]),
      'r alone': r,
      'twice the signature': Buffer.concat([bytes, bytes]),
      'that of RS256': Buffer.alloc(256, 1),
      'the form of P-384': sign('sha256', Buffer.from(`${head}.${body}`), { key: p384.privateKey, dsaEncoding: 'ieee-p1363' }),
      's before r': Buffer.concat([s, r]),
      'r without s': Buffer.concat([r, Buffer.alloc(32)]),
      's without r': Buffer.concat([Buffer.alloc(32), s]),
      'the largest numbers': Buffer.alloc(64, 0xff),
    }
    for (const [what, other] of Object.entries(others)) {
      const token = `${head}.${body}.${other.toString('base64url')}`
      assert.equal((await userinfo(w, e.environment, token)).status, 401, what)
      assert.equal((await e.validate(token)).active, false, what)
    }
    assert.equal((await userinfo(w, e.environment, tokens.access_token)).status, 200)
  })

  test(`what a token says of keys, of extensions and of claims does not help it (${type})`, async () => {
    const claims = decodeJwt(tokens.access_token)
    const { kid } = keys.ES256
    const jwk = p256.publicKey.export({ format: 'jwk' })
    const header = { alg: 'ES256', typ: 'at+jwt', kid }
    const headers = {
      'its own key': { ...header, jwk },
      'its own key without a kid': { ...header, kid: undefined, jwk },
      'an address of its keys': { ...header, jku: 'https://evil.example/jwks.json' },
      'another kid': { ...header, kid: 'another' },
      'a kid that is a list': { ...header, kid: [kid] },
    }
    for (const [what, changed] of Object.entries(headers)) {
      const input = `${encode(changed)}.${encode(claims)}`
      const token = `${input}.${jose(Buffer.from(input), p256.privateKey).toString('base64url')}`
      assert.equal((await userinfo(w, e.environment, token)).status, 401, what)
    }
    const critical = forge('at+jwt', claims, { alg: 'ES256', kid }, signatures['P-256 as 64 bytes'] ?? (() => Buffer.alloc(0)))
    assert.equal((await userinfo(w, e.environment, critical)).status, 200, 'the way in which this test signs')
    const input = `${encode({ ...header, crit: ['exp'] })}.${encode(claims)}`
    assert.equal((await userinfo(w, e.environment, `${input}.${jose(Buffer.from(input), ec).toString('base64url')}`)).status, 401)
    const [head = '', , signature = ''] = tokens.access_token.split('.')
    const changed = `${head}.${encode({ ...claims, sub: 'usr_00000000000000000000000000' })}.${signature}`
    assert.equal((await userinfo(w, e.environment, changed)).status, 401)
  })
}
