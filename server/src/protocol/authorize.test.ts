import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { native, spa, web } from '../../test/support/example-clients.ts'
import { type AuthorizationPolicy, judgeAuthorizationRequest } from './authorize.ts'
import { readParameters } from './parameters.ts'

const policy: AuthorizationPolicy = {
  disabled_scopes: ['phone'],
  resources: [{ identifier: 'https://api.example.com', scopes: ['meals:read', 'meals:write'] }],
}
const good = {
  response_type: 'code',
  client_id: web.client_id,
  redirect_uri: 'https://app.example.com/callback',
  scope: 'openid email',
  state: 'äö&=+ %',
  nonce: 'n-0S6',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}

type Change = Record<string, string | null | string[]>

/** A valid request with some parameters changed, repeated (a list) or left out (null). */
function query(change: Change): URLSearchParams {
  const entries = Object.entries<string | null | string[]>({ ...good, ...change })
  return new URLSearchParams(entries.flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one])))
}
const judge = (change: Change, client: typeof web | null = web, by = policy) =>
  judgeAuthorizationRequest(readParameters(query(change)), client, by)

test('a valid request proceeds with everything that the later steps need', () => {
  const more = {
    prompt: 'login consent',
    max_age: '60',
    login_hint: 'a@b.test',
    ui_locales: 'de en',
    acr_values: 'urn:ostiary:2fa',
    resource: 'https://api.example.com',
  }
  assert.deepEqual(
    judge({ ...more, scope: ' openid  meals:read openid ', response_mode: 'form_post', display: 'nonsense', claims: '{', custom: 'x' }),
    {
      kind: 'proceed',
      client: web,
      request: {
        client_id: web.client_id,
        redirect_uri: good.redirect_uri,
        response_mode: 'form_post',
        scope: 'openid meals:read',
        resource: ['https://api.example.com'],
        consent_to: ['openid', 'https://api.example.com', 'https://api.example.com#meals:read'],
        state: good.state,
        nonce: good.nonce,
        code_challenge: good.code_challenge,
        prompt: ['login', 'consent'],
        max_age: 60,
        signed_in_since: undefined,
        of_session: undefined,
        asks_name: false,
        login_hint: 'a@b.test',
        id_token_hint: undefined,
        ui_locales: ['de', 'en'],
        acr_values: ['urn:ostiary:2fa'],
        organization_use: 'none',
        organization: undefined,
        choosing: undefined,
      },
    },
  )
})

// biome-ignore format: this table is read by line
const shown: { why: string; change: Change; client?: typeof web | null; reason: string }[] = [
  { why: 'client_id is missing', change: { client_id: null }, client: null, reason: 'client_id_missing' },
  { why: 'client_id is empty', change: { client_id: '' }, client: null, reason: 'client_id_missing' },
  { why: 'client_id is repeated', change: { client_id: [web.client_id, web.client_id] }, reason: 'client_id_repeated' },
  { why: 'client_id is unknown', change: { client_id: 'app_unknown' }, client: null, reason: 'client_unknown' },
  { why: 'client_id holds NUL', change: { client_id: `${web.client_id}\0` }, client: null, reason: 'client_unknown' },
  { why: 'the client looked up is another', change: { client_id: 'app_other' }, client: web, reason: 'client_unknown' },
  { why: 'the application is disabled', change: {}, client: { ...web, disabled: true }, reason: 'client_disabled' },
  { why: 'redirect_uri is missing, even if only one is registered', change: { redirect_uri: null }, client: { ...web, redirect_uris: [good.redirect_uri] }, reason: 'redirect_uri_missing' },
  { why: 'redirect_uri is repeated', change: { redirect_uri: [good.redirect_uri, good.redirect_uri] }, reason: 'redirect_uri_repeated' },
  { why: 'redirect_uri is not registered', change: { redirect_uri: 'https://evil.test/callback' }, reason: 'redirect_uri_mismatch' },
  { why: 'redirect_uri has an additional slash', change: { redirect_uri: `${good.redirect_uri}/` }, reason: 'redirect_uri_mismatch' },
  { why: 'redirect_uri holds a line break', change: { redirect_uri: `${good.redirect_uri}\r\n` }, reason: 'redirect_uri_mismatch' },
  { why: 'the port varies, but the application is not native', change: { redirect_uri: 'http://127.0.0.1:5000/callback' }, client: { ...web, redirect_uris: ['http://127.0.0.1/callback'], allow_loopback_port: true }, reason: 'redirect_uri_mismatch' },
  { why: 'the port varies, but the application does not allow that', change: { redirect_uri: 'http://127.0.0.1:5000/callback' }, client: native, reason: 'redirect_uri_mismatch' },
]
for (const { why, change, client = web, reason } of shown) {
  test(`the person sees an error, without a redirect, when ${why}`, () => {
    const verdict = judge(change, client)
    assert.equal(verdict.kind, 'show_error')
    assert.equal(verdict.kind === 'show_error' && verdict.cause, reason)
  })
}

// biome-ignore format: this table is read by line
const returned: { why: string; change: Change; client?: typeof web; error: string }[] = [
  { why: 'response_type is missing', change: { response_type: null }, error: 'invalid_request' },
  { why: 'response_type is token', change: { response_type: 'token' }, error: 'unsupported_response_type' },
  { why: 'response_type is code id_token', change: { response_type: 'code id_token' }, error: 'unsupported_response_type' },
  { why: 'response_type is Code', change: { response_type: 'Code' }, error: 'unsupported_response_type' },
  { why: 'scope is missing', change: { scope: null }, error: 'invalid_scope' },
  { why: 'scope lacks openid', change: { scope: 'email' }, error: 'invalid_scope' },
  { why: 'a scope is unknown', change: { scope: 'openid nonsense' }, error: 'invalid_scope' },
  { why: 'a scope is disabled', change: { scope: 'openid phone' }, client: { ...web, allowed_scopes: ['openid', 'phone'] }, error: 'invalid_scope' },
  { why: 'a scope is not allowed for the application', change: { scope: 'openid offline_access' }, client: { ...web, allowed_scopes: ['openid'] }, error: 'invalid_scope' },
  { why: 'a scope of a resource server is sent without its resource', change: { scope: 'openid meals:read' }, error: 'invalid_scope' },
  { why: 'a scope of a resource server is not allowed', change: { scope: 'openid meals:write', resource: 'https://api.example.com' }, error: 'invalid_scope' },
  { why: 'the request names more than 20 resources', change: { resource: Array.from({ length: 21 }, (_, i) => `https://${i}.test`) }, error: 'invalid_target' },
  { why: 'a resource is unknown', change: { resource: 'https://api.example.com/' }, error: 'invalid_target' },
  { why: 'one of two resources is unknown', change: { resource: ['https://api.example.com', 'nonsense'] }, error: 'invalid_target' },
  { why: 'code_challenge is missing', change: { code_challenge: null, code_challenge_method: null }, error: 'invalid_request' },
  { why: 'a request object is sent', change: { request: 'eyJ' }, error: 'request_not_supported' },
  { why: 'request_uri is sent', change: { request_uri: 'https://evil.test/r' }, error: 'request_uri_not_supported' },
  { why: 'registration is sent', change: { registration: '{}' }, error: 'registration_not_supported' },
  { why: 'response_mode is unknown', change: { response_mode: 'web_message' }, error: 'invalid_request' },
  { why: 'prompt is unknown', change: { prompt: 'nonsense' }, error: 'invalid_request' },
  { why: 'max_age is negative', change: { max_age: '-1' }, error: 'invalid_request' },
  { why: 'an unknown parameter is repeated', change: { custom: ['1', '2'] }, error: 'invalid_request' },
  { why: 'nonce is longer than 1,024 characters', change: { nonce: 'n'.repeat(1_025) }, error: 'invalid_request' },
  { why: 'login_hint holds NUL', change: { login_hint: 'a\0' }, error: 'invalid_request' },
]
for (const { why, change, client = web, error } of returned) {
  test(`the client gets ${error} with its state when ${why}`, () => {
    const verdict = judge(change, client)
    assert.equal(verdict.kind === 'return_error' && verdict.error.code, error)
    assert.equal(verdict.kind === 'return_error' && verdict.redirect_uri, good.redirect_uri)
    assert.equal(verdict.kind === 'return_error' && verdict.state, good.state)
  })

  test(`an unregistered redirect_uri is the first error, even when ${why}`, () => {
    assert.equal(judge({ ...change, redirect_uri: 'https://evil.test/' }, client).kind, 'show_error')
  })
}

test('every parameter except resource is refused when it is sent twice', () => {
  for (const [name, value] of Object.entries(good)) {
    const verdict = judge({ [name]: [value, value] })
    const kind = name === 'client_id' || name === 'redirect_uri' ? 'show_error' : 'return_error'
    assert.deepEqual([verdict.kind, verdict.kind !== 'proceed' && verdict.error.code], [kind, 'invalid_request'], name)
  }
})

test('a state that is repeated, malformed or longer than 4,096 characters is refused and not returned', () => {
  for (const state of [['a', 'b'], 'a\0', 'a\n', 's'.repeat(4_097)]) {
    const verdict = judge({ state })
    assert.deepEqual(verdict.kind === 'return_error' && [verdict.error.code, verdict.state], ['invalid_request', undefined])
  }
})

test('state and nonce may be missing', () => {
  const verdict = judge({ state: null, nonce: null })
  assert.deepEqual(verdict.kind === 'proceed' && [verdict.request.state, verdict.request.nonce], [undefined, undefined])
})

const modes: [Change[string], string][] = [
  [null, 'query'],
  ['query', 'query'],
  ['fragment', 'fragment'],
  ['form_post', 'form_post'],
  ['query.jwt', 'query'],
  [['fragment', 'fragment'], 'query'],
]
for (const [response_mode = null, used] of modes) {
  test(`an error is sent by ${used} when response_mode is ${response_mode}`, () => {
    const verdict = judge({ response_mode, scope: 'nonsense' })
    assert.equal(verdict.kind === 'return_error' && verdict.response_mode, used)
  })
}

test('a web application without require_pkce may leave PKCE out; a public application may not', () => {
  const without = { code_challenge: null, code_challenge_method: null }
  assert.equal(judge(without, { ...web, require_pkce: false }).kind, 'proceed')
  assert.equal(judge(without, { ...spa, require_pkce: false }).kind, 'return_error')
})

test('a native application with allow_loopback_port may vary the port of a loopback address', () => {
  const client = { ...native, allow_loopback_port: true }
  assert.equal(judge({ redirect_uri: 'http://127.0.0.1:51234/callback' }, client).kind, 'proceed')
  assert.equal(judge({ redirect_uri: 'http://127.0.0.1:51234/other' }, client).kind, 'show_error')
})

test('every resource is refused in an environment without resource servers', () => {
  const verdict = judge({ resource: 'https://api.example.com' }, web, { disabled_scopes: [] })
  assert.equal(verdict.kind === 'return_error' && verdict.error.code, 'invalid_target')
})

test('any request gets a verdict, and redirects go only to a registered address', () => {
  const names = fc.constantFrom(...Object.keys(good), 'prompt', 'max_age', 'resource', 'response_mode', 'request', '__proto__')
  const values = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...Object.values(good), 'none', 'https://evil.test'))
  const property = fc.property(fc.array(fc.tuple(names, values)), fc.boolean(), (sent, on_top) => {
    const search = new URLSearchParams(on_top ? [...query({}), ...sent] : sent)
    const verdict = judgeAuthorizationRequest(readParameters(search), web, policy)
    if (verdict.kind === 'return_error') assert.ok(web.redirect_uris.includes(verdict.redirect_uri))
    if (verdict.kind === 'proceed') assert.ok(web.redirect_uris.includes(verdict.request.redirect_uri))
    if (verdict.kind !== 'show_error') assert.deepEqual(search.getAll('redirect_uri').length, 1)
  })
  fc.assert(property, { numRuns: 500 })
})

const jwt = (claims: unknown, ...rest: string[]) =>
  [{ alg: 'none' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(rest)
    .join('.')
const inside = { response_mode: 'form_post', state: 'inside', redirect_uri: 'https://evil.test/', client_id: 'app_2' }

// biome-ignore format: this table is read by column
const request_objects: { what: string; change: Change; mode: string }[] = [
  { what: 'unsigned, with form_post',          change: { request: jwt(inside, '') },                                          mode: 'form_post' },
  { what: 'signed, with fragment',             change: { request: jwt({ response_mode: 'fragment' }, 'c2ln') },             mode: 'fragment' },
  { what: 'without its last dot',              change: { request: jwt(inside) },                                              mode: 'form_post' },
  { what: 'with another mode outside',         change: { request: jwt(inside, ''), response_mode: 'fragment' },               mode: 'fragment' },
  { what: 'with an unknown mode outside',      change: { request: jwt(inside, ''), response_mode: 'nonsense' },               mode: 'query' },
  { what: 'with an unknown mode inside',       change: { request: jwt({ response_mode: 'web_message' }, '') },              mode: 'query' },
  { what: 'with a mode that is not text',      change: { request: jwt({ response_mode: ['form_post'] }, '') },              mode: 'query' },
  { what: 'without a mode',                    change: { request: jwt({}, '') },                                            mode: 'query' },
  { what: 'of a list',                         change: { request: jwt(['form_post'], '') },                                 mode: 'query' },
  { what: 'of null',                           change: { request: jwt(null, '') },                                          mode: 'query' },
  { what: 'encrypted',                         change: { request: jwt(inside, 'aXY', 'Y2lwaGVy', 'dGFn') },                   mode: 'query' },
  { what: 'of one part',                       change: { request: 'eyJ' },                                                  mode: 'query' },
  { what: 'that is not JSON',                   change: { request: 'a.b.c' },                                                mode: 'query' },
  { what: 'deeply nested',                     change: { request: `a.${Buffer.from('['.repeat(9_000)).toString('base64url')}.` }, mode: 'query' },
  { what: 'that is too long',                   change: { request: jwt({ ...inside, more: 'x'.repeat(16_384) }, '') },         mode: 'query' },
]
for (const { what, change, mode } of request_objects) {
  test(`a request object ${what} is refused by response mode ${mode}, and no other member of it is read`, () => {
    const verdict = judge(change)
    assert.ok(verdict.kind === 'return_error')
    const { error, ...rest } = verdict
    assert.deepEqual(rest, { kind: 'return_error', client: web, redirect_uri: good.redirect_uri, response_mode: mode, state: good.state })
    assert.equal(error.code, change.response_mode === 'nonsense' ? 'invalid_request' : 'request_not_supported')
  })
}

test('the response_mode of a repeated request object or of request_uri is ignored', () => {
  const verdicts = [
    judge({ request: [jwt(inside, ''), jwt(inside, '')] }),
    judge({ request_uri: `data:application/jwt,${jwt(inside, '')}` }),
  ]
  for (const verdict of verdicts) assert.equal(verdict.kind === 'return_error' && verdict.response_mode, 'query')
  const without_state = judge({ request: jwt(inside, ''), state: null })
  assert.ok(without_state.kind === 'return_error' && without_state.state === undefined)
})
