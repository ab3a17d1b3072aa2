/**
 * A default environment answers as it did before ES256 access tokens, requests without `openid` and metadata clients came:
 * `default-answers.json` was recorded by the program of commit f561e3da. A change of these answers reaches every application, so it stands in
 * the changelog; OSTIARY_RECORD_ANSWERS=1 then records them again.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { stepOf } from '../support/account.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  type Fields,
  obtainCode,
  postAsClient,
  refresh,
  revoke,
  userinfo,
} from '../support/cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const file = join(import.meta.dirname, 'default-answers.json')
const is_recording = process.env.OSTIARY_RECORD_ANSWERS === '1'
const recorded = JSON.parse(is_recording ? '{}' : readFileSync(file, 'utf8'))
after(() => {
  if (is_recording) writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
})

const w = await world()
const api = 'https://orders.example.com'
const client_url = 'https://agent.example.com/client.json'
const origin = 'https://script.example.com'

/** These differ at each answer, or do not belong to the protocol. */
const unsteady = [
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'x-request-id',
  'etag',
  'last-modified',
  'ratelimit',
  'set-cookie',
  'transfer-encoding',
]

async function setUp(environment: TestEnvironment) {
  const scopes = [{ name: 'orders:read', description: null }]
  expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body: { identifier: api, name: 'Orders', scopes } }))
  const application = await w.createApplication(environment, {
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'orders:read'],
    post_logout_redirect_uris: ['https://app.example.com/bye'],
  })
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const person = await createPerson(w, environment, { email: `ada-${environment.type}@example.com` })
  return { environment, application, key, person }
}
type Situation = Awaited<ReturnType<typeof setUp>>

/** Replaces what differs between two runs, and opens JWTs. */
function steady({ environment, application, person }: Situation, value: unknown, name = ''): unknown {
  const again = (inner: unknown, of = '') => steady({ environment, application, person } as Situation, inner, of) // as: nothing else is read
  if (Array.isArray(value)) return value.map((one) => again(one, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, again(one, key)]))
  if (typeof value === 'number') return /^(exp|iat|nbf|auth_time|updated_at)$/.test(name) ? '{time}' : value
  if (typeof value !== 'string') return value
  if (/^ey[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) {
    const { exp = 0, iat = 0, ...claims } = decodeJwt(value)
    return { header: again(decodeProtectedHeader(value)), claims: again({ ...claims, lifetime_seconds: exp - iat }) }
  }
  if (/^(kid|n|state|nonce|jti|sid|at_hash|code|refresh_token|csrf)$/.test(name)) return `{${name}}`
  return value
    .replaceAll(environment.issuer, '{issuer}')
    .replaceAll(w.base_url, '{base_url}')
    .replaceAll(environment.id, '{environment}')
    .replaceAll(application.client_id, '{client}')
    .replaceAll(person.id, '{person}')
    .replaceAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g, '{$1}')
}

/** An answer without what differs between two runs. The words of pages do not belong to the protocol. */
function answerOf(situation: Situation, reply: Reply): object {
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => !unsteady.includes(name)))
  const step = /^text\/html/.test(headers['content-type'] ?? '') ? stepOf(reply) : undefined
  if (step !== undefined) return { status: reply.status, step }
  const { location, ...others } = headers
  if (location === undefined) return { status: reply.status, headers: steady(situation, others), body: steady(situation, reply.body) }
  const { search, href, searchParams } = new URL(location)
  const query = steady(situation, Object.fromEntries(searchParams))
  return {
    status: reply.status,
    location: steady(situation, href.slice(0, href.length - search.length)),
    query,
    headers: steady(situation, others),
  }
}

type Case = [what: string, send: (situation: Situation) => Promise<Reply>]

const get =
  (path: (environment: TestEnvironment) => string, headers: Record<string, string> = {}) =>
  ({ environment }: Situation) =>
    w.call('GET', path(environment), { key: null, headers })
const asks =
  (change: Fields): Case[1] =>
  ({ environment, application }) =>
    createAgent().get(authorizationRequest(environment, application, change).url)
const signedInAsks =
  (change: Fields): Case[1] =>
  ({ environment, application, person }) =>
    person.agent.get(authorizationRequest(environment, application, change).url)
const redeems =
  (asked: Fields, change: Fields = {}): Case[1] =>
  async ({ environment, application, person }) => {
    const { request, code } = await person.code(application, asked)
    return exchange(w, environment, application, { request, code, change })
  }
const posts =
  (path: string, form: Fields): Case[1] =>
  ({ environment, application }) =>
    postAsClient(w, `${environment.issuer}${path}`, application, form)
const unauthenticated =
  (path: string, form: Fields): Case[1] =>
  ({ environment }) =>
    postAsClient(w, `${environment.issuer}${path}`, { client_id: client_url, redirect_uris: [] }, form)
const refreshes =
  (change: Fields): Case[1] =>
  async ({ environment, application, person }) => {
    const { refresh_token } = await person.tokens(application, { resource: api, scope: 'openid offline_access orders:read' })
    return refresh(w, environment, application, { refresh_token, ...change })
  }
const validates =
  (tokenOf: (situation: Situation) => Promise<string>): Case[1] =>
  async (situation) =>
    w.call('POST', '/v1/auth/tokens/validate', { key: situation.key, body: { token: await tokenOf(situation) } })
const preflight =
  (path: string): Case[1] =>
  ({ environment }) =>
    w.call('OPTIONS', `${environment.issuer}${path}`, { key: null, headers: { origin, 'access-control-request-method': 'POST' } })
const for_api = { resource: api, scope: 'openid orders:read' }

// biome-ignore format: this table is read by column
const cases: Case[] = [
  ['discovery',                                  get(({ issuer }) => `${issuer}/.well-known/openid-configuration`)],
  ['discovery of OAuth',                         get(({ id }) => `/.well-known/oauth-authorization-server/e/${id}`)],
  ['discovery for a script',                     get(({ issuer }) => `${issuer}/.well-known/openid-configuration`, { origin })],
  ['the JWKS',                                   get(({ issuer }) => `${issuer}/v1/oauth/jwks.json`)],
  ['a request',                                  asks({})],
  ['an unknown client',                          asks({ client_id: 'app_unknown' })],
  ['a URL as a client',                          asks({ client_id: client_url, redirect_uri: 'https://agent.example.com/callback' })],
  ['no client',                                  asks({ client_id: undefined })],
  ['another redirect URI',                       asks({ redirect_uri: 'https://evil.example.com/' })],
  ['no response_type',                           asks({ response_type: undefined })],
  ['the response_type token',                    asks({ response_type: 'token' })],
  ['no scope',                                   asks({ scope: undefined })],
  ['a scope without openid',                     asks({ scope: 'email' })],
  ['a resource and no scope',                    asks({ scope: undefined, resource: api })],
  ['a resource and a scope without openid',      asks({ scope: 'orders:read', resource: api })],
  ['an unknown scope',                           asks({ scope: 'openid orders:write', resource: api })],
  ['a scope without its resource',               asks({ scope: 'openid orders:read' })],
  ['an unknown resource',                        asks({ ...for_api, resource: 'https://unknown.example.com' })],
  ['a resource with a slash more',               asks({ ...for_api, resource: `${api}/` })],
  ['no PKCE',                                    asks({ code_challenge: undefined, code_challenge_method: undefined })],
  ['the method plain',                           asks({ code_challenge_method: 'plain' })],
  ['a request object',                           asks({ request: 'x' })],
  ['prompt=none without a session',              asks({ prompt: 'none' })],
  ['a code',                                     async (situation) => { await situation.person.code(situation.application); return signedInAsks({})(situation) }],
  ['prompt=none with a session',                 signedInAsks({ prompt: 'none' })],
  ['tokens',                                     redeems({})],
  ['tokens for a resource',                      redeems(for_api)],
  ['tokens without a refresh token',             redeems({ scope: 'openid' })],
  ['a code with another verifier',               redeems({}, { code_verifier: 'x'.repeat(43) })],
  ['a code with another redirect URI',           redeems({}, { redirect_uri: 'https://app.example.com/' })],
  ['an unknown code',                            posts('/v1/oauth/token', { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x', code_verifier: 'x' })],
  ['no grant type',                              posts('/v1/oauth/token', {})],
  ['the grant type client_credentials',          posts('/v1/oauth/token', { grant_type: 'client_credentials' })],
  ['the grant type of devices',                  posts('/v1/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' })],
  ['the grant type of token exchange',           posts('/v1/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' })],
  ['the grant type password',                    posts('/v1/oauth/token', { grant_type: 'password' })],
  ['a wrong secret',                             ({ environment, application }) => postAsClient(w, `${environment.issuer}/v1/oauth/token`, { ...application, client_secret: 'x' }, { grant_type: 'refresh_token', refresh_token: 'x' })],
  ['a URL as a client at the token endpoint',    unauthenticated('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' })],
  ['a refresh',                                  refreshes({})],
  ['a refresh of less scope',                    refreshes({ scope: 'openid' })],
  ['a refresh of more scope',                    refreshes({ scope: 'openid email' })],
  ['a refresh for another resource',             refreshes({ resource: 'https://unknown.example.com' })],
  ['an unknown refresh token',                   posts('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x' })],
  ['UserInfo',                                   async ({ environment, application, person }) => userinfo(w, environment, (await person.tokens(application)).access_token)],
  ['UserInfo by a token for a resource',         async ({ environment, application, person }) => userinfo(w, environment, (await person.tokens(application, for_api)).access_token)],
  ['UserInfo by an unknown token',               ({ environment }) => userinfo(w, environment, 'x')],
  ['UserInfo without a token',                   get(({ issuer }) => `${issuer}/v1/oauth/userinfo`)],
  ['an access token validated',                  validates(async ({ application, person }) => (await person.tokens(application, for_api)).access_token)],
  ['an unknown token validated',                 validates(async () => 'x')],
  ['a revoked token validated',                  validates(async ({ environment, application, person }) => {
    const { access_token } = await person.tokens(application)
    expectStatus(200, await revoke(w, environment, application, access_token))
    return access_token
  })],
  ['the revocation of a refresh token',          async ({ environment, application, person }) => revoke(w, environment, application, (await person.tokens(application)).refresh_token)],
  ['the revocation of an unknown token',         posts('/v1/oauth/revoke', { token: 'x' })],
  ['a revocation without a token',               posts('/v1/oauth/revoke', {})],
  ['a URL as a client at the revocation',        unauthenticated('/v1/oauth/revoke', { token: 'x' })],
  ['a preflight of the token endpoint',          preflight('/v1/oauth/token')],
  ['a preflight of the revocation',              preflight('/v1/oauth/revoke')],
  ['a preflight of UserInfo',                    preflight('/v1/oauth/userinfo')],
  ['a logout',                                   get(({ issuer }) => `${issuer}/oauth/logout`)],
  ['a logout with a broken hint',                get(({ issuer }) => `${issuer}/oauth/logout?id_token_hint=x`)],
  ['a logout by a hint',                         async ({ environment, application, person }) => {
    const request = authorizationRequest(environment, application)
    const agent = createAgent()
    const code = await obtainCode(agent, request, person)
    const { id_token } = expectStatus(200, await exchange(w, environment, application, { request, code }))
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: 'https://app.example.com/bye', state: 's' })
    return agent.get(`${environment.issuer}/oauth/logout?${query}`)
  }],
]

for (const environment of [w.test, w.live]) {
  const situation = await setUp(environment)
  for (const [what, send] of cases)
    test(`a default environment answers as it did before: ${what} (${environment.type})`, async () => {
      const answer = answerOf(situation, await send(situation))
      const name = `${what} (${environment.type})`
      if (is_recording) recorded[name] = answer
      else assert.deepEqual(answer, recorded[name])
    })
}
