/** Faults in the metadata of a provider, at each route that reads it, and how often strangers can make the service read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { authorizationRequest, createAgent, followToClient, formOf } from '../support/cookie-browser.ts'
import { loopback_networks, startProvider } from '../support/own-provider.ts'
import { expectStatus, randomText, type TestEnvironment, world } from '../support/world.ts'

const op = await startProvider()
const public_issuer = 'https://sso.example.com'
/** The metadata calls of the service. */
let reads = 0
const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: loopback_networks, OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' },
  outbound: (request) => {
    if (request.url.includes('/.well-known/')) reads++
    const is_public = request.url.startsWith(public_issuer)
    return op.outbound(is_public ? { ...request, https_only: false, url: request.url.replace(public_issuer, op.issuer) } : request)
  },
})

const fieldsOf = (issuer: string) => ({ type: 'oidc', issuer, client_id: 'c', client_secret: 's', sign_out: 'rp_initiated' })
const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
  end_session_endpoint: `${issuer}/end`,
})

async function placeIn(environment: TestEnvironment, issuer: string) {
  const application = await w.createApplication(environment)
  const created = await w.call('POST', `${environment.path}/providers`, { body: fieldsOf(issuer) })
  return { environment, issuer, application, provider: expectStatus(201, created), right: metadataOf(issuer) }
}
type Place = Awaited<ReturnType<typeof placeIn>>
const places = { test: await placeIn(w.test, op.issuer), live: await placeIn(w.live, public_issuer) }

/** Publishes this metadata, of which the service has kept nothing. */
function publish(metadata: object): void {
  op.metadata = { ...metadata }
  w.advance(301)
}

async function begin({ environment, application, provider }: Place) {
  const agent = createAgent()
  const request = authorizationRequest(environment, application, { scope: 'openid' })
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const finish = () => {
    const { searchParams } = new URL(started.headers.get('location') ?? '')
    Object.assign(op, { nonce: searchParams.get('nonce') ?? '' })
    return `${provider.callback_url}?${new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '', iss: searchParams.get('iss') ?? '' }).toString().replace(/&iss=$/, '')}`
  }
  return { agent, request, started, finish }
}

const failureOf = async ({ environment, provider }: Place) =>
  expectStatus(200, await w.call('GET', `${environment.path}/providers/${provider.id}`)).last_failure

const needed = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const can_be_missing = ['userinfo_endpoint', 'end_session_endpoint'] as const
/** In JSON, where `undefined` is a member that is missing. */
const bad: unknown[] = [
  undefined,
  null,
  42,
  [],
  {},
  '',
  'authorize',
  '/authorize',
  'https://',
  'javascript:alert(1)',
  'https://user:pw@sso.example.com/a',
  'http://sso.example.com/a',
  `https://sso.example.com/${'a'.repeat(3_000)}`,
]

for (const [type, place] of Object.entries(places)) {
  for (const name of [...needed, ...can_be_missing])
    test(`${type}: a sign-in with a bad ${name} ends at the page of an unusable provider`, async () => {
      for (const value of bad) {
        const about = JSON.stringify(value)?.slice(0, 60)
        publish({ ...place.right, [name]: value })
        const { started } = await begin(place)
        const is_fine = name === 'end_session_endpoint' || (name === 'userinfo_endpoint' && (value === undefined || value === null))
        assert.equal(started.status, is_fine ? 303 : 502, about)
        if (is_fine) continue
        if (type === 'test') assert.match(started.body, />metadata: /, about)
        assert.equal((await failureOf(place)).cause, 'metadata', about)
      }
    })

  test(`${type}: metadata that became bad during the sign-in ends at the same page, and the check says so`, async () => {
    for (const name of needed)
      for (const value of [undefined, 42, 'authorize', 'http://sso.example.com/a']) {
        publish(place.right)
        const { agent, finish } = await begin(place)
        const url = finish()
        publish({ ...place.right, [name]: value })
        const reply = await agent.get(url)
        assert.equal(reply.status, 502, `${name} ${value}`)
        assert.equal((await failureOf(place)).cause, 'metadata')
        w.advance(3_601) // the limit of checks
        const check = await w.call('POST', `${place.environment.path}/providers/${place.provider.id}/check`)
        assert.deepEqual([check.body.ok, check.body.cause], [false, 'metadata'], `${name} ${value}`)
      }
  })

  test(`${type}: a bad issuer is unusable metadata`, async () => {
    for (const value of [undefined, null, 42, [], {}, '', 'https://other.example']) {
      publish({ ...place.right, issuer: value })
      assert.equal((await begin(place)).started.status, 502, String(value))
    }
  })
}

test('a person is signed out here whatever the end_session_endpoint is', async () => {
  const place = places.test
  for (const value of bad) {
    publish({ ...place.right, end_session_endpoint: value })
    const { agent, request, finish } = await begin(place)
    await followToClient(agent, { ...request, url: finish() }, { email: '', password: '' })
    const page = await agent.get(`${place.environment.issuer}/oauth/logout`)
    const reply = await agent.submit(page, { decision: 'sign_out' })
    assert.ok(reply.status < 400 && !(reply.headers.get('location') ?? '').startsWith('http://sso'), String(value))
    const again = await agent.get(authorizationRequest(place.environment, place.application, { scope: 'openid', prompt: 'none' }).url)
    assert.match(again.headers.get('location') ?? '', /error=login_required/)
  }
})

const seconds = () => Math.floor(w.now().getTime() / 1_000)
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const tokenOf = ({ issuer }: Place) =>
  new SignJWT({ events, sub: 'nobody', jti: randomText() })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'logout+jwt' })
    .setIssuer(issuer)
    .setAudience('c')
    .setIssuedAt(seconds())
    .setExpirationTime(seconds() + 120)
    .sign(op.private_key)
let sources = 0
/** A logout token from an address of its own. */
const post = async (place: Place, token: string) =>
  w.call('POST', place.provider.backchannel_logout_uri, {
    key: null,
    body: new URLSearchParams({ logout_token: token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': `198.51.100.${++sources % 256}` },
  })

test('a logout token is refused where the metadata has no usable jwks_uri, and needs nothing else of it', async () => {
  const place = places.test
  for (const value of bad) {
    publish({ ...place.right, jwks_uri: value })
    const reply = await post(place, await tokenOf(place))
    assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_request'], String(value))
    publish({ ...place.right, token_endpoint: value, authorization_endpoint: value, end_session_endpoint: value })
    assert.equal((await post(place, await tokenOf(place))).status, 200, String(value))
  }
})

const stranger = { header: Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'x', typ: 'logout+jwt' })).toString('base64url') }
const forged = () => `${stranger.header}.${Buffer.from('{}').toString('base64url')}.${'a'.repeat(86)}`

test('50 logout tokens of strangers at once cause one metadata call, and none follows while it is kept', async () => {
  const place = places.test
  publish(place.right)
  reads = 0
  for (let round = 0; round < 2; round++) {
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(place, forged())))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([400]))
    assert.equal(reads, 1)
  }
})

const failing: [why: string, metadata: object][] = [
  ['names another issuer', { issuer: 'https://other.example' }],
  ['has a number as issuer', { issuer: 5 }],
]
for (const [why, metadata] of failing)
  test(`metadata that ${why} is read once in ten seconds for strangers, and again for a person`, async () => {
    const place = places.test
    publish({ ...place.right, ...metadata })
    reads = 0
    await Promise.all(Array.from({ length: 50 }, () => post(place, forged())))
    assert.equal(reads, 1)
    await Promise.all(Array.from({ length: 50 }, () => post(place, forged())))
    assert.equal(reads, 1)
    assert.equal((await begin(place)).started.status, 502)
    assert.equal(reads, 2, 'a person tries again')
    await post(place, forged())
    assert.equal(reads, 2)
    w.advance(10)
    await post(place, forged())
    assert.equal(reads, 3)
    op.metadata = { ...place.right }
    assert.equal((await begin(place)).started.status, 303)
    assert.equal(reads, 4)
    await post(place, forged())
    assert.equal(reads, 4)
  })

test('50 people who go to a provider at once cause one metadata call', async () => {
  publish(places.test.right)
  reads = 0
  const all = await Promise.all(Array.from({ length: 50 }, () => begin(places.test)))
  assert.ok(all.some(({ started }) => started.status === 303))
  assert.equal(reads, 1)
})
