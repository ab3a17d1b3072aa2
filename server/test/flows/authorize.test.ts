/** Answers of the authorization endpoint before a sign-in: which errors the person sees, and which ones go to the client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest, createAgent, createPerson, formOf } from '../support/cookie-browser.ts'
import { type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const callback = 'https://app.example.com/callback'

/** The answer to the client: in the redirect, or in the form that the browser posts. */
function answerIn(reply: Reply): { to: string; fields: Record<string, string> } {
  const location = reply.headers.get('location')
  if (location === null) {
    const { action, hidden } = formOf(reply.body)
    return { to: action, fields: hidden }
  }
  const [to = '', fields] = location.split(/[?#]/)
  return { to, fields: Object.fromEntries(new URLSearchParams(fields)) }
}

/** The person sees an error page, which leads nowhere. */
function isErrorPage(reply: Reply, sent: string | undefined): void {
  assert.equal(reply.status, 400)
  for (const name of ['location', 'refresh', 'content-location', 'link']) assert.equal(reply.headers.get(name), null)
  assert.doesNotMatch(reply.body, /<meta http-equiv="refresh|<form|<script/i)
  const links = [...reply.body.matchAll(/(?:href|action|src)="([^"]*)"/g)].map(([, link]) => link)
  assert.ok(sent === undefined || sent === '' || !links.some((link) => link?.includes(sent)), 'no link leads to the address')
}

/** Other faults that a request may have at the same time. */
const errors: [error: string, change: Record<string, string | undefined>][] = [
  ['unsupported_response_type', { response_type: 'token' }],
  ['unsupported_response_type', { response_type: 'code id_token' }],
  ['unsupported_response_type', { response_type: 'CODE' }],
  ['invalid_request', { response_type: undefined }],
  ['invalid_request', { response_mode: 'web_message' }],
  ['invalid_request', { code_challenge: undefined }],
  ['invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
  ['invalid_request', { code_challenge: '' }],
  ['invalid_request', { code_challenge: 'short' }],
  ['invalid_request', { code_challenge: 'a'.repeat(44) }],
  ['invalid_request', { code_challenge_method: 'plain' }],
  ['invalid_request', { code_challenge_method: 's256' }],
  ['invalid_request', { code_challenge_method: undefined }],
  ['invalid_scope', { scope: undefined }],
  ['invalid_scope', { scope: '' }],
  ['invalid_scope', { scope: 'profile' }],
  ['invalid_scope', { scope: 'openid admin' }],
  ['invalid_scope', { scope: 'OpenID' }],
  ['invalid_scope', { scope: 'openid phone' }],
  ['invalid_request', { scope: `openid ${'x'.repeat(5_000)}` }],
  ['invalid_request', { prompt: 'none login' }],
  ['invalid_request', { prompt: 'NONE' }],
  ['invalid_request', { max_age: '-1' }],
  ['invalid_request', { max_age: '1.5' }],
  ['invalid_request', { max_age: 'soon' }],
  ['invalid_request', { id_token_hint: 'no.id.token' }],
  ['invalid_request', { nonce: 'a\0b' }],
  ['invalid_target', { resource: 'https://api.example.com' }],
  ['request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['request_uri_not_supported', { request_uri: 'https://app.example.com/request' }],
  ['registration_not_supported', { registration: '{}' }],
  ['login_required', { prompt: 'none' }],
]

// biome-ignore format: one spelling a line
const spellings = [
  `${callback}/`, `${callback}//`, `${callback}/..`, `${callback}/..;/callback`, `${callback}/../callback`, `${callback}/%2e%2e/callback`,
  `${callback}.`, `${callback}2`, `${callback};x`, `${callback}?`, `${callback}?x=1`, `${callback}#`, `${callback}#x`, `${callback}%00`, `${callback}%20`, `${callback} `,
  ` ${callback}`, `${callback}\n`, `${callback}\0`, `\t${callback}`, `${callback}\u200b`, callback.slice(0, -1), callback.toUpperCase(),
  'HTTPS://app.example.com/callback', 'https://APP.example.com/callback', 'https://app.example.com:443/callback', 'https://app.example.com./callback',
  'https://app.example.com//callback', 'https://app.example.com/Callback', 'https://app.example.com/%63allback', 'https://app.example.com/x/../callback',
  'https://app.example.com\\callback', 'https:\\\\app.example.com\\callback', 'https:/app.example.com/callback', '//app.example.com/callback', '/callback', 'callback',
  'http://app.example.com/callback', 'https://app.example.com@evil.example/callback', 'https://evil.example@app.example.com/callback', 'https://a@b@app.example.com/callback',
  'https://app.example.com.evil.example/callback', 'https://evilapp.example.com/callback', 'https://app-example.com/callback', 'https://app。example.com/callback',
  'https://evil.example/?https://app.example.com/callback', 'https://evil.example/callback', 'https://*.example.com/callback', 'https://localhost/callback',
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)//app.example.com/callback', 'data:text/html,<script>alert(1)</script>', 'vbscript:x', 'file:///etc/passwd', 'about:blank', 'null', '*', '',
  '<script>alert(1)</script>', '" onfocus="alert(1)', 'a'.repeat(10_000),
]

const captionOf = (value: unknown) => JSON.stringify(value)?.slice(0, 60) ?? 'missing'

async function setUp(environment: TestEnvironment) {
  const client = await w.createApplication(environment, {
    redirect_uris: [callback],
    allowed_scopes: ['openid', 'profile', 'email', 'offline_access'],
  })
  const elsewhere = await w.createApplication(environment === w.test ? w.live : w.test, { redirect_uris: [callback] })
  const person = await createPerson(w, environment)
  await person.code(client)
  return { client, elsewhere, person }
}

for (const environment of [w.test, w.live]) {
  const { client, elsewhere, person } = await setUp(environment)
  const request = (change: Record<string, string | undefined> = {}) => authorizationRequest(environment, client, change)
  const ask = (change: Record<string, string | undefined> = {}, agent = createAgent()) => agent.get(request(change).url)

  test(`a redirect_uri that is not registered byte by byte gets an error page, whatever else is wrong (${environment.type})`, async (t) => {
    const others = [{}, ...errors.map(([, change]) => change), { response_mode: 'form_post' }, { response_mode: 'fragment' }]
    for (const redirect_uri of [...spellings, undefined])
      await t.test(`redirect_uri ${captionOf(redirect_uri)}`, async () => {
        await Promise.all(others.map(async (change) => isErrorPage(await ask({ ...change, redirect_uri }, person.agent), redirect_uri)))
      })
  })

  const client_ids = [
    undefined,
    '',
    'app_unknown',
    elsewhere.id,
    client.id.toUpperCase(),
    ` ${client.id}`,
    `${client.id}\0`,
    '%00',
    '*',
    "' or 1=1 --",
  ]
  test(`a client_id that names no application of this environment gets an error page, whatever else is wrong (${environment.type})`, async (t) => {
    const others = [{}, ...errors.map(([, change]) => change), { response_mode: 'form_post' }, { redirect_uri: 'https://evil.example/' }]
    for (const client_id of client_ids)
      await t.test(`client_id ${captionOf(client_id)}`, async () => {
        await Promise.all(
          others.map(async (change) => isErrorPage(await ask({ ...change, client_id }, person.agent), change.redirect_uri ?? callback)),
        )
      })
  })

  for (const [error, change] of errors) {
    const modes = 'response_mode' in change ? [change.response_mode] : [undefined, 'query', 'fragment', 'form_post']
    for (const response_mode of modes)
      test(`${error} goes to the client with state and iss: ${captionOf(change)}, response_mode ${response_mode} (${environment.type})`, async () => {
        const { url, state } = request({ response_mode, ...change })
        const reply = await createAgent().get(url)
        const { to, fields } = answerIn(reply)
        const { error_description = '', ...rest } = fields
        assert.deepEqual({ to, ...rest }, { to: callback, error, state, iss: environment.issuer })
        assert.match(error_description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
        assert.equal(reply.status, response_mode === 'form_post' ? 200 : 303)
        const mark = reply.headers.get('location')?.[callback.length]
        assert.equal(mark, response_mode === 'form_post' ? undefined : response_mode === 'fragment' ? '#' : '?')
      })
  }

  for (const response_mode of [undefined, 'query', 'fragment', 'form_post'])
    test(`a code goes to the client with state and iss: response_mode ${response_mode} (${environment.type})`, async () => {
      const { url, state } = request({ response_mode })
      const { to, fields } = answerIn(await person.agent.get(url))
      const { code = '', ...rest } = fields
      assert.deepEqual({ to, ...rest }, { to: callback, state, iss: environment.issuer })
      assert.match(code, /^[\w-]{43}$/)
    })

  test(`an unsupported request object is refused by its response_mode form_post, with the state outside of it (${environment.type})`, async () => {
    const inside = Buffer.from(JSON.stringify({ response_mode: 'form_post', state: 'inside' })).toString('base64url')
    const reply = await ask({ request: `eyJhbGciOiJub25lIn0.${inside}.`, state: 'outside' }, person.agent)
    const { to, fields } = answerIn(reply)
    assert.deepEqual([reply.status, to, fields.error, fields.state], [200, callback, 'request_not_supported', 'outside'])
  })

  test(`the form_post page has a button, runs only its own script, and can be neither framed nor stored (${environment.type})`, async () => {
    const reply = await ask({ response_mode: 'form_post', state: '"><script>alert(1)</script>&amp;' }, person.agent)
    assert.equal(formOf(reply.body).hidden.state, '"><script>alert(1)</script>&amp;')
    assert.match(reply.body, /<button/)
    assert.equal([...reply.body.matchAll(/<script>/g)].length, 1)
    const csp = reply.headers.get('content-security-policy') ?? ''
    assert.match(csp, /default-src 'none'.*script-src 'sha256-[^']+'; frame-ancestors 'none'; base-uri 'none'/)
    assert.doesNotMatch(csp, /form-action|unsafe/)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
  })

  test(`the query of a registered redirect_uri is kept (${environment.type})`, async () => {
    const redirect_uri = `${callback}?tenant=1&x=%20y`
    const application = await w.createApplication(environment, { redirect_uris: [redirect_uri] })
    const reply = await person.agent.get(authorizationRequest(environment, application).url)
    assert.ok(reply.headers.get('location')?.startsWith(`${redirect_uri}&code=`))
  })

  for (const value of [undefined, ''])
    test(`state and nonce may be ${value === '' ? 'empty' : 'missing'} (${environment.type})`, async () => {
      const { fields } = answerIn(await ask({ state: value, nonce: value }, person.agent))
      assert.deepEqual(Object.keys(fields).sort(), ['code', 'iss'])
    })

  for (const state of [' a b ', '+&=#%', 'ü日本🙂', '"<>\'', 'a'.repeat(4_096), '%0d%0aSet-Cookie: x=1'])
    for (const response_mode of ['query', 'fragment', 'form_post'])
      test(`the state ${captionOf(state)} is returned unchanged by ${response_mode} (${environment.type})`, async () => {
        assert.equal(answerIn(await ask({ state, response_mode }, person.agent)).fields.state, state)
      })

  for (const state of ['a'.repeat(4_097), 'a\r\nb', 'a\0b'])
    test(`a state that is too long or holds control characters is refused and not returned: ${captionOf(state)} (${environment.type})`, async () => {
      const { fields } = answerIn(await ask({ state }, person.agent))
      assert.deepEqual([fields.error, fields.state, fields.code], ['invalid_request', undefined, undefined])
    })

  test(`unknown and unused parameters are ignored (${environment.type})`, async () => {
    const known = {
      display: 'popup',
      acr_values: 'urn:x',
      ui_locales: 'xx de',
      claims: '{"userinfo":{}}',
      login_hint: 'ada@example.com',
    }
    const { fields } = answerIn(await ask({ ...known, utm_source: 'x', __proto__x: '1', 'resource[]': 'x', 'a[b]': 'c' }, person.agent))
    assert.ok(fields.code)
  })

  test(`a request by POST is answered 303 to the same request as GET (${environment.type})`, async () => {
    const url = new URL(request({ state: 'a b&c=ü' }).url)
    const reply = await createAgent().post(url.origin + url.pathname, Object.fromEntries(url.searchParams), {
      origin: 'https://app.example.com',
    })
    assert.equal(reply.status, 303)
    const location = new URL(reply.headers.get('location') ?? '')
    assert.deepEqual([...location.searchParams].sort(), [...url.searchParams].sort())
    assert.equal(location.pathname, url.pathname)
    assert.equal((await createAgent().get(location.href)).status, 200)
  })

  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencodedx'])
    test(`a POST of ${type} is 400 (${environment.type})`, async () => {
      const { origin, pathname, searchParams } = new URL(request().url)
      const reply = await w.call('POST', origin + pathname, { key: null, body: searchParams.toString(), headers: { 'content-type': type } })
      assert.deepEqual([reply.status, reply.headers.get('location')], [400, null])
    })

  for (const name of [
    'response_type',
    'scope',
    'state',
    'nonce',
    'code_challenge',
    'code_challenge_method',
    'prompt',
    'client_id',
    'redirect_uri',
  ]) {
    test(`${name} sent twice is refused, in the query, in the body or once in each, with the same, another or no value (${environment.type})`, async () => {
      const url = new URL(request({ prompt: 'login' }).url)
      const endpoint = url.origin + url.pathname
      const value = url.searchParams.get(name) ?? ''
      for (const second of [value, `${value}x`, '']) {
        const twice = `${url.searchParams}&${new URLSearchParams({ [name]: second })}`
        const ways = [await person.agent.get(`${endpoint}?${twice}`), await post(`${endpoint}`, twice)]
        ways.push(await post(`${endpoint}?${new URLSearchParams({ [name]: second })}`, url.searchParams.toString()))
        for (const way of ways) {
          const reply =
            way.status === 303 && way.headers.get('location')?.startsWith(endpoint)
              ? await person.agent.get(way.headers.get('location') ?? '')
              : way
          if (name === 'client_id' || name === 'redirect_uri') isErrorPage(reply, callback)
          else {
            const { fields } = answerIn(reply)
            assert.equal(fields.error, 'invalid_request')
            assert.equal(fields.state, name === 'state' ? undefined : url.searchParams.get('state'))
          }
        }
      }
    })
  }

  const post = (url: string, body: string) =>
    w.call('POST', url, { key: null, body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })

  test(`resource may be sent twice (${environment.type})`, async () => {
    const { fields } = answerIn(await createAgent().get(`${request().url}&resource=https://a.example/&resource=https://b.example/`))
    assert.equal(fields.error, 'invalid_target')
  })

  test(`a scope that the settings disable is refused, and discovery does not name it (${environment.type})`, async () => {
    await w.changeSettings(environment, { scopes: { disabled: ['email'] } })
    assert.equal(answerIn(await ask({}, person.agent)).fields.error, 'invalid_scope')
    const { body } = await w.call('GET', `${environment.issuer}/.well-known/openid-configuration`, { key: null })
    assert.deepEqual(body.scopes_supported.includes('email'), false)
    await w.changeSettings(environment, { scopes: { disabled: null } })
    assert.ok(answerIn(await ask({}, person.agent)).fields.code)
  })

  test(`the pages of an environment cannot be framed or stored, and load nothing from elsewhere (${environment.type})`, async () => {
    for (const reply of [await ask(), await ask({ prompt: 'create' }), await ask({ client_id: 'x' }), await ask({ redirect_uri: 'x' })]) {
      const csp = reply.headers.get('content-security-policy') ?? ''
      assert.match(csp, /^default-src 'none'; style-src 'sha256-[^;]*; img-src data:; frame-ancestors 'none'; base-uri 'none'$/)
      assert.equal(reply.headers.get('x-frame-options'), 'DENY')
      assert.equal(reply.headers.get('referrer-policy'), 'same-origin')
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
      assert.doesNotMatch(reply.body, /<script|\son\w+=|style="/)
    }
  })
}

test('an error page names the application in Test, and not in Live', async () => {
  for (const environment of [w.test, w.live]) {
    const client = await w.createApplication(environment)
    const reply = await createAgent().get(authorizationRequest(environment, client, { redirect_uri: 'https://evil.example/callback' }).url)
    assert.equal(reply.body.includes(client.client_id), environment === w.test)
  }
})
