/** Origins that may read an answer: those of the environment's own applications at the token endpoints, every origin for public documents. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, exchange } from '../support/cookie-browser.ts'
import { expectStatus, types_of_run, world } from '../support/world.ts'

const w = await world()
const cors = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') && name !== 'access-control-expose-headers'))

for (const type of types_of_run) {
  const environment = w[type]
  const elsewhere = type === 'test' ? w.live : w.test
  const spa = await w.createApplication(environment, {
    application_type: 'spa',
    redirect_uris: ['https://spa.example.com/callback', 'https://spa.example.com:8443/a/b?c'],
  })
  await w.createApplication(environment, { redirect_uris: ['https://web.example.com/callback'] })
  await w.createApplication(environment, {
    application_type: 'native',
    redirect_uris: ['com.example.app:/callback', 'http://127.0.0.1:8765/'],
  })
  await w.createApplication(elsewhere, { application_type: 'spa', redirect_uris: [`https://elsewhere-${type}.example.com/callback`] })
  const disabled = { application_type: 'spa', redirect_uris: ['https://disabled.example.com/callback'], disabled: true }
  await w.createApplication(environment, disabled)
  await w.changeSettings(environment, { cors: { allowed_origins: ['https://settings.example.com'] } })
  const person = await createPerson(w, environment)

  const allowed = ['https://spa.example.com', 'https://spa.example.com:8443', 'https://settings.example.com']
  // biome-ignore format: one origin a line
  const refused = [
    'null', '*', '', 'https://web.example.com', `https://elsewhere-${type}.example.com`, 'https://disabled.example.com', 'http://127.0.0.1:8765', 'com.example.app:', 'com.example.app://',
    'http://spa.example.com', 'https://spa.example.com:443', 'https://spa.example.com/', 'https://SPA.example.com', 'HTTPS://spa.example.com', 'https://spa.example.com.evil.example',
    'https://evil-spa.example.com', 'https://x.spa.example.com', 'https://spa.example.com@evil.example', 'https://spa.example.com https://evil.example', 'https://evil.example', 'file://',
  ]
  const endpoints: [method: 'GET' | 'POST', path: string][] = [
    ['POST', 'v1/oauth/token'],
    ['GET', 'v1/oauth/userinfo'],
    ['POST', 'v1/oauth/userinfo'],
    ['POST', 'v1/oauth/revoke'],
  ]
  const call = (method: string, path: string, origin: string | null, headers: Record<string, string> = {}) =>
    w.call(method, `${environment.issuer}/${path}`, { key: null, headers: { ...(origin === null ? {} : { origin }), ...headers } })
  const preflight = (method: string, path: string, origin: string | null) =>
    call('OPTIONS', path, origin, {
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    })

  for (const [method, path] of endpoints) {
    for (const origin of allowed)
      test(`${method} ${path} is readable from ${origin}, an origin of a single-page application or of the settings, even when it refuses (${type})`, async () => {
        const reply = await call(method, path, origin)
        assert.ok(reply.status >= 400)
        assert.deepEqual(cors(reply.headers), { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' })
        assert.match(reply.headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate/)
        assert.equal(reply.headers.get('vary'), 'Origin')

        const asked = await preflight(method, path, origin)
        assert.equal(asked.status, 204)
        const { 'access-control-allow-headers': names = '', 'access-control-allow-methods': methods = '', ...rest } = cors(asked.headers)
        assert.deepEqual([names.toLowerCase().includes('authorization'), names.toLowerCase().includes('content-type')], [true, true])
        assert.ok(methods.includes(method))
        assert.equal(rest['access-control-allow-origin'], origin)
      })

    for (const origin of [...refused, null])
      test(`${method} ${path} is not readable from ${JSON.stringify(origin)}, and varies by Origin (${type})`, async () => {
        for (const reply of [await call(method, path, origin), await preflight(method, path, origin)]) {
          assert.deepEqual(cors(reply.headers), {})
          assert.equal(reply.headers.get('vary'), 'Origin')
        }
      })
  }

  for (const path of ['.well-known/openid-configuration', 'v1/oauth/jwks.json']) {
    for (const origin of [...allowed, ...refused, null])
      test(`${path} is readable from ${JSON.stringify(origin)}, without credentials (${type})`, async () => {
        const reply = await call('GET', path, origin)
        assert.deepEqual([reply.status, cors(reply.headers)], [200, { 'access-control-allow-origin': '*' }])
        const asked = await preflight('GET', path, origin)
        assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, '*'])
        assert.equal(asked.headers.get('access-control-allow-credentials'), null)
      })
  }

  test(`the metadata of RFC 8414 equals the discovery document and is readable from every origin (${type})`, async () => {
    const { origin, pathname } = new URL(environment.issuer)
    const reply = await w.call('GET', `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`, {
      key: null,
      headers: { origin: 'https://x.example' },
    })
    assert.deepEqual(reply.body, (await call('GET', '.well-known/openid-configuration', null)).body)
    assert.equal(reply.headers.get('access-control-allow-origin'), '*')
  })

  for (const path of ['oauth/authorize', 'oauth/logout', 'sign-in', 'sign-up', 'consent', 'select-account', 'sign-out'])
    test(`${path} is a page: it is readable from no origin, and has no preflight (${type})`, async () => {
      for (const origin of allowed) {
        assert.deepEqual(cors((await call(path.startsWith('oauth') ? 'GET' : 'POST', path, origin)).headers), {}, origin)
        const asked = await preflight('POST', path, origin)
        assert.deepEqual([asked.status, cors(asked.headers)], [405, {}], origin)
      }
    })

  test(`an origin is allowed from the creation of its application until the application is disabled (${type})`, async () => {
    const origin = 'https://new.example.com'
    const isAllowed = async () => (await call('POST', 'v1/oauth/token', origin)).headers.get('access-control-allow-origin') === origin
    assert.equal(await isAllowed(), false)
    const application = await w.createApplication(environment, { application_type: 'spa', redirect_uris: [`${origin}/callback`] })
    assert.equal(await isAllowed(), true)
    expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { disabled: true } }))
    assert.equal(await isAllowed(), false)
    await w.changeSettings(environment, { cors: { allowed_origins: [origin] } })
    assert.equal(await isAllowed(), true)
    await w.changeSettings(environment, { cors: { allowed_origins: null } })
    assert.equal(await isAllowed(), false)
  })

  test(`a single-page application exchanges its code from its own page (${type})`, async () => {
    const { request, code } = await person.code(spa)
    expectStatus(200, await exchange(w, environment, spa, { request, code }))
  })
}
