/** Clients that authenticate by a signed assertion (OIDC Core §9, RFC 7523). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { parseNetwork } from '../../src/base/networks.ts'
import { createOutbound, OutboundFailed } from '../../src/deployment/outbound/fetch.ts'
import { authorizationRequest, createAgent, obtainCode } from '../support/cookie-browser.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const names: Record<string, string[]> = { 'inside.test': ['10.0.0.1'] }
const loopback = parseNetwork('127.0.0.1')
if (typeof loopback === 'string') throw new Error(loopback)
const call = createOutbound(
  { base_url: 'http://localhost', webhook_allowed_networks: [loopback] },
  { resolve: async (name) => names[name] ?? [] },
)

/** The deadline of the latest outgoing call, and a function that ends the call as its deadline would. */
let last_call = { timeout_ms: 0, end: () => {} }
const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' },
  async outbound(request) {
    const deadline = Promise.withResolvers<never>()
    last_call = { timeout_ms: request.timeout_ms, end: () => deadline.reject(new OutboundFailed('timeout', 'The deadline has passed.')) }
    return Promise.race([call(request), deadline.promise])
  },
})
const environment = w.test

interface Key {
  alg: string
  kid: string | undefined
  privateKey: CryptoKey
  jwk: object
}

async function makeKey(alg = 'ES256', kid: string | undefined = randomText(), options = {}): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options })
  const jwk = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }) }
  return { alg, kid, privateKey, jwk }
}

const key = await makeKey()
const other = await makeKey()

const createClient = (fields: Record<string, unknown>, at: TestEnvironment = environment) =>
  w.createApplication(at, { token_endpoint_auth_method: 'private_key_jwt', ...fields })
const client = await createClient({ jwks: { keys: [key.jwk] } })

/** A valid assertion with these changes; `undefined` leaves a claim out. */
function assertion(
  client_id: string,
  change: Record<string, unknown> = {},
  { by = key, header = {}, at = environment as Pick<TestEnvironment, 'issuer'> } = {},
): Promise<string> {
  const seconds = Math.floor(w.now().getTime() / 1000)
  const claims = { iss: client_id, sub: client_id, aud: at.issuer, iat: seconds, exp: seconds + 60, jti: randomText(), ...change }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: by.alg, ...(by.kid === undefined ? {} : { kid: by.kid }), ...header })
    .sign(by.privateKey)
}

const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A token request that is refused with `invalid_grant` after the client was authenticated. */
function ask(
  client_assertion: string,
  more: Record<string, string> = {},
  at: Pick<TestEnvironment, 'issuer'> = environment,
): Promise<Reply> {
  const form = { grant_type: 'refresh_token', refresh_token: 'none', client_assertion, client_assertion_type: assertion_type, ...more }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return w.call('POST', `${at.issuer}/v1/oauth/token`, { key: null, headers, body: new URLSearchParams(form).toString() })
}

const isAuthenticated = ({ body }: Reply) => body.error === 'invalid_grant'

// These tests come first, since no test can move the clock of the library.
// biome-ignore format: this table is read by line
const libraries = { ES256: await makeKey('ES256'), RS256: await makeKey('RS256'), PS256: await makeKey('PS256'), Ed25519: await makeKey('Ed25519') }
for (const [alg, by] of Object.entries(libraries)) {
  test(`openid-client signs a person in with PrivateKeyJwt and ${alg}`, async () => {
    const { client_id, redirect_uris } = await createClient({ jwks: { keys: [by.jwk] } })
    const auth = oidc.PrivateKeyJwt({ key: by.privateKey, kid: by.kid ?? '' })
    const config = await oidc.discovery(new URL(environment.issuer), client_id, undefined, auth, { execute: [oidc.allowInsecureRequests] })
    const request = authorizationRequest(environment, { client_id, redirect_uris })
    const code = await obtainCode(createAgent(), request, await w.createUser(environment))
    const back = new URL(`${request.redirect_uri}?${new URLSearchParams({ code, state: request.state, iss: environment.issuer })}`)
    const tokens = await oidc.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: request.code_verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
    })
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? assert.fail())
    await oidc.tokenRevocation(config, refreshed.refresh_token ?? assert.fail())
    await assert.rejects(oidc.refreshTokenGrant(config, refreshed.refresh_token ?? ''), { error: 'invalid_grant' })
  })
}

for (const alg of ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS512']) {
  test(`a client is authenticated by an assertion signed with ${alg}`, async () => {
    const by = await makeKey(alg)
    const { client_id } = await createClient({ jwks: { keys: [other.jwk, by.jwk] } })
    assert.ok(isAuthenticated(await ask(await assertion(client_id, {}, { by }))))
  })
}

test('the right one of several keys without kid is found', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => makeKey('ES256', undefined)))
  const { client_id } = await createClient({ jwks: { keys: keys.map(({ jwk }) => jwk) } })
  for (const by of keys) assert.ok(isAuthenticated(await ask(await assertion(client_id, {}, { by }))))
})

test('client_id may accompany the assertion, and must match it', async () => {
  assert.ok(isAuthenticated(await ask(await assertion(client.client_id), { client_id: client.client_id })))
  const twin = await createClient({ jwks: { keys: [key.jwk] } })
  const reply = await ask(await assertion(client.client_id), { client_id: twin.client_id })
  assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
})

test('revocation accepts an assertion, which then counts nowhere else', async () => {
  const form = { token: 'none', client_assertion: await assertion(client.client_id), client_assertion_type: assertion_type }
  const revoke = () =>
    w.call('POST', `${environment.issuer}/v1/oauth/revoke`, {
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
  expectStatus(200, await revoke())
  expectStatus(401, await revoke())
  expectStatus(401, await ask(form.client_assertion))
})

const sign =
  (change: Record<string, unknown>, options = {}) =>
  () =>
    assertion(client.client_id, change, options)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(w.now().getTime() / 1000)

// biome-ignore format: this table is read by line
const refused: Record<string, () => Promise<string> | string> = {
  'it is signed with another key': sign({}, { by: other }),
  'it is signed with another key of the same kid': sign({}, { by: { ...other, kid: key.kid } }),
  'it brings its own key': sign({}, { by: other, header: { jwk: other.jwk } }),
  'it names a key by URL': sign({}, { by: other, header: { jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' } }),
  'it is not signed': () => `${part({ alg: 'none' })}.${part({ iss: client.client_id, sub: client.client_id, aud: environment.issuer, exp: seconds() + 60, jti: 'n' })}.`,
  'it is signed with the public key as a secret': () => new SignJWT({ iss: client.client_id, sub: client.client_id, aud: environment.issuer, exp: seconds() + 60, jti: 'h' }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(JSON.stringify(key.jwk))),
  'its payload was changed': async () => (await sign({})()).replace(/\.[^.]+\./, `.${part({ iss: client.client_id, sub: client.client_id, aud: environment.issuer, exp: seconds() + 60, jti: 'x' })}.`),
  'its signature is missing': async () => (await sign({})()).replace(/[^.]*$/, ''),
  'it is another kind of JWT': sign({}, { header: { typ: 'dpop+jwt' } }),
  'it has a critical header': async () => (await sign({})()).replace(/^[^.]*/, part({ alg: key.alg, kid: key.kid, crit: ['exp'], exp: 1 })),
  'its issuer is not the client': sign({ iss: 'another' }),
  'its audience is Live': sign({ aud: w.live.issuer }),
  'its audience is also another server': sign({ aud: [environment.issuer, 'https://other.example.com'] }),
  'its audience is missing': sign({ aud: undefined }),
  'it has no exp': sign({ exp: undefined }),
  'it has expired': () => assertion(client.client_id, { exp: seconds() - 60 }),
  'it lives for a day': () => assertion(client.client_id, { exp: seconds() + 86_400 }),
  'it has no jti': sign({ jti: undefined }),
  'it is very long': sign({ padding: 'x'.repeat(10_000) }),
  'its parts are not JSON': () => `x.${part({ sub: client.client_id })}.x`,
  'it is an array': () => `${part({ alg: 'ES256' })}.${part([])}.x`,
}
for (const [why, make] of Object.entries(refused)) {
  test(`an assertion is refused when ${why}`, async () => {
    const reply = await ask(await make(), { client_id: client.client_id })
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'], reply.body.error_description)
  })
}

test('an assertion for one environment does not authenticate a client with the same key in another', async () => {
  const twin = await createClient({ jwks: { keys: [key.jwk] } }, w.live)
  assert.ok(isAuthenticated(await ask(await assertion(twin.client_id, {}, { at: w.live }), {}, w.live)))
  expectStatus(401, await ask(await assertion(twin.client_id), {}, w.live))
  expectStatus(401, await ask(await assertion(twin.client_id, {}, { at: w.live })))
})

test('of fifty parallel requests with one assertion one succeeds', async () => {
  const once = await assertion(client.client_id)
  const replies = await Promise.all(Array.from({ length: 50 }, () => ask(once)))
  assert.deepEqual([replies.filter(isAuthenticated).length, replies.filter(({ status }) => status === 401).length], [1, 49])
  assert.match(replies.find(({ status }) => status === 401)?.body.error_description, /used before/)
})

test('two clients may use the same jti', async () => {
  const twin = await createClient({ jwks: { keys: [key.jwk] } })
  const jti = randomText()
  for (const { client_id } of [client, twin]) assert.ok(isAuthenticated(await ask(await assertion(client_id, { jti }))))
})

test('an application that was disabled, or whose keys were replaced, is not authenticated', async () => {
  const { id, client_id } = await createClient({ jwks: { keys: [key.jwk] } })
  const change = async (body: object) => expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${id}`, { body }))
  await change({ jwks: { keys: [other.jwk] } })
  expectStatus(401, await ask(await assertion(client_id)))
  assert.ok(isAuthenticated(await ask(await assertion(client_id, {}, { by: other }))))
  await change({ disabled: true })
  expectStatus(401, await ask(await assertion(client_id, {}, { by: other })))
})

/** A client with a jwks_uri. The test may change `answer` at any time. */
async function createPublisher(first: { status: number; body: string; headers?: Record<string, string> }) {
  const publisher = { answer: first, hold: Promise.resolve() }
  const server = await startReceiver(async () => {
    await publisher.hold
    return publisher.answer
  })
  const client = await createClient({ jwks_uri: server.url })
  return Object.assign(publisher, {
    client_id: client.client_id as string,
    id: client.id as string,
    calls: server.received,
    url: server.url,
  })
}
const published = (...keys: Key[]) => ({ status: 200, body: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }) })

test('ten parallel requests read the keys at a jwks_uri once', async () => {
  const publisher = await createPublisher(published(key))
  const replies = await Promise.all(Array.from({ length: 10 }, async () => ask(await assertion(publisher.client_id))))
  assert.ok(replies.every(isAuthenticated))
  assert.equal(publisher.calls.length, 1)
})

test('a new key is found after ten seconds, and a withdrawn one forgotten after five minutes', async () => {
  const publisher = await createPublisher(published(key))
  assert.ok(isAuthenticated(await ask(await assertion(publisher.client_id))))
  publisher.answer = published(other)
  w.advance(11)
  assert.ok(isAuthenticated(await ask(await assertion(publisher.client_id, {}, { by: other }))))
  assert.equal(publisher.calls.length, 2)
  publisher.answer = published(key)
  w.advance(301)
  expectStatus(401, await ask(await assertion(publisher.client_id, {}, { by: other })))
})

test('wrong assertions cause at most one call of a jwks_uri in ten seconds', async () => {
  const publisher = await createPublisher(published(key))
  for (let i = 0; i < 5; i++) expectStatus(401, await ask(await assertion(publisher.client_id, {}, { by: await makeKey() })))
  assert.equal(publisher.calls.length, 1)
  w.advance(11)
  for (let i = 0; i < 5; i++) expectStatus(401, await ask(await assertion(publisher.client_id, {}, { by: await makeKey() })))
  assert.equal(publisher.calls.length, 2)
})

// biome-ignore format: this table is read by line
const useless = {
  'an error': { status: 500, body: JSON.stringify({ keys: [key.jwk] }) },
  'a redirect to the keys': { status: 302, body: '', headers: { location: 'http://inside.test/' } },
  'a page': { status: 200, body: '<html>' },
  'JSON that is not a key set': { status: 200, body: '{"keys":{}}' },
  'more than 64 KiB': { status: 200, body: JSON.stringify({ keys: [key.jwk], padding: 'x'.repeat(66_000) }) },
  'no key': { status: 200, body: '{"keys":[]}' },
  'a private key': { status: 200, body: JSON.stringify({ keys: [{ ...key.jwk, d: 'AAAA' }] }) },
}
for (const [what, answer] of Object.entries(useless)) {
  test(`a client is not authenticated while its jwks_uri answers with ${what}, and is again after ten seconds`, async () => {
    const publisher = await createPublisher(answer)
    const reply = await ask(await assertion(publisher.client_id))
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
    publisher.answer = published(key)
    w.advance(11)
    assert.ok(isAuthenticated(await ask(await assertion(publisher.client_id))))
  })
}

test('a jwks_uri that does not answer ends its request after three seconds, and delays no other client', async () => {
  const publisher = await createPublisher(published(key))
  const { promise, resolve } = Promise.withResolvers<void>()
  publisher.hold = promise
  const waiting = ask(await assertion(publisher.client_id))
  await until('a call without an answer', () => publisher.calls.length === 1)
  assert.equal(last_call.timeout_ms, 3_000)
  assert.ok(isAuthenticated(await ask(await assertion(client.client_id))))
  last_call.end()
  expectStatus(401, await waiting)
  resolve()
})

for (const jwks_uri of ['http://inside.test/jwks', 'http://127.0.0.2:1/jwks', 'http://[::1]:1/jwks', 'http://169.254.169.254/jwks']) {
  test(`keys at ${jwks_uri} are not read`, async () => {
    const reply = await w.call('POST', `${environment.path}/applications`, {
      body: {
        name: 'A',
        application_type: 'web',
        redirect_uris: ['https://a.example.com/'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri,
      },
    })
    if (reply.status === 422) return
    const refusal = await ask(await assertion(reply.body.client_id))
    assert.deepEqual(
      [refusal.status, refusal.body.error_description],
      [401, 'The keys of the application cannot be read from its jwks_uri.'],
    )
  })
}
