import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { authorizationRequest, createPerson, exchange, postAsClient, refresh, userinfo } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/everything.ts'
import { expectStatus, type Place, type Reply, world } from '../support/world.ts'

const w = await world()
const redirect_uris = ['https://app.example.com/callback']
const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'one' }

const create = (body: object, place: Place = w.test): Promise<Reply> =>
  w.call('POST', `${place.path}/applications`, { body: { name: 'App', redirect_uris, ...body } })
const made = async (body: object, place: Place = w.test) => expectStatus(201, await create(body, place))
const one = (id: string, method: string, body?: unknown, place: Place = w.test) =>
  w.call(method, `${place.path}/applications/${id}`, { body })
const refusal = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]

for (const application_type of ['web', 'spa', 'native'] as const) {
  test(`a ${application_type} application has the defaults of its type, and only a confidential one a secret`, async () => {
    const { id, client_id, client_secret, created_at, updated_at, ...rest } = await made({ application_type })
    const is_confidential = application_type === 'web'
    assert.deepEqual(rest, {
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: w.test.id,
      name: 'App',
      application_type,
      redirect_uris,
      post_logout_redirect_uris: [],
      token_endpoint_auth_method: is_confidential ? 'client_secret_basic' : 'none',
      jwks: null,
      jwks_uri: null,
      allowed_scopes: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      require_pkce: true,
      consent: 'skip',
      backchannel_logout_uri: null,
      initiate_login_uri: null,
      logo_uri: null,
      allow_loopback_port: false,
      disabled: false,
      has_client_secret: is_confidential,
      secret_rotated_at: null,
    })
    assert.equal(client_id, id)
    assert.equal(created_at, updated_at)
    if (is_confidential) assert.match(client_secret, /^svc_client_[\w-]{43}$/)
    else assert.equal(client_secret, null)
    const { client_secret: _, ...shown } = { ...rest, id, client_id, created_at, updated_at, client_secret }
    assert.deepEqual(expectStatus(200, await one(id, 'GET')), shown)
    assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/applications`)).data[0], shown)
  })
}

/** Every field that may be changed: another value than the default, the default, and the type it is tried on. */
// biome-ignore format: this table is read by column
const fields: [name: string, value: unknown, fallback: unknown, type?: string][] = [
  ['post_logout_redirect_uris',  ['https://app.example.com/bye', 'http://localhost:3000/bye'], []],
  ['token_endpoint_auth_method', 'client_secret_post',              'client_secret_basic'],
  ['allowed_scopes',             ['openid', 'email'],               ['openid', 'profile', 'email', 'phone', 'offline_access']],
  ['require_pkce',               false,                             true],
  ['consent',                    'ask',                             'skip'],
  ['backchannel_logout_uri',     'https://app.example.com/logout',  null],
  ['initiate_login_uri',         'https://app.example.com/login',   null],
  ['logo_uri',                   'https://cdn.example.com/l.png',   null],
  ['allow_loopback_port',        true,                              false, 'native'],
  ['disabled',                   true,                              false],
]

for (const [name, value, fallback, application_type = 'web'] of fields) {
  test(`${name} is taken at creation and in a change, put back by null, and left alone by other changes`, async () => {
    const { id, ...created } = await made({ application_type, [name]: value })
    assert.deepEqual(created[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { name: 'Renamed' }))[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { [name]: null }))[name], fallback)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { [name]: value }))[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'GET'))[name], value)
  })
}

// biome-ignore format: this table is read by column
const misfits: [body: object, pointer: string, place?: Place][] = [
  [{ application_type: 'machine' },                                                       '/application_type'],
  [{ application_type: undefined },                                                       '/application_type'],
  [{ application_type: 'web', name: '' },                                                 '/name'],
  [{ application_type: 'web', name: 'x'.repeat(101) },                                    '/name'],
  [{ application_type: 'web', redirect_uris: [] },                                        '/redirect_uris'],
  [{ application_type: 'web', redirect_uris: null },                                      '/redirect_uris'],
  [{ application_type: 'web', redirect_uris: Array.from({ length: 51 }, (_, n) => `https://a.b/${n}`) }, '/redirect_uris'],
  [{ application_type: 'web', redirect_uris: ['https://a.b/', 'https://a.b/'] },          '/redirect_uris/1'],
  [{ application_type: 'web', redirect_uris: ['https://a.b/#x'] },                        '/redirect_uris/0'],
  [{ application_type: 'web', redirect_uris: ['https://u@a.b/'] },                        '/redirect_uris/0'],
  [{ application_type: 'web', redirect_uris: ['https://*.a.b/'] },                        '/redirect_uris/0'],
  [{ application_type: 'web', redirect_uris: ['/callback'] },                             '/redirect_uris/0'],
  [{ application_type: 'web', redirect_uris: ['javascript:alert(1)'] },                   '/redirect_uris/0'],
  [{ application_type: 'native', redirect_uris: ['JaVaScRiPt:alert(1)'] },                '/redirect_uris/0'],
  [{ application_type: 'native', redirect_uris: ['data:text/html,x'] },                   '/redirect_uris/0'],
  [{ application_type: 'spa', redirect_uris: ['com.example.app:/callback'] },             '/redirect_uris/0'],
  [{ application_type: 'web', redirect_uris: ['http://app.example.com/'] },               '/redirect_uris/0', w.live],
  [{ application_type: 'web', redirect_uris: ['http://localhost:1/'] },                   '/redirect_uris/0', w.live],
  [{ application_type: 'native', redirect_uris: ['http://app.example.com/'] },            '/redirect_uris/0', w.live],
  [{ application_type: 'web', post_logout_redirect_uris: ['vbscript:x'] },                '/post_logout_redirect_uris/0'],
  [{ application_type: 'web', token_endpoint_auth_method: 'none' },                       '/token_endpoint_auth_method'],
  [{ application_type: 'web', token_endpoint_auth_method: 'client_secret_jwt' },          '/token_endpoint_auth_method'],
  [{ application_type: 'spa', token_endpoint_auth_method: 'client_secret_basic' },        '/token_endpoint_auth_method'],
  [{ application_type: 'native', token_endpoint_auth_method: 'client_secret_post' },      '/token_endpoint_auth_method'],
  [{ application_type: 'spa', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }, '/token_endpoint_auth_method'],
  [{ application_type: 'spa', require_pkce: false },                                      '/require_pkce'],
  [{ application_type: 'native', require_pkce: false },                                   '/require_pkce'],
  [{ application_type: 'web', allow_loopback_port: true },                                '/allow_loopback_port'],
  [{ application_type: 'spa', allow_loopback_port: true },                                '/allow_loopback_port'],
  [{ application_type: 'web', jwks: { keys: [jwk] } },                                    '/jwks'],
  [{ application_type: 'web', jwks_uri: 'https://a.b/jwks' },                             '/jwks_uri'],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt' },            '/jwks'],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] }, jwks_uri: 'https://a.b/jwks' }, '/jwks'],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ ...jwk, d: 'x' }] } }, '/jwks'],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }, '/jwks/keys'],
  [{ application_type: 'web', allowed_scopes: ['openid', 'orders:read'] },                '/allowed_scopes/1'],
  [{ application_type: 'web', allowed_scopes: [''] },                                     '/allowed_scopes/0'],
  [{ application_type: 'web', consent: 'never' },                                         '/consent'],
  [{ application_type: 'web', backchannel_logout_uri: 'http://app.example.com/' },        '/backchannel_logout_uri', w.live],
  [{ application_type: 'web', logo_uri: 'javascript:x' },                                 '/logo_uri'],
  [{ application_type: 'web', initiate_login_uri: 'http://app.example.com/' },            '/initiate_login_uri', w.live],
  [{ application_type: 'web', disabled: 'yes' },                                          '/disabled'],
]

for (const [body, pointer, place = w.test] of misfits) {
  test(`in ${place.type} ${JSON.stringify(body).slice(0, 110)} is refused at ${pointer}`, async () => {
    assert.deepEqual(refusal(await create(body, place)), [422, [pointer]])
  })
}

// biome-ignore format: this table is read by column
const fits: [body: object, place: Place][] = [
  [{ application_type: 'web', redirect_uris: ['http://localhost:3000/cb', 'http://app.example.com/cb'] },  w.test],
  [{ application_type: 'native', redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb', 'http://[::1]/cb'] }, w.live],
  [{ application_type: 'spa', redirect_uris: ['https://app.example.com'] },                                w.live],
  [{ application_type: 'web', redirect_uris: [`${w.base_url}/demo/callback`] },                            w.live],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } },      w.live],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.b/jwks' }, w.live],
  [{ application_type: 'web', redirect_uris: Array.from({ length: 50 }, (_, n) => `https://a.b/${n}`) },   w.live],
]
for (const [body, place] of fits) {
  test(`in ${place.type} ${JSON.stringify(body).slice(0, 110)} is taken, as it was sent`, async () => {
    const created = await made(body, place)
    for (const [name, value] of Object.entries(body)) assert.deepEqual(created[name], value)
  })
}

test('a change is judged with what stands already: what fits alone may not fit together', async () => {
  const { id } = await made({ application_type: 'spa' })
  assert.deepEqual(refusal(await one(id, 'PATCH', { token_endpoint_auth_method: 'client_secret_basic' })), [
    422,
    ['/token_endpoint_auth_method'],
  ])
  const web = await made({ application_type: 'web' })
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { jwks: { keys: [jwk] } })), [422, ['/jwks']])
  expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }))
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { jwks: null })), [422, ['/jwks']])
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { token_endpoint_auth_method: null })), [422, ['/jwks']])
  expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: null, jwks: null }))
})

test('a patch of jwks changes what it names; null takes it away', async () => {
  const { id } = await made({
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [jwk], note: 'one', other: 1 },
  })
  const patched = expectStatus(200, await one(id, 'PATCH', { jwks: { keys: [{ ...jwk, kid: 'two' }], note: null } }))
  assert.deepEqual(patched.jwks, { keys: [{ ...jwk, kid: 'two' }], other: 1 })
  const uri = { jwks: null, jwks_uri: 'https://app.example.com/jwks' }
  assert.deepEqual(expectStatus(200, await one(id, 'PATCH', uri)).jwks, null)
})

/** An application with somebody signed in to it. */
async function used(fields: object = {}) {
  const client = await made({ application_type: 'web', ...fields })
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client)
  const works = async (secret: string = client.client_secret) =>
    (await refresh(w, w.test, { ...client, client_secret: secret }, tokens.refresh_token)).body.error ?? 'works'
  return { client, person, tokens, works }
}

test('a rotated secret works at once and the old one no more; nobody is signed out by it', async () => {
  const { client, tokens, works } = await used()
  const rotated = expectStatus(200, await w.call('POST', `${w.test.path}/applications/${client.id}/rotate-secret`))
  assert.match(rotated.client_secret, /^svc_client_/)
  assert.equal(rotated.secret_rotated_at, rotated.updated_at)
  assert.equal(await works(), 'invalid_client')
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 200)
  assert.equal(await works(rotated.client_secret), 'works')
  assert.equal(expectStatus(200, await one(client.id, 'GET')).client_secret, undefined)
})

test('of many rotations at once each tells a secret, and the last one’s alone works', async () => {
  const client = await made({ application_type: 'web' })
  const rotations = await Promise.all(
    Array.from({ length: 10 }, () => w.call('POST', `${w.test.path}/applications/${client.id}/rotate-secret`)),
  )
  const secrets = new Set(rotations.map((reply) => expectStatus(200, reply).client_secret))
  assert.equal(secrets.size, 10)
  const known = await Promise.all(
    [...secrets].map(async (client_secret) => {
      const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }
      return (await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, { ...client, client_secret }, form)).body.error
    }),
  )
  assert.deepEqual(
    known.filter((error) => error !== 'invalid_client'),
    ['invalid_grant'],
  )
})

test('an application without a secret has none to rotate; one that begins to use a secret gets it by rotation', async () => {
  const spa = await made({ application_type: 'spa' })
  const reply = await w.call('POST', `${w.test.path}/applications/${spa.id}/rotate-secret`)
  assert.equal(`${reply.status} ${reply.body.code}`, '409 secret_not_used')
  const web = await made({ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } })
  assert.deepEqual([web.client_secret, web.has_client_secret], [null, false])
  const changed = expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'client_secret_post', jwks: null }))
  assert.equal(changed.has_client_secret, false)
  expectStatus(200, await w.call('POST', `${w.test.path}/applications/${web.id}/rotate-secret`))
  const back = expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }))
  assert.deepEqual([back.has_client_secret, back.secret_rotated_at], [false, null])
})

for (const [what, end] of [
  ['disabling', (id: string) => one(id, 'PATCH', { disabled: true })],
  ['deleting', (id: string) => one(id, 'DELETE')],
] as const) {
  test(`${what} an application ends its codes and tokens at once, and no others`, async () => {
    const other = await used()
    const { client, person, tokens, works } = await used()
    const { request, code } = await person.code(client)
    assert.ok((await end(client.id)).status < 300)
    assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
    assert.equal(await works(), 'invalid_client')
    assert.equal((await exchange(w, w.test, client, request, code)).body.error, 'invalid_client')
    const page = await person.agent.get(authorizationRequest(w.test, client).url)
    assert.equal(page.headers.get('location'), null)
    assert.equal(page.status, 400)
    assert.equal((await userinfo(w, w.test, other.tokens.access_token)).status, 200)
    if (what === 'deleting') assert.equal((await one(client.id, 'GET')).status, 404)
    if (what === 'deleting') assert.equal((await one(client.id, 'DELETE')).status, 404)
  })
}

test('an application that is enabled again serves whoever signs in anew; what it lost stays lost', async () => {
  const { client, person, tokens, works } = await used()
  expectStatus(200, await one(client.id, 'PATCH', { disabled: true }))
  expectStatus(200, await one(client.id, 'PATCH', { disabled: false }))
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
  assert.equal(await works(), 'invalid_grant')
  assert.ok((await person.tokens(client)).access_token)
})

test('a change of redirect URIs counts at once', async () => {
  const client = await made({ application_type: 'web' })
  const next = ['https://new.example.com/callback']
  expectStatus(200, await one(client.id, 'PATCH', { redirect_uris: next }))
  const ask = (redirect_uri: string) =>
    w.call('GET', authorizationRequest(w.test, { ...client, redirect_uris: [redirect_uri] }).url, { key: null })
  assert.equal((await ask(redirect_uris[0] ?? '')).status, 400)
  assert.ok((await ask(next[0] ?? '')).status !== 400)
})

test('an application of one environment is unknown to the other', async () => {
  const client = await made({ application_type: 'web' })
  assert.equal((await one(client.id, 'GET', undefined, w.live)).status, 404)
  assert.equal((await w.call('GET', authorizationRequest(w.live, client).url, { key: null })).status, 400)
  const key = await createAuthKey(w, w.live, 'auth_publishable')
  const config = await w.call('GET', '/v1/auth/config', { key: key.key, headers: { origin: 'https://app.example.com' } })
  assert.deepEqual(
    expectStatus(200, config).applications.filter(({ client_id }: { client_id: string }) => client_id === client.id),
    [],
  )
})
