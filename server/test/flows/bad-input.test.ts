/** Invalid requests: broken encodings, wrong types, too much of everything, other hosts, methods and paths. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import { authorizationRequest, createPerson, exchange } from '../support/cookie-browser.ts'
import { longest_form, parsed } from '../support/parsed-parameters.ts'
import { type RawReply, rawRequest, sendRaw } from '../support/raw-http.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test, { post_logout_redirect_uris: ['https://app.example.com/signed-out'] })
const person = await createPerson(w, w.test)
const tokens = await person.tokens(client)
const basic = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`
const issuer_path = new URL(w.test.issuer).pathname
const at = (path: string) => path.replace('{environment_id}', w.test.id)
const form = 'application/x-www-form-urlencoded'
const token_path = `${issuer_path}/v1/oauth/token`
const revoke_path = `${issuer_path}/v1/oauth/revoke`
const rows = Object.entries(oidcRoutes) as [string, Route][] // as: the names of the table

const hosts = await Promise.all(
  ['127.0.0.1', '::1'].map(async (host) =>
    (await sendRaw(w.base_url, rawRequest('GET', '/healthz'), host).catch(() => null)) ? [host] : [],
  ),
).then((found) => found.flat())

/** Every answer has a request id, and shows neither a fault nor the inside of the service. */
function isWellFormed(reply: RawReply, what = ''): RawReply {
  assert.ok(reply.status >= 200 && reply.status < 500, `${what}: ${reply.status} ${reply.body.slice(0, 200)}`)
  assert.match(reply.headers['x-request-id'] ?? '', /^req_[0-9a-z]{26}$/, what)
  assert.equal(reply.headers['x-content-type-options'], 'nosniff', what)
  assert.doesNotMatch(reply.body, /\bat \S+ \(|node:internal|\.ts:\d|ZodError|FST_ERR|SQLITE_|stack"/, what)
  return reply
}

// A token may be as long as the body (RFC 7009 §2.2).
const longest_parsed = (target: string) => (target.startsWith(`${issuer_path}/v1/oauth/`) ? 1_048_576 : longest_form)

const send = async (method: string, target: string, headers: Record<string, string | null> = {}, body: string | Buffer = '') => {
  const what = `${method} ${target.slice(0, 100)}`
  parsed.longest = 0
  const reply = isWellFormed(await sendRaw(w.base_url, rawRequest(method, target, headers, body), hosts[0]), what)
  assert.ok(parsed.longest <= longest_parsed(target), `${what}: ${parsed.longest} characters were parsed`)
  return reply
}
const asClient = (body: string | Buffer, headers: Record<string, string | null> = {}, path = token_path) =>
  send('POST', path, { authorization: basic, 'content-type': form, ...headers }, body)

const errorOf = (reply: RawReply) => JSON.parse(reply.body).error

// biome-ignore format: this table is read by column
const types: [type: string | null, is_form: boolean][] = [
  [form, true], [`${form};charset=UTF-8`, true], [`${form}; charset=utf-8`, true], [form.toUpperCase(), true], [`${form} ; x=y`, true],
  [null, false], ['application/json', false], ['text/plain', false], ['multipart/form-data; boundary=x', false], [`${form}x`, false],
  [`${form}, text/plain`, false], [`text/plain; ${form}`, false], [`x/${form}`, false], ['*/*', false], [`${form}\tx`, false], ['/', false], ['é', false],
]
for (const [type, is_form] of types) {
  test(`a body of the type ${JSON.stringify(type)} ${is_form ? 'is read' : 'is refused, since it is not a form'}`, async () => {
    for (const path of [token_path, revoke_path]) {
      const reply = await asClient('grant_type=x&token=x', { 'content-type': type }, path)
      if (is_form)
        assert.deepEqual([reply.status, errorOf(reply)], path === token_path ? [400, 'unsupported_grant_type'] : [200, undefined])
      else assert.ok(reply.status === 415 || (reply.status === 400 && errorOf(reply) === 'invalid_request'), reply.body)
    }
  })
}

const bomb = gzipSync(Buffer.alloc(50_000_000))
for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip'])
  test(`a body with the Content-Encoding ${encoding} is refused`, async () => {
    const reply = await asClient(bomb, { 'content-encoding': encoding })
    assert.deepEqual([reply.status, errorOf(reply)], [400, 'invalid_request'])
  })

const many = Array.from({ length: 100_000 }, (_, i) => `${i}=`).join('&')
for (const [, { method, path }] of rows) {
  if (method !== 'POST') continue
  const headers = { authorization: basic, 'content-type': form }

  test(`a body of 1 MiB is read, and one byte more is 413: ${path}`, async () => {
    assert.notEqual((await send('POST', at(path), headers, `a=${'x'.repeat(1_048_574)}`)).status, 413)
    assert.equal((await send('POST', at(path), headers, `a=${'x'.repeat(1_048_575)}`)).status, 413)
  })

  test(`a body of 100,000 parameters is refused before it is parsed: ${path}`, async () => {
    assert.equal((await send('POST', at(path), headers, many)).status, 400)
    assert.equal(parsed.longest, 0)
  })
}

for (const path of [token_path, revoke_path])
  test(`a body of more than 1 MiB is invalid_request: ${path.slice(issuer_path.length)}`, async () => {
    assert.equal(errorOf(await asClient(`a=${'x'.repeat(1_048_575)}`, {}, path)), 'invalid_request')
  })

for (const path of ['/oauth/authorize', '/oauth/logout'])
  test(`a query of thousands of parameters is refused: ${path}`, async () => {
    assert.equal((await send('GET', `${issuer_path}${path}?${many.slice(0, 20_000)}`)).status, 400)
  })

const too_long_for_get = `${new URL(authorizationRequest(w.test, client).url).search.slice(1)}&x=${'x'.repeat(25_000)}`
const too_long_when_encoded = too_long_for_get.replace(/x+$/, "'".repeat(9_000))
const in_form = `csrf=x&request=${encodeURIComponent(too_long_for_get)}`
for (const [path, body] of [
  ['oauth/authorize', too_long_for_get],
  ['oauth/logout', too_long_for_get],
  ['sign-in', in_form],
  ['consent', in_form],
  ['sign-out', in_form],
] as const)
  test(`a request too long for the query of a GET gets an error page: ${path}`, async () => {
    const reply = await send('POST', `${issuer_path}/${path}`, { 'content-type': form }, body)
    assert.deepEqual([reply.status, reply.headers.location], [400, undefined])
    assert.match(reply.headers['content-type'] ?? '', /html/)
  })

for (const [, { method, path, page }] of rows)
  if (page && method === 'GET')
    test(`a query too long for the form of a page gets an error page before any other: ${path}`, async () => {
      for (const query of [too_long_for_get, too_long_when_encoded]) {
        const reply = await send('GET', `${at(path)}?${query}`)
        assert.equal(reply.status, 400)
        assert.match(reply.body, /sent a request that .* cannot answer/)
      }
    })

for (const bytes of ['\xff', '\xc3', '\xc0\x80', '\xed\xa0\x80', '%ff', '%c3'])
  for (const path of [token_path, revoke_path])
    test(`${JSON.stringify(bytes)} is not UTF-8 and is invalid_request: ${path.slice(issuer_path.length)}`, async () => {
      const reply = await asClient(Buffer.from(`grant_type=refresh_token&refresh_token=${bytes}&token=${bytes}`, 'latin1'), {}, path)
      assert.deepEqual([reply.status, errorOf(reply)], [400, 'invalid_request'])
    })

const broken_values = [
  '%',
  '%z',
  '%0',
  '%00',
  '%0d%0a',
  '%ff',
  '%c0%80',
  '%ed%a0%80',
  '%u0041',
  'a%00b',
  '\x01',
  '+',
  '%F0%9F%98%80',
  "'",
  '%22%3E%3Cscript%3E',
  '..%2f',
  '{{7*7}}',
]
for (const value of broken_values) {
  test(`the value ${JSON.stringify(value)} causes no 5xx in any parameter of any endpoint`, async (t) => {
    const survives = (what: string, ...request: Parameters<typeof send>) => t.test(what, async () => void (await send(...request)))
    // biome-ignore format: names by endpoint
    const names = {
      [token_path]: ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type', 'x'],
      [revoke_path]: ['token', 'token_type_hint', 'client_id'],
    }
    for (const [path, list] of Object.entries(names))
      for (const name of list)
        await t.test(`${name} of ${path.slice(issuer_path.length)}`, async () => {
          assert.ok((await asClient(`grant_type=refresh_token&token=x&refresh_token=x&${name}=${value}`, {}, path)).status < 500)
        })
    if (value === '\x01') return // no URL can hold it
    const { search } = new URL(authorizationRequest(w.test, client).url)
    // biome-ignore format: names by endpoint
    const queries = {
      [`authorize${search}&`]: ['state', 'nonce', 'scope', 'prompt', 'client_id', 'redirect_uri', 'login_hint', 'ui_locales', 'resource', 'x', value],
      'logout?': ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'logout_hint'],
    }
    for (const [start, list] of Object.entries(queries))
      for (const name of list)
        await survives(`${name} of /oauth/${start.split('?')[0]}`, 'GET', `${issuer_path}/oauth/${start}${name}=${value}`)
    await survives('an access token', 'GET', `${issuer_path}/v1/oauth/userinfo`, { authorization: `Bearer ${value}` })
    const credentials = { 'content-type': form, authorization: `Basic ${Buffer.from(`${value}:${value}`).toString('base64')}` }
    await survives('the credentials of a client', 'POST', token_path, credentials, 'grant_type=x')
    await survives('an environment', 'GET', `/e/${value.replaceAll(' ', '')}/oauth/authorize`)
    for (const method of ['GET', 'POST'])
      await survives(`a callback by ${method}`, method, `${issuer_path}/oauth/callback/${value}?state=${value}&code=${value}`)
    const headers = { cookie: `ostiary_session_${w.test.id}=${value}`, 'accept-language': value, 'user-agent': value }
    await survives('headers', 'GET', `${issuer_path}/oauth/authorize${search}`, headers)
  })
}

const foreign_hosts = [
  'host',
  'x-forwarded-host',
  'x-original-host',
  'x-host',
  'x-forwarded-server',
  'x-http-host-override',
  'x-original-url',
  'x-rewrite-url',
  'forwarded',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'origin',
  'referer',
]
for (const name of foreign_hosts)
  test(`the header ${name} changes no URL in documents, redirects, pages and cookies`, async () => {
    const login = authorizationRequest(w.test, client, { prompt: 'login' })
    const cookie = [...person.agent.cookies].map((pair) => pair.join('=')).join('; ')
    const { search } = new URL(authorizationRequest(w.test, client).url)
    const logout = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: 'https://evil.example/' })
    const value = name === 'forwarded' ? 'host=evil.example;proto=https' : name === 'host' ? 'evil.example' : 'https://evil.example'
    const replies = [
      await send('GET', `${issuer_path}/.well-known/openid-configuration`, { [name]: value }),
      await send('GET', `/.well-known/oauth-authorization-server${issuer_path}`, { [name]: value }),
      await send('GET', `${issuer_path}/oauth/authorize${new URL(login.url).search}`, { [name]: value }),
      await send('GET', `${issuer_path}/oauth/authorize${search}`, { cookie, [name]: value }),
      await send('POST', `${issuer_path}/oauth/authorize`, { 'content-type': form, [name]: value }, search.slice(1)),
      await send('GET', `${issuer_path}/oauth/logout?${logout}`, { [name]: value }),
      await send('POST', `${issuer_path}/oauth/logout`, { 'content-type': form, [name]: value }, 'state=x'),
      await send('GET', '/nothing-here', { [name]: value }),
    ]
    for (const reply of replies) assert.doesNotMatch(JSON.stringify(reply.headers) + reply.body, /evil\.example/)
  })

test('the host of an absolute request target does not appear in the discovery document', async () => {
  const target = `http://evil.example${issuer_path}/.well-known/openid-configuration`
  const { body } = isWellFormed(await sendRaw(w.base_url, rawRequest('GET', target)))
  assert.ok(!body.includes('evil'))
})

for (const [path, list] of Map.groupBy(rows, ([, route]) => route.path))
  test(`${path} answers other methods with 405 and its own in Allow, and HEAD as GET without a body`, async (t) => {
    const own = list.map(([, { method }]) => method as string)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
      if (own.includes(method)) continue
      await t.test(method, async () => {
        const reply = await send(method, at(path))
        assert.equal(reply.status, 405)
        assert.deepEqual(reply.headers.allow?.split(', ').sort(), [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort())
      })
    }
    await t.test('HEAD', async () => {
      const head = await send('HEAD', at(path))
      assert.equal(head.body, '')
      if (own.includes('GET')) assert.equal(head.status, (await send('GET', at(path))).status)
      else assert.equal(head.status, 405)
    })
  })

test('a path in any other spelling is 404', async (t) => {
  const spell: ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => `/${path}`,
    (path) => path.replace('/oauth', '//oauth'),
    (path) => path.replace('/oauth', '/./oauth'),
    (path) => path.replace('/oauth', '/x/../oauth'),
    (path) => path.replace('/oauth', '/%2e/oauth'),
    (path) => path.replace('/oauth', '%2foauth'),
    (path) => path.replace('/oauth', '\\oauth'),
    (path) => path.replace('/oauth', '/OAuth'),
    (path) => path.replace('/oauth', ';/oauth'),
    (path) => `${path};x=y`,
    (path) => `${path}%20`,
    (path) => `${path}%00`,
    (path) => `${path}.json`,
    (path) => path.replace('/e/env_', '/e/ENV_'),
    (path) => path.replace(w.test.id, w.test.id.toUpperCase()),
    (path) => path.replace(w.test.id, w.test.id.slice(4)),
    (path) => path.replace(w.test.id, `${w.test.id}x`),
    (path) => path.replace(w.test.id, 'env_01m7wwr5ftevtv5yxb47hmb4ht'),
    (path) => path.replace(w.test.id, w.project.id),
  ]
  for (const path of ['/oauth/authorize', '/oauth/logout', '/v1/oauth/token', '/v1/oauth/userinfo', '/v1/oauth/jwks.json'])
    for (const each of spell) {
      const target = each(issuer_path + path)
      await t.test(target.replaceAll(w.test.id, '{environment_id}'), async () => {
        assert.equal((await send(path.endsWith('/token') ? 'POST' : 'GET', target)).status, 404)
      })
    }
})

const not_a_request: [what: string, status: number, bytes: (host: string) => string | Buffer][] = [
  ['no HTTP', 400, () => 'hello\r\n\r\n'],
  ['an unknown method', 400, () => rawRequest('FOO', '/healthz')],
  ['headers beyond 32 KiB', 431, () => rawRequest('GET', '/healthz', { 'x-long': 'a'.repeat(33_000) })],
  ['an address beyond 32 KiB', 431, () => rawRequest('GET', `${issuer_path}/oauth/authorize?state=${'a'.repeat(33_000)}`)],
  ['thousands of headers', 431, () => `GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${'a: b\r\n'.repeat(10_000)}\r\n`],
  ['two lengths', 400, () => `POST ${token_path} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\na=b`],
  ['no Host', 400, () => rawRequest('GET', '/healthz', { host: null })],
  ['two Hosts', 400, () => rawRequest('GET', '/healthz', { Host: 'localhost' })],
  ['an unknown expectation', 417, () => rawRequest('GET', '/healthz', { expect: 'something' })],
  ['a request to be a proxy', 400, () => rawRequest('CONNECT', 'evil.example:443')],
  ['a length and chunks', 400, () => rawRequest('POST', token_path, { 'transfer-encoding': 'chunked' }, 'a=b')],
  [
    'broken chunks',
    400,
    () => rawRequest('POST', token_path, { 'transfer-encoding': 'chunked', 'content-length': null, 'content-type': form }, 'zz\r\na=b'),
  ],
  ['a space in the address', 400, () => rawRequest('GET', '/healthz x')],
  ['letters beyond ASCII in the address', 400, () => rawRequest('GET', '/healthz\xe9')],
  ['a NUL in a header', 400, () => rawRequest('GET', '/healthz', { 'x-nul': 'a\0b' })],
  ['percent signs without digits in the path', 400, () => rawRequest('GET', `${issuer_path}/%zz`)],
]
for (const [what, status, bytes] of not_a_request) {
  for (const host of hosts) {
    test(`bytes that Node cannot read as a request get an answer too: ${what} (${host})`, async () => {
      const reply = isWellFormed(await sendRaw(w.base_url, bytes(host), host), what)
      assert.equal(reply.status, status)
      if (what === 'broken chunks') return // the token endpoint answers it
      assert.equal(reply.headers['content-type'], 'application/problem+json; charset=utf-8')
      const problem = JSON.parse(reply.body)
      assert.deepEqual([problem.status, problem.code, problem.request_id], [status, 'malformed_request', reply.headers['x-request-id']])
    })
  }
}

for (const [name, { method, path }] of rows) {
  const is_public = ['discovery', 'authorizationServer', 'ownServer', 'jwks'].includes(name)
  test(`the answer of ${name} is ${is_public ? 'public with a max-age' : 'no-store'}`, async () => {
    const reply = await send(method, at(path))
    assert.match(reply.headers['cache-control'] ?? '', is_public ? /^public, max-age=\d+$/ : /^no-store$/)
  })
}

test('the service chooses the request id, and ignores the one of the request', async () => {
  const reply = await send('GET', '/healthz', { 'x-request-id': 'req_00000000000000000000000000', 'request-id': 'x' })
  assert.notEqual(reply.headers['x-request-id'], 'req_00000000000000000000000000')
})

test('after all of these requests a code is exchanged as before', async () => {
  const { request, code } = await person.code(client)
  expectStatus(200, await exchange(w, w.test, client, { request, code }))
})
