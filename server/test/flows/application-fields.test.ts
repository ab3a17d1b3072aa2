/**
 * The fields with which applications that others wrote sign in: `client_secret`, `nonce_replaces_pkce`, `unknown_scopes`. None of them
 * weakens a check that another field or the request itself asks for.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { digestOf } from '../../src/base/digest.ts'
import { authorizationRequest, type Client, createAgent, createPerson, exchange, type Fields, formOf } from '../support/cookie-browser.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const { path, issuer } = environment
const person = await createPerson(w, environment)

/** A new application has what `createApplication` of the other tests sets to the values from before. */
const present = { token_endpoint_auth_method: undefined, nonce_replaces_pkce: undefined }
const create = (fields: object = {}) => w.createApplication(environment, { ...present, ...fields })
const product = await create()
/** It takes the secret from the header alone, and asks for PKCE and known scopes. */
const exact = await create({ token_endpoint_auth_method: 'client_secret_basic', nonce_replaces_pkce: false })

const no_challenge = { code_challenge: undefined, code_challenge_method: undefined }
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** Sends the parameters and headers as they are. */
const post = (endpoint: string, form: Record<string, string>, authorization?: string): Promise<Reply> =>
  w.call('POST', `${issuer}/v1/oauth/${endpoint}`, {
    key: null,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(authorization === undefined ? {} : { authorization }) },
  })

/** The error that the client gets, and the refused call for its developers. */
async function refusal(change: Fields, client: Client) {
  const reply = await person.agent.get(authorizationRequest(environment, client, { scope: 'openid email', ...change }).url)
  const error = new URL(reply.headers.get('location') ?? assert.fail('no redirect')).searchParams.get('error')
  const { remedy } = expectStatus(200, await w.call('GET', `${path}/requests/${referenceOf(reply)}`))
  return { error, remedy }
}

interface Sent {
  form?: Record<string, string>
  authorization?: string
}
const { client_id: id, client_secret: secret } = product
const once = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const twice = (text: string) => encodeURIComponent(once(text))

// biome-ignore format: this table is read by column
const places: [what: string, sent: Sent, error: string | null][] = [
  ['in the header',                                     { authorization: basic(id, secret) },                                               null],
  ['in the header, with the id in the body',            { authorization: basic(id, secret), form: { client_id: id } },                      null],
  ['in the header, form-encoded (RFC 6749 §2.3.1)',     { authorization: basic(once(id), once(secret)) },                                   null],
  ['in the body',                                       { form: { client_id: id, client_secret: secret } },                                 null],
  ['in both places',                                    { authorization: basic(id, secret), form: { client_id: id, client_secret: secret } }, 'invalid_request'],
  ['in the header, and a different one in the body',     { authorization: basic(id, secret), form: { client_id: id, client_secret: 'x' } },  'invalid_request'],
  ['in the body, beside a header with an empty secret', { authorization: basic(id, ''), form: { client_id: id, client_secret: secret } },   'invalid_request'],
  ['in the body, beside a header without a client',     { authorization: basic('', ''), form: { client_id: id, client_secret: secret } },   'invalid_request'],
  ['in the body, beside an empty header',               { authorization: '', form: { client_id: id, client_secret: secret } },              'invalid_request'],
  ['in the body, beside Bearer',                        { authorization: `Bearer ${secret}`, form: { client_id: id, client_secret: secret } }, 'invalid_request'],
  ['in the body, beside an assertion',                  { form: { client_id: id, client_secret: secret, client_assertion: 'x' } },          'invalid_request'],
  ['in the header, for another client in the body',     { authorization: basic(id, secret), form: { client_id: exact.client_id } },        'invalid_request'],
  ['in the header, form-encoded twice',                 { authorization: basic(id, twice(secret)) },                                        'invalid_client'],
  ['in the body, form-encoded twice',                   { form: { client_id: id, client_secret: once(secret) } },                           'invalid_client'],
  ['in the header, in base64',                          { authorization: basic(id, Buffer.from(secret).toString('base64')) },               'invalid_client'],
  ['in the body, in base64',                            { form: { client_id: id, client_secret: Buffer.from(secret).toString('base64') } }, 'invalid_client'],
  ['in the body, with a blank after it',                { form: { client_id: id, client_secret: `${secret} ` } },                           'invalid_client'],
  ['in the body, as its digest',                        { form: { client_id: id, client_secret: digestOf(secret) } },                       'invalid_client'],
  ['in no place',                                       { form: { client_id: id } },                                                        'invalid_client'],
  ['in no place, with the id in the header',            { authorization: basic(id, '') },                                                   'invalid_client'],
  ['of another application',                            { form: { client_id: id, client_secret: exact.client_secret ?? '' } },             'invalid_client'],
]
test('with client_secret the secret is taken from the header or the body, and from one place alone', async (t) => {
  const { request, code } = await person.code(product)
  const grant = { grant_type: 'authorization_code', code, redirect_uri: request.redirect_uri, code_verifier: randomText() }
  for (const [what, { form = {}, authorization }, error] of places)
    await t.test(`a secret ${what} is ${error ?? 'accepted'}`, async () => {
      // An authenticated client gets invalid_grant for the wrong verifier, which leaves the code alone.
      const token = await post('token', { ...grant, ...form }, authorization)
      assert.equal(token.body.error, error ?? 'invalid_grant')
      const revocation = await post('revoke', { token: 'unknown', ...form }, authorization)
      assert.equal(revocation.body.error, error ?? undefined)
    })
})

test('each exact method goes on refusing the other place, and its refused call names client_secret to the right secret alone', async () => {
  const by_body = await create({ token_endpoint_auth_method: 'client_secret_post' })
  // biome-ignore format: this table is read by column
  const sent: [string, Client, Sent, object | null][] = [
    ['header for body',         by_body, { authorization: basic(by_body.client_id, by_body.client_secret) },                     { token_endpoint_auth_method: 'client_secret' }],
    ['body for header',         exact,   { form: { client_id: exact.client_id, client_secret: exact.client_secret ?? '' } },   { token_endpoint_auth_method: 'client_secret' }],
    ['a stranger in the header', by_body, { authorization: basic(by_body.client_id, 'guessed') },                                null],
    ['a stranger in the body',  exact,   { form: { client_id: exact.client_id, client_secret: 'guessed' } },                    null],
    ['a secret of another',     exact,   { form: { client_id: exact.client_id, client_secret: secret } },                       null],
  ]
  for (const [what, client, { form = {}, authorization }, remedy] of sent) {
    const reply = await post('token', { grant_type: 'authorization_code', code: 'x', ...form }, authorization)
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'], what)
    const call = expectStatus(200, await w.call('GET', `${path}/requests/${referenceOf(reply)}`))
    assert.deepEqual([call.client_id, call.remedy], [client.client_id, remedy], what)
  }
})

test('a client whose code_challenge was taken out of its request gets no token for its verifier', async () => {
  const { request, code } = await person.code(product, no_challenge)
  const stripped = await exchange(w, environment, product, { request, code })
  assert.deepEqual([stripped.status, stripped.body.error], [400, 'invalid_grant'])
  for (const code_verifier of ['a'.repeat(43), 'short'])
    assert.equal((await exchange(w, environment, product, { request, code, change: { code_verifier } })).body.error, 'invalid_grant')
  const { id_token } = expectStatus(200, await exchange(w, environment, product, { request, code, change: { code_verifier: undefined } }))
  assert.equal(JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()).nonce, request.nonce)
})

const pair = await generateKeyPair('ES256')
const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one' }] }
/** Returns the fields that authenticate a client besides those that `exchange` sends. */
async function assertion(client: Client): Promise<Fields> {
  if (client.token_endpoint_auth_method !== 'private_key_jwt') return {}
  const seconds = Math.floor(w.now().getTime() / 1_000)
  const signed = new SignJWT({ iss: client.client_id, sub: client.client_id, aud: issuer, exp: seconds + 60, jti: randomText() })
  const client_assertion = await signed.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(pair.privateKey)
  return { client_assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }
}

const either = [true, false]
const flags = either.flatMap((require_pkce) => either.map((nonce_replaces_pkce) => ({ require_pkce, nonce_replaces_pkce })))
const strict = [{ require_pkce: true, nonce_replaces_pkce: null }]
// biome-ignore format: this table is read by column
const kinds: { application_type: string; method: string; more?: object; combinations: typeof flags | typeof strict }[] = [
  { application_type: 'web',    method: 'client_secret',                        combinations: flags },
  { application_type: 'web',    method: 'client_secret_basic',                  combinations: flags },
  { application_type: 'web',    method: 'client_secret_post',                   combinations: flags },
  { application_type: 'web',    method: 'private_key_jwt',     more: { jwks }, combinations: flags },
  { application_type: 'spa',    method: 'none',                                 combinations: strict },
  { application_type: 'native', method: 'none',                                 combinations: strict },
]
for (const { application_type, method, more = {}, combinations } of kinds)
  test(`a code_challenge that is sent is enforced, whatever may be left out: ${application_type}, ${method}`, async () => {
    const client = await create({ application_type, token_endpoint_auth_method: method, ...more })
    for (const combination of combinations)
      for (const unknown_scopes of ['reject', 'ignore'])
        for (const nonce of [undefined, 'n']) {
          const fields = { ...combination, unknown_scopes }
          expectStatus(200, await w.call('PATCH', `${path}/applications/${client.client_id}`, { body: fields }))
          const { request, code } = await person.code(client, { nonce, scope: unknown_scopes === 'ignore' ? 'openid groups' : 'openid' })
          const redeem = async (change: Fields) =>
            exchange(w, environment, client, { request, code, change: { ...change, ...(await assertion(client)) } })
          for (const code_verifier of [undefined, '', randomText(), new URL(request.url).searchParams.get('code_challenge') ?? '']) {
            const { status, body } = await redeem({ code_verifier })
            assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify({ ...fields, nonce, code_verifier }))
          }
          expectStatus(200, await redeem({}))
        }
  })

const stock = { name: 'Stock', identifier: 'https://stock.example.com', scopes: [{ name: 'stock:read' }] }
test('unknown_scopes: ignore leaves out what nothing in the environment has, and grants nothing more', async (t) => {
  expectStatus(201, await w.call('POST', `${path}/resource-servers`, { body: stock }))
  const lenient = await create({ unknown_scopes: 'ignore', consent: 'ask', allowed_scopes: ['openid', 'email', 'phone'] })

  await t.test('the page of consent and the response name the scopes that are granted', async () => {
    const request = authorizationRequest(environment, lenient, { scope: 'groups openid email roles' })
    const page = await person.agent.get(request.url)
    assert.ok(!/groups|roles/.test(page.body.replaceAll(/name="request" value="[^"]*"|href="[^"]*"/g, '')))
    const answer = await person.agent.post(formOf(page.body).action, { ...formOf(page.body).hidden, decision: 'allow' })
    const continued = await person.agent.get(answer.headers.get('location') ?? '')
    const code = new URL(continued.headers.get('location') ?? '').searchParams.get('code') ?? assert.fail()
    const tokens = expectStatus(200, await exchange(w, environment, lenient, { request, code }))
    assert.equal(tokens.scope, 'openid email')
    const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString())
    assert.equal(claims.scope, 'openid email')
  })

  await w.changeSettings(environment, { scopes: { disabled: ['phone'] } })
  const many = Array.from({ length: 21 }, (_, i) => `scope${i}`).join(' ')
  // biome-ignore format: this table is read by column
  const refused: [why: string, scope: string][] = [
    ['one is disabled',                          'openid groups phone'],
    ['one is not allowed',                       'openid groups profile'],
    ['one is of a resource server',              'openid groups stock:read'],
    ['nothing is left',                          'groups'],
    ['openid is not left',                       'groups email'],
    ['more than twenty are unknown',             `openid ${many}`],
  ]
  for (const [why, scope] of refused)
    await t.test(`a request is refused, and has no remedy, when ${why}`, async () => {
      assert.deepEqual(await refusal({ scope }, lenient), { error: 'invalid_scope', remedy: null })
    })
  await w.changeSettings(environment, { scopes: null })

  await t.test('another application of the environment goes on refusing', async () => {
    assert.equal((await refusal({ scope: 'openid groups' }, product)).error, 'invalid_scope')
  })
})

test('the remedy of a refused call lets the same request through, and only that', async () => {
  const client = await w.createApplication(environment)
  const change = { ...no_challenge, scope: 'openid email groups' }
  const { remedy } = await refusal(change, client)
  assert.deepEqual(remedy, { unknown_scopes: 'ignore', nonce_replaces_pkce: true })
  expectStatus(200, await w.call('PATCH', `${path}/applications/${client.client_id}`, { body: remedy }))
  const { request, code } = await person.code(client, change)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code, change: { code_verifier: undefined } }))
  assert.equal(tokens.scope, 'openid email')
  assert.deepEqual((await refusal({ ...change, nonce: undefined }, client)).error, 'invalid_request')
})

test('a stranger plants no remedy by which a public client leaves PKCE out, or an unregistered address gets in', async () => {
  const page = await create({ application_type: 'spa' })
  assert.deepEqual(await refusal(no_challenge, page), { error: 'invalid_request', remedy: null })
  const reply = await createAgent().get(
    authorizationRequest(environment, exact, { ...no_challenge, redirect_uri: 'https://evil.example/' }).url,
  )
  assert.equal(expectStatus(200, await w.call('GET', `${path}/requests/${referenceOf(reply)}`)).remedy, null)
})
