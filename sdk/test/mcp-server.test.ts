/** `protect` of an MCP server: its metadata, and the scopes of the tool that a message calls. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { protect } from '@ostiary/sdk/node'
import { createKeySet } from '@ostiary/sdk/verify'
import { claimsOf, makeKey, now, audience as origin } from './portable/signing-key.ts'
import { frameworks } from './support/frameworks.ts'
import { startIssuer } from './support/issuer.ts'

const key = await makeKey('key-1')
const { issuer } = await startIssuer([key])
const audience = `${origin}/mcp`
const options = {
  keys: createKeySet({ issuer, now: () => now }),
  issuer,
  audience,
  now: () => now,
  scopes: ['openid'],
  tools: { whoami: [], find: ['notes:read'], move: ['notes:read', 'notes:write'], share: ['notes:share'] },
}
const longest = 20_000
const application = { paths: { '/mcp': { ...options, max_body_bytes: longest } } }
const tokenWith = (scope: string) => key.sign({}, { ...claimsOf(issuer), aud: audience, scope })
const bare = await tokenWith('openid')
const reader = await tokenWith('openid notes:read')
const no_scope = await tokenWith('')

const call = (name: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { name: 'find' } }
const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
const wanted = (scope: string) => `Bearer scope="${scope}", ${metadata}`
const invalid = (scope: string) =>
  `Bearer error="invalid_token", error_description="The token is not a JWT.", scope="${scope}", ${metadata}`
const insufficient = (scope: string) =>
  `Bearer error="insufficient_scope", error_description="The token lacks a scope.", scope="${scope}", ${metadata}`

// biome-ignore format: this table is read by column
const cases: [string, string | null, unknown, number, string | null][] = [
  ['a tool that needs no scope of its own',       bare,     call('whoami'),                 200, null],
  ['a tool whose scope the token has',            reader,   call('find'),                   200, null],
  ['a message that calls no tool',                bare,     initialize,                     200, null],
  ['a list of messages',                          reader,   [initialize, call('find')],     200, null],
  ['a tool whose scope the token lacks',          bare,     call('find'),                   403, insufficient('openid notes:read')],
  ['a tool of several scopes',                    reader,   call('move'),                   403, insufficient('openid notes:read notes:write')],
  ['a list that calls several tools',             bare,     [call('find'), call('share')],  403, insufficient('openid notes:read notes:share')],
  ['a list whose last call needs more',           reader,   [call('find'), call('share')],  403, insufficient('openid notes:read notes:share')],
  ['a token without any scope',                   no_scope, call('whoami'),                 403, insufficient('openid')],
  ['a call without a token',                      null,     call('move'),                   401, wanted('openid notes:read notes:write')],
  ['a message without a token',                   null,     initialize,                     401, wanted('openid')],
  ['no message without a token',                  null,     undefined,                      401, wanted('openid')],
  ['a call with another text for a token',        'none',   call('find'),                   401, invalid('openid notes:read')],
  ['a long call without a token',                 null,     { ...call('find'), a: 'a'.repeat(17_000) }, 401, wanted('openid')],
  ['a long call with a token',                    reader,   { ...call('find'), a: 'a'.repeat(17_000) }, 200, null],
]
/** Calls of a tool that nobody listed. */
const unlisted = ['delete', '__proto__', 'constructor', 'toString', '', null, 1, ['find'], undefined]

for (const [framework, start] of Object.entries(frameworks)) {
  const send = await start(application)
  const post = (token: string | null, body: string | Uint8Array | undefined, headers: Record<string, string> = {}) =>
    send('/mcp', {
      method: 'POST',
      ...(body === undefined ? {} : { body: body as string }), // as: `fetch` takes bytes too
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    })

  for (const [what, token, message, status, challenge] of cases) {
    test(`${framework} answers ${status} to ${what}`, { skip: framework === 'Fastify' && message === undefined }, async () => {
      const response = await post(token, message === undefined ? undefined : JSON.stringify(message))
      const body = (await response.json()) as Record<string, unknown> // as: JSON of the test or of the middleware
      assert.deepEqual([response.status, response.headers.get('www-authenticate')], [status, challenge])
      if (status === 200) assert.deepEqual(body, { sub: 'usr_1', body: message }, 'the application reads the body too')
    })
  }

  test(`${framework} refuses the call of a tool that is not listed, with no challenge`, async () => {
    for (const name of unlisted)
      for (const message of [call(name), [call('find'), call(name)], { ...call(name), params: name }]) {
        const response = await post(reader, JSON.stringify(message))
        const { error } = (await response.json()) as { error: string } // as: a refusal
        assert.deepEqual(
          [response.status, error, response.headers.get('www-authenticate')],
          [403, 'unknown_tool', null],
          JSON.stringify(message),
        )
      }
  })

  test(`${framework} answers both addresses of the metadata to everybody, with every scope of the server`, async () => {
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
      const response = await send(path)
      assert.deepEqual(await response.json(), {
        resource: audience,
        authorization_servers: [issuer],
        scopes_supported: ['openid', 'notes:read', 'notes:write', 'notes:share'],
        bearer_methods_supported: ['header'],
      })
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(response.headers.get('access-control-allow-origin'), '*')
      const preflight = await send(path, { method: 'OPTIONS' })
      assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-headers')], [204, '*'])
      assert.equal((await send(path, { method: 'DELETE' })).status, 401)
    }
  })

  test(`${framework} asks a request without a message for the scopes that every request needs`, async () => {
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send('/mcp', { method })).headers.get('www-authenticate'), wanted('openid'))
      assert.equal((await send('/mcp', { method, headers: { authorization: `Bearer ${bare}` } })).status, 200)
    }
  })

  if (framework === 'Fastify')
    test('Fastify refuses a message that its parser left as a text', async () => {
      const response = await post(bare, JSON.stringify(call('find')), { 'content-type': 'text/plain' })
      assert.equal(response.status, 400)
    })

  // A parser before `protect` has limits, types and errors of its own.
  if (framework !== 'Express after a parser' && framework !== 'Fastify') {
    test(`${framework} reads a message whatever its type is called, and refuses one that it cannot read`, async () => {
      const text = JSON.stringify(call('find'))
      const statuses = async (...answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status)
      const plain = { 'content-type': 'text/plain' }
      assert.deepEqual(await statuses(post(bare, text, plain), post(reader, `\uFEFF${text}`)), [403, 200])
      const broken = ['', '{', 'null', '"text"', '1', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]
      for (const body of broken) assert.deepEqual(await statuses(post(reader, body), post(null, body)), [400, 401], String(body))
      const zipped = gzipSync(text)
      assert.deepEqual(await statuses(post(reader, zipped, { 'content-encoding': 'gzip' })), [415])
    })

    test(`${framework} reads no more of a message than max_body_bytes`, async () => {
      const of = (length: number) => JSON.stringify({ ...call('find'), a: '' }).replace('"a":""', `"a":"${'a'.repeat(length)}"`)
      const frame = of(0).length
      assert.equal((await post(reader, of(longest - frame))).status, 200)
      assert.equal((await post(reader, of(longest - frame + 1))).status, 413)
      const chunks = ReadableStream.from(Array.from({ length: 30 }, () => new TextEncoder().encode(' '.repeat(1_000))))
      const unannounced = { method: 'POST', body: chunks, duplex: 'half', headers: { authorization: `Bearer ${reader}` } } as RequestInit // as: the types of the browser lack duplex
      assert.equal((await send('/mcp', unannounced)).status, 413)
    })
  }
}

test('a message that breaks off is not waited for', async () => {
  const { createServer } = await import('node:http')
  const judged: unknown[] = []
  const guard = protect({ ...options, now: () => now })
  const closed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.on('close', closed.resolve)
    guard(request, response, (error) => judged.push(error ?? 'admitted'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  socket.write(`POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${reader}\r\nContent-Length: 500\r\n\r\n{"method":`)
  server.on('request', () => socket.destroy())
  await closed.promise
  server.close()
  assert.deepEqual(judged, [])
})

test('a token for the audience alone, without a scope, is enough for a tool that needs none', async () => {
  const send = await (frameworks['the Fetch standard'] ?? assert.fail())({ paths: { '/mcp': { ...options, scopes: [] } } })
  const { scope: _, ...claims } = claimsOf(issuer)
  const authorization = `Bearer ${await key.sign({}, { ...claims, aud: audience })}`
  const post = (name: string) => send('/mcp', { method: 'POST', headers: { authorization }, body: JSON.stringify(call(name)) })
  assert.deepEqual([(await post('whoami')).status, (await post('find')).status], [200, 403])
})

// biome-ignore format: this table is read by column
const addresses: [string, string, string][] = [
  ['https://mcp.example.com',            'https://mcp.example.com/.well-known/oauth-protected-resource',            '/.well-known/oauth-protected-resource'],
  ['https://mcp.example.com/',           'https://mcp.example.com/.well-known/oauth-protected-resource',            '/.well-known/oauth-protected-resource'],
  ['https://mcp.example.com:8443/a/b/',  'https://mcp.example.com:8443/.well-known/oauth-protected-resource/a/b/',  '/.well-known/oauth-protected-resource/a/b/'],
  ['https://mcp.example.com/mcp?one=1',  'https://mcp.example.com/.well-known/oauth-protected-resource/mcp?one=1',  '/.well-known/oauth-protected-resource/mcp'],
]
for (const [identifier, address, path] of addresses)
  test(`the metadata of ${identifier} stands at ${address}`, async () => {
    const send = await (frameworks['the Fetch standard'] ?? assert.fail())({
      paths: { [path]: { ...options, audience: identifier, scopes: [] } },
    })
    const document = (await (await send(path)).json()) as { resource: string } // as: the metadata
    assert.equal(document.resource, identifier)
    const { headers } = await send(path, { method: 'POST' })
    assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${address}"`)
  })

test('an option that no client could follow is refused at the start', () => {
  // biome-ignore format: this table is read by column
  const wrong: [string, object][] = [
    ['an audience without a scheme',         { audience: 'orders' }],
    ['an audience with a fragment',         { audience: 'https://mcp.example.com/mcp#a' }],
    ['an audience of another scheme',       { audience: 'urn:mcp' }],
    ['an audience with a password',         { audience: 'https://a:b@mcp.example.com/mcp' }],
    ['offline_access',                      { scopes: ['openid', 'offline_access'] }],
    ['offline_access of a tool',            { tools: { find: ['offline_access'] } }],
    ['a scope with a space',                { required_scopes: ['notes:read notes:write'] }],
    ['a scope that ends the header',        { tools: { find: ['a", realm="b'] } }],
    ['a scope without characters',          { scopes: [''] }],
    ['a length of nothing',                 { max_body_bytes: 0 }],
    ['a length without a number',            { max_body_bytes: Number.NaN }],
  ]
  for (const [what, option] of wrong) assert.throws(() => protect({ ...options, ...option }), TypeError, what)
  protect({ ...options, audience: 'orders', tools: undefined }) // an identifier can be a name where nothing is published
})
