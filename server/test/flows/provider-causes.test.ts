/** Each cause of a failure at a provider, provoked by a real server, at a sign-in and at the check. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createServerWithTls } from 'node:https'
import { after, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { parseNetwork } from '../../src/base/networks.ts'
import { createOutbound } from '../../src/deployment/outbound/fetch.ts'
import { makeCertificate } from '../support/certificate.ts'
import { authorizationRequest, createAgent, formOf } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const names: Record<string, string[]> = { localhost: ['127.0.0.1'], 'private.example': ['10.0.0.1'] }
const loopback = parseNetwork('127.0.0.1/32')
if (typeof loopback === 'string') throw new Error(loopback)
const real = createOutbound(
  { base_url: 'http://localhost', webhook_allowed_networks: [loopback] },
  { resolve: async (name) => names[name] ?? [] },
)
const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' },
  // A call that gets no answer ends sooner than those of a service.
  outbound: (request) => real(flaw.silent === undefined ? request : { ...request, timeout_ms: 100 }),
})
const environment = w.test
const application = await w.createApplication(environment)
const { publicKey, privateKey } = await generateKeyPair('RS256')
const other = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }

/** The faults of a provider. */
interface Flaw {
  metadata?: object | string
  metadata_status?: number
  keys?: object | string
  keys_status?: number
  token?: (nonce: string) => Promise<object> | object
  token_status?: number
  userinfo?: object | string
  /** The path that never answers. */
  silent?: string
}
let flaw: Flaw = {}
let nonce = ''

const port = await freePort()
const issuer = `http://localhost:${port}`
const idToken = (claims: { exp?: number; nonce?: string }, key = privateKey) =>
  new SignJWT({ nonce, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(issuer)
    .setAudience('c')
    .setSubject('s')
    .setIssuedAt()
    .setExpirationTime(claims.exp ?? '5m')
    .sign(key)

const right = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
}
const listener: RequestListener = async (request, response) => {
  const path = (request.url ?? '').split('?')[0] ?? ''
  const send = (status: number, body: object | string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body))
  if (path === flaw.silent) return
  if (path === '/.well-known/openid-configuration') return send(flaw.metadata_status ?? 200, flaw.metadata ?? right)
  if (path === '/jwks') return send(flaw.keys_status ?? 200, flaw.keys ?? { keys: [jwk] })
  if (path === '/userinfo') return send(200, flaw.userinfo ?? { sub: 's', email: 'pat@example.com', email_verified: true })
  const token = async () => ({ access_token: 'a', token_type: 'Bearer', id_token: await idToken({}) })
  return send(flaw.token_status ?? 200, await (flaw.token ?? token)(nonce))
}
const listen = async (server: Server, at: number, host = '127.0.0.1') => {
  await new Promise<void>((resolve) => server.listen(at, host, resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
}
await listen(createServer(listener), port)
const tls_port = await freePort()
await listen(createServerWithTls(makeCertificate('localhost'), listener), tls_port)
const closed_port = await freePort()

const add = async (at: string) =>
  expectStatus(
    201,
    await w.call('POST', `${environment.path}/providers`, { body: { type: 'oidc', issuer: at, client_id: 'c', client_secret: 's' } }),
  )
const recordOf = async (id: string) => expectStatus(200, await w.call('GET', `${environment.path}/providers/${id}`))

/** A sign-in at the provider, to its end or its failure. `change` replaces parameters that the browser brings back. */
async function signIn(provider: { id: string; callback_url: string }, change: Record<string, string> = {}): Promise<Reply> {
  const agent = createAgent()
  const { hidden } = formOf((await agent.get(authorizationRequest(environment, application).url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const location = started.headers.get('location')
  if (location === null) return started
  const sent = new URL(location).searchParams
  nonce = sent.get('nonce') ?? ''
  return agent.get(`${provider.callback_url}?${new URLSearchParams({ code: 'x', state: sent.get('state') ?? '', ...change })}`)
}

const forged = { token: async () => ({ access_token: 'a', token_type: 'Bearer', id_token: await idToken({}, other.privateKey) }) }
const expired = { token: async () => ({ access_token: 'a', token_type: 'Bearer', id_token: await idToken({ exp: 1 }) }) }

interface Case {
  why: string
  cause: string
  at?: string
  flaw?: Flaw
  /** The check sees it too. */
  is_checked: boolean
  detail?: RegExp
}
// biome-ignore format: this table is read by column
const cases: Case[] = [
  { why: 'the name has no address',               cause: 'dns',                 at: 'https://nowhere.example',             is_checked: true },
  { why: 'the address is private',                cause: 'address_not_allowed', at: 'https://private.example',             is_checked: true },
  { why: 'nothing listens at the port',           cause: 'refused',             at: `http://localhost:${closed_port}`,     is_checked: true },
  { why: 'the metadata names a private address for the keys',   cause: 'address_not_allowed', flaw: { metadata: { ...right, jwks_uri: 'https://private.example/jwks' } }, is_checked: true, detail: /keys/ },
  { why: 'the metadata names a private address for the tokens', cause: 'address_not_allowed', flaw: { metadata: { ...right, token_endpoint: 'https://private.example/token' } }, is_checked: false, detail: /token endpoint/ },
  { why: 'the certificate is not trusted',        cause: 'tls',                 at: `https://localhost:${tls_port}`,       is_checked: true },
  { why: 'the metadata does not come',            cause: 'timeout',             flaw: { silent: '/.well-known/openid-configuration' }, is_checked: true, detail: /metadata/ },
  { why: 'the keys do not come',                  cause: 'timeout',             flaw: { silent: '/jwks' },                 is_checked: true, detail: /keys/ },
  { why: 'the tokens do not come',                cause: 'timeout',             flaw: { silent: '/token' },                is_checked: false, detail: /token endpoint/ },
  { why: 'the metadata is not found',             cause: 'status',              flaw: { metadata_status: 404 },            is_checked: true, detail: /404/ },
  { why: 'the metadata is not JSON',              cause: 'metadata',            flaw: { metadata: '<html>secret text' },   is_checked: true },
  { why: 'the metadata names another issuer',     cause: 'issuer_mismatch',     flaw: { metadata: { issuer: 'https://other.example', authorization_endpoint: 'https://other.example/a' } }, is_checked: true },
  { why: 'the keys are not found',                cause: 'status',              flaw: { keys_status: 500 },                is_checked: true, detail: /500/ },
  { why: 'there are no keys',                     cause: 'keys',                flaw: { keys: { keys: [] } },              is_checked: true },
  { why: 'the keys are not JSON',                 cause: 'keys',                flaw: { keys: 'secret text' },             is_checked: true },
  { why: 'the secret is wrong',                   cause: 'client_rejected',     flaw: { token_status: 401, token: () => ({ error: 'invalid_client', error_description: 'secret text' }) }, is_checked: false, detail: /invalid_client/ },
  { why: 'the client may not ask for codes',      cause: 'client_rejected',     flaw: { token_status: 400, token: () => ({ error: 'unauthorized_client' }) }, is_checked: false, detail: /unauthorized_client/ },
  { why: 'the error is of another name',          cause: 'client_rejected',     flaw: { token_status: 400, token: () => ({ error: 'secret text' }) }, is_checked: false, detail: /of another name/ },
  { why: 'the token endpoint fails',              cause: 'status',              flaw: { token_status: 503, token: () => ({}) }, is_checked: false, detail: /503/ },
  { why: 'there is no ID token',                  cause: 'id_token',            flaw: { token: () => ({ access_token: 'a', token_type: 'Bearer' }) }, is_checked: false },
  { why: 'another key signed the ID token',       cause: 'id_token',            flaw: forged,                              is_checked: false },
  { why: 'the ID token has expired',              cause: 'id_token',            flaw: expired,                             is_checked: false },
  { why: 'the claims are of another person',      cause: 'userinfo',            flaw: { userinfo: { sub: 'another' } },    is_checked: false },
]

for (const { why, cause, at = issuer, flaw: wrong = {}, is_checked, detail } of cases)
  test(`the cause is ${cause} when ${why}, ${is_checked ? 'at the check too' : 'which the check does not see'}`, async () => {
    const provider = await add(at)
    w.advance(301) // metadata is cached by issuer
    flaw = wrong
    const reply = await signIn(provider)
    assert.equal(reply.status, 502)
    assert.match(reply.body, new RegExp(`>${cause}: `))
    const call = expectStatus(200, await w.call('GET', `${environment.path}/requests/${referenceOf(reply)}`))
    const failed = await recordOf(provider.id)
    assert.equal(failed.last_failure.cause, cause)
    assert.equal(call.reason, `The sign-in at the provider ${provider.id} failed (${cause}). ${failed.last_failure.detail}`)
    if (detail) assert.match(failed.last_failure.detail, detail)
    assert.ok(!`${reply.body}${JSON.stringify([call, failed])}`.includes('secret text'))

    const check = () => w.call('POST', `${environment.path}/providers/${provider.id}/check`)
    const checked = expectStatus(200, await check())
    assert.deepEqual([checked.ok, checked.cause], is_checked ? [false, cause] : [true, null])
    flaw = {}
    if (at === issuer) {
      assert.deepEqual(expectStatus(200, await check()), { ok: true, cause: null, detail: null })
      assert.equal(
        (await recordOf(provider.id)).last_failure?.cause ?? null,
        is_checked ? null : cause,
        'a check forgets only what it disproves',
      )
    }
    w.advance(3_601) // the limit of checks
    expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${provider.id}`))
  })

test('a private address has one cause and one detail, whether a provider listens there, refuses, or nothing does', async () => {
  let asked = 0
  const hidden = createServer((_, response) => {
    asked++
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(right))
  })
  await listen(hidden, 0, '127.0.0.2')
  const address = hidden.address()
  const open = typeof address === 'object' && address !== null ? address.port : assert.fail('no port')
  names['inside.example'] = ['127.0.0.2']
  const seen: object[] = []
  for (const at of [`https://inside.example:${open}`, `https://inside.example:${closed_port}`, 'https://private.example']) {
    const provider = await add(at)
    const reply = await signIn(provider)
    const { cause, detail } = (await recordOf(provider.id)).last_failure
    w.advance(3_601)
    const checked = expectStatus(200, await w.call('POST', `${environment.path}/providers/${provider.id}/check`))
    seen.push({ status: reply.status, cause, detail, checked: { ...checked } })
    expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${provider.id}`))
  }
  assert.deepEqual(seen, Array(3).fill(seen[0]))
  assert.equal((seen[0] as { cause: string }).cause, 'address_not_allowed') // as: what was pushed above
  assert.equal(asked, 0, 'nobody connected to it')
})

const failingChecks = async () => {
  const { checks } = expectStatus(200, await w.call('GET', `${environment.path}/readiness`))
  return checks.filter(({ code, ok }: { code: string; ok: boolean }) => code === 'providers_answer' && !ok).length
}

test('readiness warns of a provider that failed last, until a person signs in again', async () => {
  const provider = await add(issuer)
  flaw = { token_status: 401, token: () => ({ error: 'invalid_client' }) }
  await signIn(provider)
  assert.equal(await failingChecks(), 1)
  flaw = {}
  w.advance(1)
  assert.equal((await signIn(provider)).status, 303)
  assert.equal(await failingChecks(), 0)
  const { last_success_at, last_failure } = await recordOf(provider.id)
  assert.ok(last_success_at > last_failure.at)
})

// biome-ignore format: this table is read by column
const strangers: [what: string, brought: Record<string, string>, flaw: Flaw][] = [
  ['an error of their own',            { error: 'server_error' },                        {}],
  ['the word of another provider',     { iss: 'https://other.example' },                 {}],
  ['a made-up code',                   {},                                               { token_status: 400, token: () => ({ error: 'invalid_grant' }) }],
  ['the code of another attempt',      {},                                               { token: async () => ({ access_token: 'a', token_type: 'Bearer', id_token: await idToken({ nonce: 'another' }) }) }],
]
for (const [what, brought, wrong] of strangers)
  test(`a stranger who comes back with ${what} leaves a refused call, and no failure of the provider`, async () => {
    const provider = await add(issuer)
    flaw = wrong
    const reply = await signIn(provider, brought)
    flaw = {}
    assert.equal(reply.status, 502)
    assert.equal(expectStatus(200, await w.call('GET', `${environment.path}/requests/${referenceOf(reply)}`)).code, 'provider_unreachable')
    assert.equal((await recordOf(provider.id)).last_failure, null)
    assert.equal(await failingChecks(), 0)
  })

test('an environment has ten checks an hour, and another environment has its own', async () => {
  const provider = await add(issuer)
  w.advance(3_601)
  const statuses: number[] = []
  for (let n = 0; n < 11; n++) statuses.push((await w.call('POST', `${environment.path}/providers/${provider.id}/check`)).status)
  assert.deepEqual(statuses, [...Array(10).fill(200), 429])
  assert.equal((await w.call('POST', `${w.live.path}/providers/${provider.id}/check`)).status, 404)
})
