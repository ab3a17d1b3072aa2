/** Back-channel logout from a provider (OIDC Back-Channel Logout 1.0 as a client): what a logout token ends, and what ends nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base64url, decodeJwt, exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { authorizationRequest, createAgent, createPerson, exchange, followToClient, formOf, userinfo } from '../support/cookie-browser.ts'
import { loopback_networks, startProvider } from '../support/own-provider.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const op = await startProvider()
const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: loopback_networks, OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' },
  outbound: op.outbound,
})
const environment = w.test
const receiver = await startReceiver()
const application = await w.createApplication(environment, { backchannel_logout_uri: receiver.url })
const fields = { type: 'oidc', issuer: op.issuer, client_id: 'c', client_secret: 's' }
const addProvider = async () => expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: fields }))
const provider = await addProvider()

/** Signs in at the provider in a new browser. */
async function signIn(claims: Record<string, unknown>) {
  const agent = createAgent()
  const request = authorizationRequest(environment, application, { scope: 'openid' })
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const { searchParams } = new URL(started.headers.get('location') ?? '')
  Object.assign(op, { claims, nonce: searchParams.get('nonce') })
  const answer = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '' })
  const back = await followToClient(agent, { ...request, url: `${provider.callback_url}?${answer}` }, { email: '', password: '' })
  const tokens = expectStatus(200, await exchange(w, environment, application, { request, code: back.searchParams.get('code') ?? '' }))
  return { agent, tokens }
}
type SignedIn = Pick<Awaited<ReturnType<typeof signIn>>, 'agent'>

async function isSignedIn({ agent }: SignedIn): Promise<boolean> {
  const reply = await agent.get(authorizationRequest(environment, application, { scope: 'openid', prompt: 'none' }).url)
  return new URL(reply.headers.get('location') ?? '').searchParams.has('code')
}

const seconds = () => Math.floor(w.now().getTime() / 1_000)
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const claimsOf = (change: Record<string, unknown>) => {
  const all = { iss: op.issuer, aud: 'c', iat: seconds(), exp: seconds() + 120, jti: randomText(), events, sub: 'pat', ...change }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
const header = { alg: 'ES256', kid: 'one', typ: 'logout+jwt' }
const sign = (change: Record<string, unknown> = {}, of: object = {}, key: Parameters<SignJWT['sign']>[0] = op.private_key) =>
  new SignJWT(claimsOf(change)).setProtectedHeader({ ...header, ...of } as JWTHeaderParameters).sign(key) // as: some are wrong on purpose

let sources = 0
/** Sends a form from an address of its own, unless one is given. */
const post = (
  form: Record<string, string> | URLSearchParams,
  to = provider.backchannel_logout_uri,
  from = `203.0.113.${++sources}`,
): Promise<Reply> =>
  w.call('POST', to, {
    key: null,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from },
  })

test('a logout token with sid ends what began there in that session, with its grants, and its applications are informed', async () => {
  const [first, second, other] = [await signIn({ sid: 'a' }), await signIn({ sid: 'b' }), await signIn({ sub: 'kim', sid: 'c' })]
  receiver.received.length = 0
  const reply = await post({ logout_token: await sign({ sub: undefined, sid: 'a' }) })
  assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, 'no-store'])
  assert.deepEqual(await Promise.all([first, second, other].map(isSignedIn)), [false, true, true])
  assert.equal((await userinfo(w, environment, first.tokens.access_token)).status, 401)
  await until('the application is informed', () => receiver.received.length === 1)
  const token = new URLSearchParams(receiver.received[0]?.body).get('logout_token') ?? ''
  assert.equal(decodeJwt(token).sid, decodeJwt(first.tokens.id_token).sid)

  assert.equal((await post({ logout_token: await sign({ sub: 'kim', sid: 'b' }) })).status, 200)
  assert.equal(await isSignedIn(second), true, 'sid and sub must both fit')
  assert.equal((await post({ logout_token: await sign({ sub: 'pat', sid: 'b' }) })).status, 200)
  assert.deepEqual(await Promise.all([second, other].map(isSignedIn)), [false, true])
})

test('a logout token with sub alone ends what began there for that person, and nothing that began elsewhere', async () => {
  const all = [await signIn({ sid: 'd' }), await signIn({}), await signIn({ sub: 'kim' })]
  const by_password = await createPerson(w, environment)
  await by_password.tokens(application, { scope: 'openid' })
  assert.equal((await post({ logout_token: await sign() })).status, 200)
  assert.deepEqual(await Promise.all([...all, by_password].map(isSignedIn)), [false, false, true, true])
})

test('nobody was signed in: the answer is 200', async () => {
  for (const about of [{ sub: 'nobody' }, { sub: undefined, sid: 'nothing' }, { sub: 'nobody', sid: 'd' }])
    assert.equal((await post({ logout_token: await sign(about) })).status, 200)
})

test('the sign-out at another issuer ends the session here', async () => {
  const { test: partner } = await w.createProject('partner')
  const client = await w.createApplication(partner, { redirect_uris: ['https://app.example.com/not-yet'] })
  const body = { ...fields, issuer: partner.issuer, client_id: client.client_id, client_secret: client.client_secret }
  const there = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
  const addresses = { redirect_uris: [there.callback_url], backchannel_logout_uri: there.backchannel_logout_uri }
  expectStatus(200, await w.call('PATCH', `${partner.path}/applications/${client.id}`, { body: addresses }))
  const user = await w.createUser(partner, { email_verified: true })
  const agent = createAgent()
  const request = authorizationRequest(environment, application, { scope: 'openid' })
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: there.id })
  const url = started.headers.get('location') ?? ''
  const back = await followToClient(agent, { url, redirect_uri: there.callback_url }, user)
  await followToClient(agent, { ...request, url: back.href }, user)
  assert.equal(await isSignedIn({ agent }), true)
  await agent.submit(await agent.get(`${partner.issuer}/oauth/logout`), { decision: 'sign_out' })
  await until('the session ends here', async () => !(await isSignedIn({ agent })))
})

const stranger = await generateKeyPair('ES256')
const pem = new TextEncoder().encode(await exportSPKI((await generateKeyPair('ES256', { extractable: true })).publicKey))
const secret = new TextEncoder().encode('s'.repeat(32))
const unsigned = () => `${base64url.encode(JSON.stringify({ alg: 'none' }))}.${base64url.encode(JSON.stringify(claimsOf({})))}.`
const idToken = () => sign({ events: undefined, nonce: 'n', sid: undefined }, { typ: 'JWT' })
const twice = await sign()

// biome-ignore format: this table is read by column
const forgeries: [why: string, make: () => Promise<string> | string][] = [
  ['it has no signature',                       unsigned],
  ['a secret signed it',                        () => sign({}, { alg: 'HS256' }, secret)],
  ['the text of a public key signed it',        () => sign({}, { alg: 'HS256' }, pem)],
  ['another key signed it',                     () => sign({}, {}, stranger.privateKey)],
  ['its key is unknown',                        () => sign({}, { kid: 'two' }, stranger.privateKey)],
  ['its signature was cut off',                 async () => (await sign()).replace(/[^.]*$/, '')],
  ['its payload was changed',                   async () => (await sign()).replace(/\.[^.]*\./, `.${base64url.encode(JSON.stringify(claimsOf({ sub: 'kim' })))}.`)],
  ['its type is that of access tokens',         () => sign({}, { typ: 'at+jwt' })],
  ['it has a critical header',                  () => sign({}, { crit: ['b64'], b64: true })],
  ['it is of another issuer',                   () => sign({ iss: 'https://other.example' })],
  ['it has no issuer',                          () => sign({ iss: undefined })],
  ['its issuer has one slash more',             () => sign({ iss: `${op.issuer}/` })],
  ['it is for another client',                  () => sign({ aud: 'd' })],
  ['it is for no client',                       () => sign({ aud: undefined })],
  ['it was issued 121 seconds ago',             () => sign({ iat: seconds() - 121 })],
  ['it is issued 122 seconds from now',         () => sign({ iat: seconds() + 122 })],
  ['it does not say when it was issued',        () => sign({ iat: undefined })],
  ['its time is a text',                        () => sign({ iat: String(seconds()) })],
  ['it has expired',                            () => sign({ exp: seconds() - 1 })],
  ['it has no events',                          () => sign({ events: undefined })],
  ['it has another event',                      () => sign({ events: { 'http://schemas.openid.net/event/other': {} } })],
  ['its event is a text',                       () => sign({ events: { 'http://schemas.openid.net/event/backchannel-logout': 'yes' } })],
  ['its events are a list',                     () => sign({ events: Object.keys(events) })],
  ['it has a nonce',                            () => sign({ nonce: 'n' })],
  ['it is an ID token',                         idToken],
  ['it has no jti',                             () => sign({ jti: undefined })],
  ['its jti is empty',                          () => sign({ jti: '' })],
  ['it was used before',                        () => twice],
  ['it names neither a person nor a session',   () => sign({ sub: undefined })],
  ['its session is a number',                   () => sign({ sid: 1 })],
  ['its subject has 256 characters',            () => sign({ sub: 's'.repeat(256) })],
  ['its subject has a control character',       () => sign({ sub: 'pat\u0007' })],
  ['it is longer than 10,000 characters',       () => sign({ more: 'x'.repeat(10_000) })],
  ['it is not a JWT',                            () => 'logout'],
  ['it is empty',                               () => ''],
]

test('a logout token that is forged, late, foreign or used before ends nothing', async (t) => {
  await post({ logout_token: twice })
  const [pat, kim] = [await signIn({ sid: 'e' }), await signIn({ sub: 'kim', sid: 'f' })]
  for (const [why, make] of forgeries)
    await t.test(`since ${why}`, async () => {
      const reply = await post({ logout_token: await make() })
      assert.deepEqual([reply.status, reply.body.error, reply.headers.get('cache-control')], [400, 'invalid_request', 'no-store'])
    })
  const token = await sign()
  const another = await addProvider()
  const off = await addProvider()
  expectStatus(200, await w.call('PATCH', `${environment.path}/providers/${off.id}`, { body: { enabled: false } }))
  const both = new URLSearchParams([
    ['logout_token', token],
    ['logout_token', token],
  ])
  const at = (id: string) => `${environment.issuer}/oauth/backchannel/${id}`
  const sent = { key: null, body: { logout_token: token } }
  // biome-ignore format: this table is read by column
  const wrong: [why: string, status: number, send: () => Promise<Reply>][] = [
    ['it is sent twice in one form',       400, () => post(both)],
    ['the form has no token',              400, () => post({ token })],
    ['it is sent as JSON',                 400, () => w.call('POST', at(provider.id), sent)],
    ['it is sent in the query',            400, () => w.call('POST', `${at(provider.id)}?logout_token=${token}`, { key: null })],
    ['it is sent by GET',                  405, () => w.call('GET', `${at(provider.id)}?logout_token=${token}`, { key: null })],
    ['the provider is switched off',       400, () => post({ logout_token: token }, at(off.id))],
    ['there is no such provider',          400, () => post({ logout_token: token }, at('prv_00000000000000000000000000'))],
    ['the environment has no such provider', 400, () => post({ logout_token: token }, `${w.live.issuer}/oauth/backchannel/${provider.id}`)],
  ]
  for (const [why, status, send] of wrong) await t.test(`since ${why}`, async () => assert.equal((await send()).status, status))
  assert.equal(
    (await post({ logout_token: await sign() }, another.backchannel_logout_uri)).status,
    200,
    'another provider with this issuer',
  )
  assert.deepEqual(await Promise.all([pat, kim].map(isSignedIn)), [true, true])
  assert.equal((await post({ logout_token: token })).status, 200)
  assert.equal(await isSignedIn(pat), false, 'the same token where it belongs')
})

test('an unknown key makes the service read the keys again once a minute, after which a new key counts', async () => {
  const fresh = await generateKeyPair('ES256', { extractable: true })
  const next = () => sign({}, { kid: 'next' }, fresh.privateKey)
  w.advance(301)
  await post({ logout_token: await sign() })
  const before = op.key_reads
  op.keys = [op.jwk, { ...(await exportJWK(fresh.publicKey)), kid: 'next', alg: 'ES256' }]
  for (let n = 0; n < 3; n++) assert.equal((await post({ logout_token: await next() })).status, 400)
  assert.equal(op.key_reads, before)
  w.advance(60)
  assert.equal((await post({ logout_token: await next() })).status, 200)
  for (let n = 0; n < 3; n++) await post({ logout_token: await sign({}, { kid: 'other' }) })
  assert.equal(op.key_reads, before + 1)
})

test('an address sends 60 logout tokens a minute, and another address its own', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 61; n++) statuses.push((await post({ logout_token: 'x' }, provider.backchannel_logout_uri, '198.51.100.1')).status)
  assert.deepEqual([statuses.slice(0, 60).every((status) => status === 400), statuses[60]], [true, 429])
  const limited = await post({ logout_token: 'x' }, provider.backchannel_logout_uri, '198.51.100.1')
  assert.ok(Number(limited.headers.get('retry-after')) > 0)
  assert.equal((await post({ logout_token: 'x' }, provider.backchannel_logout_uri, '198.51.100.2')).status, 400)
})
