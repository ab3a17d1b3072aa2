/** Applications: fields, rules between them, secrets, and the end of their tokens. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { authorizationRequest, createPerson, exchange, postAsClient, refresh, userinfo } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const redirect_uris = ['https://app.example.com/callback']
const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'one' }

const create = (body: object, environment: TestEnvironment = w.test): Promise<Reply> =>
  w.call('POST', `${environment.path}/applications`, { body: { name: 'App', redirect_uris, ...body } })
const createOk = async (body: object, environment: TestEnvironment = w.test) => expectStatus(201, await create(body, environment))
const one = (id: string, method: string, body?: unknown, environment: TestEnvironment = w.test) =>
  w.call(method, `${environment.path}/applications/${id}`, { body })
const refusal = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]

for (const application_type of ['web', 'spa', 'native'] as const) {
  test(`a ${application_type} application has the defaults of its type, and a secret only if it is confidential`, async () => {
    const { id, client_id, client_secret, created_at, updated_at, ...rest } = await createOk({ application_type, slug: application_type })
    const is_confidential = application_type === 'web'
    assert.deepEqual(rest, {
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: w.test.id,
      slug: application_type,
      name: 'App',
      application_type,
      template: null,
      redirect_uris,
      post_logout_redirect_uris: [],
      token_endpoint_auth_method: is_confidential ? 'client_secret' : 'none',
      jwks: null,
      jwks_uri: null,
      allowed_scopes: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      unknown_scopes: 'reject',
      allowed_roles: [],
      organizations: 'none',
      roles_claim: null,
      data_claims: false,
      require_pkce: true,
      nonce_replaces_pkce: is_confidential ? true : null,
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

/** Every field that can be changed: a value other than the default, the default, and the application type to test it on. */
// biome-ignore format: this table is read by column
const fields: [name: string, value: unknown, fallback: unknown, type?: string][] = [
  ['post_logout_redirect_uris',  ['https://app.example.com/bye', 'http://localhost:3000/bye'], []],
  ['token_endpoint_auth_method', 'client_secret_post',              'client_secret'],
  ['token_endpoint_auth_method', 'client_secret_basic',             'client_secret'],
  ['allowed_scopes',             ['openid', 'email'],               ['openid', 'profile', 'email', 'phone', 'offline_access']],
  ['unknown_scopes',             'ignore',                          'reject'],
  ['unknown_scopes',             'ignore',                          'reject', 'spa'],
  ['require_pkce',               false,                             true],
  ['nonce_replaces_pkce',        false,                             true],
  ['consent',                    'ask',                             'skip'],
  ['backchannel_logout_uri',     'https://app.example.com/logout',  null],
  ['initiate_login_uri',         'https://app.example.com/login',   null],
  ['logo_uri',                   'https://cdn.example.com/l.png',   null],
  ['allow_loopback_port',        true,                              false, 'native'],
  ['disabled',                   true,                              false],
]

for (const [name, value, fallback, application_type = 'web'] of fields) {
  test(`${name} is set at creation and by a change, reset by null, and kept by changes of other fields`, async () => {
    const { id, ...created } = await createOk({ application_type, [name]: value })
    assert.deepEqual(created[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { name: 'Renamed' }))[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { [name]: null }))[name], fallback)
    assert.deepEqual(expectStatus(200, await one(id, 'PATCH', { [name]: value }))[name], value)
    assert.deepEqual(expectStatus(200, await one(id, 'GET'))[name], value)
  })
}

// biome-ignore format: this table is read by column
const invalid: [body: object, pointer: string, environment?: TestEnvironment][] = [
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
  [{ application_type: 'spa', token_endpoint_auth_method: 'client_secret' },              '/token_endpoint_auth_method'],
  [{ application_type: 'spa', nonce_replaces_pkce: true },                                '/nonce_replaces_pkce'],
  [{ application_type: 'spa', nonce_replaces_pkce: false },                               '/nonce_replaces_pkce'],
  [{ application_type: 'native', nonce_replaces_pkce: true },                             '/nonce_replaces_pkce'],
  [{ application_type: 'web', nonce_replaces_pkce: 'yes' },                               '/nonce_replaces_pkce'],
  [{ application_type: 'web', unknown_scopes: 'grant' },                                  '/unknown_scopes'],
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

for (const [body, pointer, environment = w.test] of invalid) {
  test(`in ${environment.type} ${JSON.stringify(body).slice(0, 110)} is 422 at ${pointer}`, async () => {
    assert.deepEqual(refusal(await create(body, environment)), [422, [pointer]])
  })
}

// biome-ignore format: this table is read by column
const valid: [body: object, environment: TestEnvironment][] = [
  [{ application_type: 'web', redirect_uris: ['http://localhost:3000/cb', 'http://app.example.com/cb'] },  w.test],
  [{ application_type: 'native', redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb', 'http://[::1]/cb'] }, w.live],
  [{ application_type: 'spa', redirect_uris: ['https://app.example.com'] },                                w.live],
  [{ application_type: 'web', redirect_uris: [`${w.base_url}/try/callback`] },                            w.live],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } },      w.live],
  [{ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.b/jwks' }, w.live],
  [{ application_type: 'web', redirect_uris: Array.from({ length: 50 }, (_, n) => `https://a.b/${n}`) },   w.live],
]
for (const [body, environment] of valid) {
  test(`in ${environment.type} ${JSON.stringify(body).slice(0, 110)} is stored as it was sent`, async () => {
    const created = await createOk(body, environment)
    for (const [name, value] of Object.entries(body)) assert.deepEqual(created[name], value)
  })
}

test('a change is validated together with the stored fields', async () => {
  const { id } = await createOk({ application_type: 'spa' })
  assert.deepEqual(refusal(await one(id, 'PATCH', { token_endpoint_auth_method: 'client_secret_basic' })), [
    422,
    ['/token_endpoint_auth_method'],
  ])
  const web = await createOk({ application_type: 'web' })
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { jwks: { keys: [jwk] } })), [422, ['/jwks']])
  expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }))
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { jwks: null })), [422, ['/jwks']])
  assert.deepEqual(refusal(await one(web.id, 'PATCH', { token_endpoint_auth_method: null })), [422, ['/jwks']])
  expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: null, jwks: null }))
})

test('a merge patch of jwks changes the named members, and null removes jwks', async () => {
  const { id } = await createOk({
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [jwk], note: 'one', other: 1 },
  })
  const patched = expectStatus(200, await one(id, 'PATCH', { jwks: { keys: [{ ...jwk, kid: 'two' }], note: null } }))
  assert.deepEqual(patched.jwks, { keys: [{ ...jwk, kid: 'two' }], other: 1 })
  const uri = { jwks: null, jwks_uri: 'https://app.example.com/jwks' }
  assert.deepEqual(expectStatus(200, await one(id, 'PATCH', uri)).jwks, null)
})

/** An application and a person who is signed in to it. */
async function withTokens(fields: object = {}) {
  const client = await createOk({ application_type: 'web', ...fields })
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client)
  const works = async (secret: string = client.client_secret) =>
    (await refresh(w, w.test, { ...client, client_secret: secret }, tokens.refresh_token)).body.error ?? 'works'
  return { client, person, tokens, works }
}

test('after a rotation only the new secret works, and people stay signed in', async () => {
  const { client, tokens, works } = await withTokens()
  const rotated = expectStatus(200, await w.call('POST', `${w.test.path}/applications/${client.id}/rotate-secret`))
  assert.match(rotated.client_secret, /^svc_client_/)
  assert.equal(rotated.secret_rotated_at, rotated.updated_at)
  assert.equal(await works(), 'invalid_client')
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 200)
  assert.equal(await works(rotated.client_secret), 'works')
  assert.equal(expectStatus(200, await one(client.id, 'GET')).client_secret, undefined)
})

test('each of ten parallel rotations returns a secret, and only the last secret works', async () => {
  const client = await createOk({ application_type: 'web' })
  const rotations = await Promise.all(
    Array.from({ length: 10 }, () => w.call('POST', `${w.test.path}/applications/${client.id}/rotate-secret`)),
  )
  const secrets = new Set(rotations.map((reply) => expectStatus(200, reply).client_secret))
  assert.equal(secrets.size, 10)
  const errors = await Promise.all(
    [...secrets].map(async (client_secret) => {
      const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }
      return (await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, { ...client, client_secret }, form)).body.error
    }),
  )
  assert.deepEqual(
    errors.filter((error) => error !== 'invalid_client'),
    ['invalid_grant'],
  )
})

test('rotate-secret is 409 secret_not_used for a public client, and gives a first secret after a change to secret authentication', async () => {
  const spa = await createOk({ application_type: 'spa' })
  const reply = await w.call('POST', `${w.test.path}/applications/${spa.id}/rotate-secret`)
  assert.equal(`${reply.status} ${reply.body.code}`, '409 secret_not_used')
  const web = await createOk({ application_type: 'web', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } })
  assert.deepEqual([web.client_secret, web.has_client_secret], [null, false])
  const changed = expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'client_secret_post', jwks: null }))
  assert.equal(changed.has_client_secret, false)
  expectStatus(200, await w.call('POST', `${w.test.path}/applications/${web.id}/rotate-secret`))
  const back = expectStatus(200, await one(web.id, 'PATCH', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }))
  assert.deepEqual([back.has_client_secret, back.secret_rotated_at], [false, null])
})

for (const [action, end] of [
  ['disabling', (id: string) => one(id, 'PATCH', { disabled: true })],
  ['deleting', (id: string) => one(id, 'DELETE')],
] as const) {
  test(`${action} an application ends its codes and tokens at once, and those of no other application`, async () => {
    const other = await withTokens()
    const { client, person, tokens, works } = await withTokens()
    const { request, code } = await person.code(client)
    assert.ok((await end(client.id)).status < 300)
    assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
    assert.equal(await works(), 'invalid_client')
    assert.equal((await exchange(w, w.test, client, { request, code })).body.error, 'invalid_client')
    const page = await person.agent.get(authorizationRequest(w.test, client).url)
    assert.equal(page.headers.get('location'), null)
    assert.equal(page.status, 400)
    assert.equal((await userinfo(w, w.test, other.tokens.access_token)).status, 200)
    if (action === 'deleting') assert.equal((await one(client.id, 'GET')).status, 404)
    if (action === 'deleting') assert.equal((await one(client.id, 'DELETE')).status, 404)
  })
}

test('an application that is enabled again accepts new sign-ins, and its old tokens stay revoked', async () => {
  const { client, person, tokens, works } = await withTokens()
  expectStatus(200, await one(client.id, 'PATCH', { disabled: true }))
  expectStatus(200, await one(client.id, 'PATCH', { disabled: false }))
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
  assert.equal(await works(), 'invalid_grant')
  assert.ok((await person.tokens(client)).access_token)
})

test('a change of redirect URIs takes effect at once', async () => {
  const client = await createOk({ application_type: 'web' })
  const next = ['https://new.example.com/callback']
  expectStatus(200, await one(client.id, 'PATCH', { redirect_uris: next }))
  const ask = (redirect_uri: string) =>
    w.call('GET', authorizationRequest(w.test, { ...client, redirect_uris: [redirect_uri] }).url, { key: null })
  assert.equal((await ask(redirect_uris[0] ?? '')).status, 400)
  assert.ok((await ask(next[0] ?? '')).status !== 400)
})

test('an application of one environment is unknown in another', async () => {
  const client = await createOk({ application_type: 'web' })
  assert.equal((await one(client.id, 'GET', undefined, w.live)).status, 404)
  assert.equal((await w.call('GET', authorizationRequest(w.live, client).url, { key: null })).status, 400)
  const key = await createAuthKey(w, w.live, 'auth_publishable')
  const config = await w.call('GET', '/v1/auth/config', { key: key.key, headers: { origin: 'https://app.example.com' } })
  assert.deepEqual(
    expectStatus(200, config).applications.filter(({ client_id }: { client_id: string }) => client_id === client.id),
    [],
  )
})

const templates = '/v1/application-templates'

test('templates are public, can be cached, and an unknown one is 404', async () => {
  const { body, headers } = await w.call('GET', templates, { key: null })
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  assert.equal(headers.get('access-control-allow-origin'), '*')
  const gatus = expectStatus(200, await w.call('GET', `${templates}/gatus`, { key: null }))
  assert.deepEqual(
    body.data.find(({ slug }: { slug: string }) => slug === 'gatus'),
    gatus,
  )
  const same = await w.call('GET', templates, { key: null, headers: { 'if-none-match': headers.get('etag') ?? '' } })
  assert.equal(same.status, 304)
  assert.deepEqual(refusal(await w.call('GET', `${templates}/none`, { key: null })), [404, undefined])
})

const from = (body: object, environment = w.test) =>
  w.call('POST', `${environment.path}/applications`, { body: { template: 'synapse', url: 'https://chat.example.com', ...body } })

test('an application takes the fields of its template, with the address of the product, and keeps its slug for ever', async () => {
  const created = expectStatus(201, await from({}))
  const { template, name, application_type, redirect_uris, backchannel_logout_uri, nonce_replaces_pkce, allowed_scopes, consent } = created
  assert.deepEqual(
    { template, name, application_type, redirect_uris, backchannel_logout_uri, nonce_replaces_pkce, allowed_scopes, consent },
    {
      template: 'synapse',
      name: 'Synapse (Matrix)',
      application_type: 'web',
      redirect_uris: ['https://chat.example.com/_synapse/client/oidc/callback'],
      backchannel_logout_uri: 'https://chat.example.com/_synapse/client/oidc/backchannel_logout',
      nonce_replaces_pkce: false,
      allowed_scopes: ['openid', 'profile', 'email'],
      consent: 'skip',
    },
  )
  assert.match(created.client_secret, /^svc_client_/)
  assert.deepEqual(refusal(await one(created.id, 'PATCH', { template: 'gatus' })), [422, ['/template']])
  const renamed = expectStatus(200, await one(created.id, 'PATCH', { name: 'Chat' }))
  assert.deepEqual([renamed.template, renamed.name], ['synapse', 'Chat'])
})

test('fields of the body win over those of the template', async () => {
  const own = { name: 'Chat', redirect_uris: ['https://chat.example.com/own'], backchannel_logout_uri: null, require_pkce: false }
  const created = expectStatus(201, await from(own))
  assert.deepEqual({ ...created, ...own }, created)
  const without_url = expectStatus(201, await from({ ...own, url: undefined }))
  assert.deepEqual([without_url.template, without_url.post_logout_redirect_uris], ['synapse', []])
})

const longest_url = `https://chat.example.com/${'a'.repeat(475)}`
// biome-ignore format: this table is read by column
const product_urls: [url: string, live_only?: true][] = [
  ['https://ada:secret@chat.example.com'], ['https://ada@chat.example.com'], ['https://chat.example.com#x'], ['https://chat.example.com/#'],
  ['https://chat.example.com?next=/x'], ['javascript:alert(1)'], ['com.example.chat:/x'], ['ftp://chat.example.com'], ['//chat.example.com'], ['chat.example.com'],
  ['https://chat.example.com/'], ['https://chat.example.com/a/'], ['https://chat.example.com/a//b'], ['https://chat.example.com/../b'], ['https://chat.example.com/.'],
  ['https://chat.example.com/a/..'], ['https://chat.example.com/%2e%2e/b'], ['https://chat.example.com/a%2fb'], ['https://chat.example.com\\@evil.example.com'],
  ['https://bücher.example.com'], ['https://chat。example.com'], ['https://chat.example.com/ü'], ['https://chat.example.com/a b'], [' https://chat.example.com'],
  ['https://chat.example.com\n'], ['https://127.1'], ['https://chat.example.com:'], ['https://*.example.com'], ['https://'], [''],
  ["https://chat.example.com/'$(id)"], [`${longest_url}a`], [`https://chat.example.com/${'a'.repeat(2_000)}`], ['http://chat.example.com', true],
]
for (const [url, live_only] of product_urls)
  test(`the address of a product is refused: ${JSON.stringify(url.slice(0, 60))}`, async () => {
    if (!live_only) assert.deepEqual(refusal(await from({ url })), [422, ['/url']])
    assert.deepEqual(refusal(await from({ url }, w.live)), [422, ['/url']])
  })

for (const url of ['https://xn--bcher-kva.example.com', 'https://chat.example.com:8448/a.b/~c', longest_url])
  test(`the address of a product is accepted: ${url.slice(0, 60)}`, async () => {
    assert.equal(expectStatus(201, await from({ url }, w.live)).redirect_uris[0], `${url}/_synapse/client/oidc/callback`)
  })

const own = { name: 'App', application_type: 'web', redirect_uris }
// biome-ignore format: this table is read by column
const incomplete: [why: string, body: object, pointers: string[]][] = [
  ['neither template nor fields',          {},                                            ['/name', '/application_type', '/redirect_uris']],
  ['a problem of another field too',       { consent: 'x' },                              ['/consent', '/name', '/application_type', '/redirect_uris']],
  ['no template, null',                    { template: null },                            ['/name', '/application_type', '/redirect_uris']],
  ['a template without an address',        { template: 'gatus' },                         ['/url']],
  ['an address without a template',        { ...own, url: 'https://chat.example.com' },   ['/url']],
  ['an unknown template',                  { template: 'none', url: 'https://a.example' }, ['/template']],
  ['a template of another name',           { template: '__proto__', url: 'https://a.example' }, ['/template']],
]
for (const [why, body, pointers] of incomplete)
  test(`a new application is refused: ${why}`, async () => {
    const [status, found] = refusal(await w.call('POST', `${w.test.path}/applications`, { body }))
    assert.deepEqual([status, found.sort()], [422, pointers.sort()])
  })

test('a copy without a template has null for it', async () => {
  assert.equal((await createOk({ ...own, template: null })).template, null)
})
