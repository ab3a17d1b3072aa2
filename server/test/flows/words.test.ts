/** True words for developers: what a refusal says to the caller, and what its record says besides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest, createAgent, createPerson, exchange, postAsClient, userinfo } from '../support/cookie-browser.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const reasonOf = async (reply: Reply, environment = w.test): Promise<{ code: string; reason: string; status: number }> =>
  expectStatus(200, await w.call('GET', `${environment.path}/requests/${referenceOf(reply)}`))

const orders = 'https://api.example.com/orders'
expectStatus(
  201,
  await w.call('POST', `${w.test.path}/resource-servers`, {
    body: { name: 'Orders', identifier: orders, scopes: [{ name: 'orders:read', description: 'See orders' }] },
  }),
)
const application = await w.createApplication(w.test, { allowed_scopes: ['openid', 'orders:read'] })
const person = await createPerson(w, w.test)

/** The parameters that come back to the application. */
async function refusedAuthorization(change: Record<string, string>) {
  const reply = await createAgent().get(authorizationRequest(w.test, application, change).url)
  const sent = new URL(reply.headers.get('location') ?? '').searchParams
  return { error: sent.get('error'), description: sent.get('error_description') ?? '', record: await reasonOf(reply) }
}

test('a scope of a resource server without resource names the resource server and the parameter', async () => {
  const { error, description, record } = await refusedAuthorization({ scope: 'openid orders:read' })
  assert.equal(error, 'invalid_scope')
  assert.equal(description, `The scope orders:read belongs to the resource server ${orders}: send its identifier as resource.`)
  assert.match(record.reason, /belongs to the resource server https:\/\/api\.example\.com\/orders, which the request does not name/)
})

test('a scope that no resource server has is not known', async () => {
  const { description, record } = await refusedAuthorization({ scope: 'openid invented' })
  assert.equal(description, 'The scope invented is not known here.')
  assert.doesNotMatch(record.reason, /orders|invented/)
})

test('a mistyped resource has an identifier near it in the refused call, and never in the answer', async () => {
  for (const sent of [`${orders}/`, orders.replace('https', 'http'), orders.replace('orders', 'order')]) {
    const { error, description, record } = await refusedAuthorization({ resource: sent })
    assert.equal(error, 'invalid_target')
    assert.equal(description.replace(sent, ''), 'No resource server has the identifier ')
    assert.ok(record.reason.endsWith(`An identifier near it is ${orders}`), record.reason)
  }
  for (const sent of ['https://elsewhere.example', `https://api.example.com/${'o'.repeat(300)}`])
    assert.doesNotMatch((await refusedAuthorization({ resource: sent })).record.reason, /near it/)
})

/** Tokens of the same person in another environment of the project. */
async function elsewhere(environment: TestEnvironment, format: 'jwt' | 'opaque') {
  await w.changeSettings(environment, { tokens: { access_token_format: format } })
  const other = await w.createApplication(environment)
  return (await createPerson(w, environment)).tokens(other)
}

const invented = 'x'.repeat(43)
// biome-ignore format: this table is read by column
const tokens: { what: string; token: () => Promise<string>; userinfo: RegExp; validate: [code: string, reason: RegExp] }[] = [
  { what: 'a JWT of Live',          token: async () => (await elsewhere(w.live, 'jwt')).access_token,    userinfo: /names the issuer of another environment/, validate: ['environment_mismatch', /another environment/] },
  { what: 'an opaque token of Live', token: async () => (await elsewhere(w.live, 'opaque')).access_token, userinfo: /names the issuer of another environment/, validate: ['environment_mismatch', /another environment/] },
  { what: 'an ID token',            token: async () => (await person.tokens(application, { scope: 'openid' })).id_token,     userinfo: /is an ID token/,                         validate: ['unknown', /is an ID token/] },
  { what: 'no token',               token: async () => invented,                                          userinfo: /is not an access token of this issuer/,      validate: ['malformed', /not a token of any kind/] },
]
for (const {
  what,
  token,
  userinfo: says,
  validate: [code, why],
} of tokens)
  test(`${what}: the refused calls of UserInfo and tokens/validate say so, and the answers stay`, async () => {
    const text = await token()
    const refused = await userinfo(w, w.test, text)
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /error_description="The access token is unknown, expired or revoked\."/)
    assert.match((await reasonOf(refused)).reason, says)

    const { key } = await createAuthKey(w, w.test, 'auth_secret')
    const validate = () => w.call('POST', '/v1/auth/tokens/validate', { key, body: { token: text } })
    const verdict = await validate()
    assert.deepEqual([verdict.status, verdict.body], [200, { active: false, reason: code }])
    const record = await reasonOf(verdict)
    assert.deepEqual([record.status, record.code], [200, code])
    assert.match(record.reason, why)
    const again = await w.call('GET', `${w.test.path}/requests/${referenceOf(await validate())}`)
    assert.equal(again.status, 404, 'one record for each key, reason and minute')
    w.advance(60)
    assert.equal((await reasonOf(await validate())).code, code)
  })

test('a client of Live at the token endpoint of Test is explained as at the authorization page, and in Live in its record only', async () => {
  const of_live = await w.createApplication(w.live)
  const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://app.example.com/callback' }
  const { status, headers, body } = await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, of_live, form)
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
  assert.match(headers.get('www-authenticate') ?? '', /^Basic/)
  assert.equal(body.error_description, `This client_id belongs to a Live environment of this project. Its issuer is ${w.live.issuer}`)

  const in_live = await postAsClient(w, `${w.live.issuer}/v1/oauth/token`, application, form)
  assert.equal(in_live.body.error_description, 'Client authentication failed.')
  assert.match((await reasonOf(in_live, w.live)).reason, /belongs to another environment of the project, of the type test/)
})

test('discovery at the address of the service says what the address of an issuer looks like', async () => {
  for (const name of ['openid-configuration', 'oauth-authorization-server', 'jwks.json']) {
    const { status, body } = await w.call('GET', `/.well-known/${name}`, { key: null })
    assert.deepEqual([status, body.code], [404, 'not_found'])
    assert.ok(body.detail.includes(`of the form ${w.base_url}/e/env_…`), body.detail)
  }
  assert.doesNotMatch((await w.call('GET', '/.well-known/security.txt', { key: null })).body.detail, /issuer/)
})

test('each reason of an inactive token has a page among the errors', async () => {
  for (const code of [
    'environment_mismatch',
    'malformed',
    'unknown',
    'expired',
    'revoked',
    'session_ended',
    'user_blocked',
    'not_allowed',
  ]) {
    const page = await w.call('GET', `/docs/errors/${code}`, { key: null })
    assert.equal(page.status, 200, code)
    assert.match(page.body, new RegExp(`<code>${code}</code>`))
  }
})

test('the exchange of a code names no resource server that the request did not', async () => {
  const { request, code } = await person.code(application, { scope: 'openid orders:read', resource: orders })
  const reply = await exchange(w, w.test, application, { request, code, change: { resource: `${orders}/` } })
  assert.deepEqual([reply.body.error, reply.body.error_description], ['invalid_target', `The resource ${orders}/ was not granted.`])
})
