/** A trace that a request names: in its log line, and at every receiver that the request causes a call to. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { authorizationRequest, createAgent, createPerson, formOf } from '../support/cookie-browser.ts'
import { type Received, startReceiver, until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { insertWebhooks } from '../support/webhooks.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' } })
const client = await w.createApplication(w.test)

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** The headers of a caller with a trace of its own. */
function newTrace() {
  const [trace_id, parent_id] = [hex(16), hex(8)]
  return { trace_id, parent_id, headers: { traceparent: `00-${trace_id}-${parent_id}-01`, tracestate: 'vendor=1' } }
}
type NewTrace = ReturnType<typeof newTrace>

const linesOf = (at: typeof w, { trace_id }: NewTrace) =>
  at.log.map((line) => JSON.parse(line)).filter((line) => line.trace_id === trace_id)

/** The header that a receiver gets: the trace of the caller, and the span of the request in the log. */
async function expectedAt(at: typeof w, trace: NewTrace): Promise<string> {
  const [line] = await until('the request is logged', () => (linesOf(at, trace).length > 0 ? linesOf(at, trace) : false))
  return `00-${trace.trace_id}-${line?.span_id}-01`
}

/** One request for each kind of answer: of the API, of an issuer, a page, an error, a probe. */
const requests = [
  { what: 'of the API', path: '/v1/api-keys/whoami' },
  { what: 'without a credential', path: '/v1/platform/projects', key: null },
  { what: 'of discovery', path: `${w.test.issuer}/.well-known/openid-configuration` },
  { what: 'of a hosted page', path: authorizationRequest(w.test, client).url },
  { what: 'of the documentation', path: '/docs/errors' },
  { what: 'for an unknown path', path: '/nowhere' },
  { what: 'with a wrong method', path: '/v1/api-keys/whoami', method: 'DELETE' },
]
for (const { what, path, key = w.key, method = 'GET' } of requests) {
  test(`the log line of a request ${what} has the trace of its caller and a span of its own`, async () => {
    const trace = newTrace()
    await w.call(method, path, { key, headers: trace.headers })
    const [line, ...more] = linesOf(w, trace)
    assert.deepEqual(more, [])
    assert.equal(line.parent_id, trace.parent_id)
    assert.match(line.span_id, /^[0-9a-f]{16}$/)
    assert.notEqual(line.span_id, trace.parent_id)
  })
}

test('parallel requests of one connection and of several keep their own traces', async () => {
  const traces = Array.from({ length: 50 }, newTrace)
  await Promise.all(traces.map(({ headers }) => w.call('GET', '/v1/api-keys/whoami', { headers })))
  for (const trace of traces) assert.deepEqual([linesOf(w, trace).length, linesOf(w, trace)[0].parent_id], [1, trace.parent_id])
})

const ignored = [
  '',
  'x',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `ff-${hex(16)}-${hex(8)}-01`,
  `00-${hex(16)}-${hex(8)}-01-${'a'.repeat(9_000)}`,
]
for (const traceparent of ignored) {
  test(`an invalid traceparent (${traceparent.slice(0, 20)}, ${traceparent.length} characters) changes nothing`, async () => {
    const reply = await w.call('GET', '/v1/api-keys/whoami', { headers: { traceparent, tracestate: 'vendor=1' } })
    assert.equal(reply.status, 200)
    const line = w.log.map((text) => JSON.parse(text)).find(({ request_id }) => request_id === reply.headers.get('x-request-id'))
    assert.deepEqual([line.trace_id, line.span_id, line.parent_id], [undefined, undefined, undefined])
  })
}

test('a webhook gets the trace of the API call, of the sign-in and of no request, each on every attempt', async () => {
  const { url, received } = await startReceiver((_, count) => ({ status: count === 1 ? 500 : 204 }))
  await insertWebhooks(w, w.test, [url], ['application.created', 'session.created', 'signing_key.rotated'])
  const of = (type: string) => received.filter(({ body }) => JSON.parse(body).type === type)

  const by_api = newTrace()
  expectStatus(
    201,
    await w.call('POST', `${w.test.path}/applications`, {
      headers: by_api.headers,
      body: { name: 'Traced', application_type: 'web', redirect_uris: ['https://app.example.com/callback'] },
    }),
  )
  await until('the first attempt', () => of('application.created').length === 1)
  await until('the retry', () => {
    w.advance(10)
    return of('application.created').length === 2
  })
  const expected = await expectedAt(w, by_api)
  assert.deepEqual(
    of('application.created').map(({ headers }) => headers.traceparent),
    [expected, expected],
  )

  const by_person = newTrace()
  const person = await w.createUser(w.test)
  const agent = createAgent(w.reach)
  const page = await agent.get(authorizationRequest(w.test, client).url)
  await agent.submit(page, { email: person.email, password: person.password }, by_person.headers)
  await until('the event of the sign-in', () => of('session.created').length === 1)
  assert.equal(of('session.created')[0]?.headers.traceparent, await expectedAt(w, by_person))

  expectStatus(200, await w.call('POST', `${w.test.path}/signing-keys/rotate`))
  await until('an event without a trace', () => of('signing_key.rotated').length === 1)
  assert.equal(of('signing_key.rotated')[0]?.headers.traceparent, undefined)
  for (const { headers, body } of received) {
    assert.equal(headers.tracestate, undefined, 'nothing of the caller but its ids is stored')
    assert.equal('trace' in JSON.parse(body), false)
  }
})

test('work in the background that a traced request wakes is not part of its trace', async () => {
  const { test: quiet } = await w.createProject('quiet')
  const { url: gone } = await startReceiver(() => ({ status: 410 }))
  const { url, received } = await startReceiver()
  await insertWebhooks(w, quiet, [gone], ['application.created'])
  await insertWebhooks(w, quiet, [url], ['webhook.disabled'])
  const { headers } = newTrace()
  const body = { name: 'Traced', application_type: 'web', redirect_uris: ['https://app.example.com/callback'] }
  expectStatus(201, await w.call('POST', `${quiet.path}/applications`, { headers, body }))
  await until('the webhook is disabled', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${quiet.path}/events?type=webhook.disabled`))
    return data.length === 1
  })
  await until('the event is delivered', () => received.length === 1)
  assert.equal(received[0]?.headers.traceparent, undefined)
})

test('a back-channel logout gets the trace of the sign-out', async () => {
  const { url, received } = await startReceiver()
  const application = await w.createApplication(w.test, { backchannel_logout_uri: url })
  const { agent, tokens } = await createPerson(w, w.test)
  const { id_token } = await tokens(application)
  const trace = newTrace()
  await agent.get(`${w.test.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`, trace.headers)
  await until('the logout token', () => received.length === 1)
  assert.equal(received[0]?.headers.traceparent, await expectedAt(w, trace))
})

test('a jwks_uri is read within the trace of the token request, with its tracestate', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }
  const { url, received } = await startReceiver(() => ({ status: 200, body: JSON.stringify(keys) }))
  const { client_id } = await w.createApplication(w.test, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: url })
  const now = Math.floor(w.now().getTime() / 1000)
  const client_assertion = await new SignJWT({ iss: client_id, sub: client_id, aud: w.test.issuer, jti: 'one', iat: now, exp: now + 60 })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .sign(privateKey)
  const form = {
    grant_type: 'authorization_code',
    code: 'unknown',
    redirect_uri: 'https://app.example.com/callback',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion,
  }
  const trace = newTrace()
  const reply = await fetch(w.reach(`${w.test.issuer}/v1/oauth/token`), {
    method: 'POST',
    headers: trace.headers,
    body: new URLSearchParams(form),
  })
  assert.equal(((await reply.json()) as { error: string }).error, 'invalid_grant') // as: the JSON of an OAuth error
  const [call] = received as [Received]
  assert.deepEqual([call.headers.traceparent, call.headers.tracestate], [await expectedAt(w, trace), 'vendor=1'])
})

test('a provider is called within the trace of the request that needs it', async () => {
  const upstreams = await startUpstreams()
  const other = await world({ outbound: upstreams.outbound })
  const application = await other.createApplication(other.test)
  const body = { type: 'oidc', client_id: 'o', client_secret: 's', issuer: 'https://sso.example.com' }
  const provider = expectStatus(201, await other.call('POST', `${other.test.path}/providers`, { body }))
  const agent = createAgent(other.reach)
  const page = await agent.get(authorizationRequest(other.test, application).url)
  const to_provider = newTrace()
  const { hidden } = formOf(page.body)
  const started = await agent.post(`${other.test.issuer}/federate`, { ...hidden, provider: provider.id }, to_provider.headers)
  const discovery = upstreams.requests.find(({ path }) => path.includes('openid-configuration'))
  assert.equal(discovery?.headers.traceparent, await expectedAt(other, to_provider))

  const from_provider = newTrace()
  const claims = { sub: 'one', email: 'pat@example.com', email_verified: true, name: 'Pat' }
  const returned = upstreams.agree(started.headers.get('location') ?? '', { claims })
  await agent.get(`${other.test.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(returned)}`, from_provider.headers)
  const token = upstreams.requests.find(({ path }) => path.endsWith('/token'))
  assert.equal(token?.headers.traceparent, await expectedAt(other, from_provider))
})
