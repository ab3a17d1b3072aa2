import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientUrl, readClientMetadata } from './client-metadata.ts'
import { matchesPublished } from './redirect-uris.ts'

const url = 'https://client.example.com/oauth/client.json'
const longest = `https://a.test/${'x'.repeat(500 - 'https://a.test/'.length)}`

// biome-ignore format: a list to skim
const client_urls = [
  url, longest, 'https://a.test/x', 'https://a.test/x/', 'https://a.test//', 'https://a.test/x.json', 'https://a.test:8443/x', 'https://xn--bcher-kva.example/x',
  'https://192.0.2.7/x', 'https://[2001:db8::1]/x', 'https://127.0.0.1/x', 'https://localhost/x', 'https://a.test/a;b=c/~user/(x)!$&\'*+,=:@', 'https://a.test/%C3%BC', 'https://a.test/x%2Fy',
]
for (const client_url of client_urls)
  test(`${client_url.slice(0, 60)} can be the URL of a client`, () => assert.ok(isClientUrl(client_url)))

// biome-ignore format: a list to skim
const other_ids = [
  '', 'https', 'https:', 'https://', 'https:///', 'https://a.test', 'https://a.test/', 'app_01h455vb4pex5vsknk084sn02q', `${longest}x`,
  'http://a.test/x', 'HTTPS://a.test/x', 'https:/a.test/x', 'https:a.test/x', 'https:\\\\a.test\\x', 'ftp://a.test/x', 'javascript://a.test/x', '//a.test/x', 'a.test/x',
  'https://A.test/x', 'https://a.test:443/x', 'https://a.test:/x', 'https://a.test:0443/x', 'https://a.test:99999/x', 'https://127.1/x', 'https://2130706433/x', 'https://0x7f.0.0.1/x', 'https://%61.test/x', 'https://a。test/x',
  'https://a@a.test/x', 'https://a:b@a.test/x', 'https://@a.test/x', 'https://:@a.test/x', 'https://a.test@evil.test/x', 'https://a.test\\@evil.test/x',
  'https://a.test/x?', 'https://a.test/x?y', 'https://a.test/?x', 'https://a.test/x#', 'https://a.test/x#y', 'https://a.test?x',
  'https://a.test/./x', 'https://a.test/../x', 'https://a.test/x/..', 'https://a.test/x/.', 'https://a.test/%2e%2e/x', 'https://a.test/%2E/x', 'https://a.test/.%2e/x',
  ' https://a.test/x', 'https://a.test/x ', 'https://a.test/x\n', 'https://a.test/\tx', 'https://a.test/x y', 'https://a.test/x\0', 'https://bücher.example/x', 'https://a.test/ü', 'https://a.test/x\u200b', 'https://a.test/"x"', 'https://a.test/<x>',
]
for (const id of other_ids)
  test(`${JSON.stringify(id.slice(-60))} cannot be the URL of a client`, () => assert.equal(isClientUrl(id), false))

type Members = Record<string, unknown>
const least = { client_id: url, redirect_uris: ['https://client.example.com/callback'] }
const without = Symbol('without the member')

function documentWith(change: Members): string {
  return JSON.stringify(Object.fromEntries(Object.entries<unknown>({ ...least, ...change }).filter(([, value]) => value !== without)))
}

function clientOf(change: Members = {}) {
  const read = readClientMetadata(url, documentWith(change))
  return 'client' in read ? read.client : assert.fail(read.invalid)
}

test('a document needs its client_id and a redirect URI, and nothing else', () => {
  assert.deepEqual(clientOf(), {
    client_id: url,
    client_name: 'client.example.com',
    host: 'client.example.com',
    redirect_uris: least.redirect_uris,
    token_endpoint_auth_method: 'none',
    jwks: null,
    jwks_uri: null,
    scope: null,
    allows_refresh: true,
  })
})

const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }
const ec = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }
const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [rsa] } }
const uris = (count: number) => Array.from({ length: count }, (_, i) => `https://a.test/${i}`)

// biome-ignore format: this table is read by line
const invalid: Record<string, Members> = {
  'client_id has one slash more': { client_id: `${url}/` },
  'client_id has another case': { client_id: url.toUpperCase() },
  'client_id is that of another document': { client_id: 'https://client.example.com/oauth/other.json' },
  'client_id is missing': { client_id: without },
  'client_name is empty': { client_name: '' },
  'client_name is 101 characters long': { client_name: 'x'.repeat(101) },
  'client_name has only characters that are removed': { client_name: '\u202e\u0007\u200f\u2028' },
  'client_name has only characters that cannot be seen': { client_name: ' \u200b\u3164 ' },
  'redirect_uris is missing': { redirect_uris: without },
  'redirect_uris is empty': { redirect_uris: [] },
  'redirect_uris has 51 URIs': { redirect_uris: uris(51) },
  'redirect_uris has a member that is not a string': { redirect_uris: ['https://a.test/', 7] },
  'every redirect URI is one that cannot be used': { redirect_uris: ['javascript:alert(1)', 'com.example.app:/cb', 'http://a.test/cb', 'https://a@a.test/', 'https://*.a.test/', 'https://a.test/#', `https://a.test/${'x'.repeat(2_000)}`] },
  'the method is one with a secret': { token_endpoint_auth_method: 'client_secret_basic' },
  'the method is empty': { token_endpoint_auth_method: '' },
  'the methods have neither of the two': { token_endpoint_auth_methods_supported: ['client_secret_post', 'NONE', 'none '] },
  'the methods are an empty list': { token_endpoint_auth_methods_supported: [] },
  'another method has methods without either of the two': { token_endpoint_auth_method: 'tls_client_auth', token_endpoint_auth_methods_supported: ['tls_client_auth'] },
  'private_key_jwt has no keys': { token_endpoint_auth_method: 'private_key_jwt' },
  'private_key_jwt has both jwks and jwks_uri': { ...keys, jwks_uri: 'https://a.test/jwks' },
  'the method that is chosen from the list has no keys': { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] },
  'jwks has no key': { ...keys, jwks: { keys: [] } },
  'jwks has 21 keys': { ...keys, jwks: { keys: Array(21).fill({ kty: 'RSA' }) } },
  'jwks has no list of keys': { ...keys, jwks: {} },
  'jwks is a single key': { ...keys, jwks: rsa },
  'a key has no type': { ...keys, jwks: { keys: [{ n: 'AQAB' }] } },
  'a key is private': { ...keys, jwks: { keys: [rsa, { ...ec, d: 'AA' }] } },
  'a key has a prime of an RSA key': { ...keys, jwks: { keys: [{ ...rsa, p: 'AA' }] } },
  'a key is symmetric': { ...keys, jwks: { keys: [{ kty: 'oct', k: 'AA' }] } },
  'a key is symmetric and its value is missing': { ...keys, jwks: { keys: [{ kty: 'oct' }] } },
  'a key is private, even with the method none': { jwks: { keys: [{ ...ec, d: 'AA' }] } },
  'jwks_uri is http': { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://a.test/jwks' },
  'jwks_uri is http on this device': { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://localhost/jwks' },
  'jwks_uri is relative': { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: '/jwks' },
  'jwks_uri has user info': { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a@a.test/jwks' },
  'jwks_uri is longer than 2,000 characters': { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `https://a.test/${'x'.repeat(2_000)}` },
  'grant_types lacks authorization_code': { grant_types: ['refresh_token'] },
  'grant_types is empty': { grant_types: [] },
  'response_types lacks code': { response_types: ['code id_token', 'token'] },
  'response_types is empty': { response_types: [] },
  'there is a secret': { client_secret: 'secret' },
  'there is an empty secret': { client_secret: '' },
  'the secret is null': { client_secret: null },
  'the secret is false': { client_secret: false },
  'the secret never expires': { client_secret_expires_at: 0 },
  'the expiry of the secret is null': { client_secret_expires_at: null },
}
for (const [why, change] of Object.entries(invalid)) {
  test(`a document is invalid when ${why}`, () => assert.ok('invalid' in readClientMetadata(url, documentWith(change))))
}

const string_members = ['client_id', 'client_name', 'token_endpoint_auth_method', 'jwks_uri', 'scope']
const list_members = ['redirect_uris', 'token_endpoint_auth_methods_supported', 'grant_types', 'response_types']
const words = ['authorization_code', 'code', 'none', 'https://a.test/']
const other_types: [string[], unknown[]][] = [
  [string_members, [null, 1, true, [], {}, [url], { value: url }]],
  [list_members, [null, 1, true, 'none', '', {}, { 0: 'none' }, [...words, null], [...words, 1], [...words, ['none']]]],
  [
    ['jwks'],
    [
      null,
      1,
      true,
      '',
      '{"keys":[]}',
      [],
      [rsa],
      { keys: null },
      { keys: {} },
      { keys: [null] },
      { keys: ['RSA'] },
      { keys: [{ kty: 1 }] },
    ],
  ],
]
for (const [members, values] of other_types) {
  for (const member of members) {
    for (const value of values) {
      test(`a document is invalid when ${member} is ${JSON.stringify(value)}`, () => {
        assert.ok('invalid' in readClientMetadata(url, documentWith({ [member]: value })))
      })
    }
  }
}

const text = documentWith({})
// biome-ignore format: this table is read by line
const no_documents: Record<string, string> = {
  'nothing': '',
  'null': 'null',
  'a string': JSON.stringify(text),
  'a list': `[${text}]`,
  'a page': '<!doctype html>',
  'a document that breaks off': text.slice(0, -1),
  'a document and more': `${text}{}`,
  'a document with a byte order mark': `\ufeff${text}`,
  'a document with a comment': text.replace('{', '{/**/'),
  'a repeated client_id': text.replace('{', `{"client_id":${JSON.stringify(url)},`),
  'a name that is repeated after unescaping': text.replace('{', '{"\\u0063lient_id":"x",'),
  'a repeated name of an unknown member': text.replace('{', '{"x":1,"x":1,'),
  'a repeated name within a member': documentWith({ x: 0 }).replace('"x":0', '"x":{"y":[{"z":1,"z":1}]}'),
  'a repeated name within a key': documentWith(keys).replace('"kty"', '"kty":"oct","kty"'),
  'objects in objects without end': documentWith({ x: 0 }).replace('"x":0', `"x":${'['.repeat(2_000)}${']'.repeat(2_000)}`),
}
for (const [what, json] of Object.entries(no_documents)) {
  test(`${what} is invalid`, () => assert.ok('invalid' in readClientMetadata(url, json)))
}

test('a reason has no text of the document', () => {
  for (const change of Object.values(invalid)) {
    const read = readClientMetadata(url, documentWith({ ...change, canary_member: 'canary' }))
    assert.doesNotMatch('invalid' in read ? read.invalid : '', /canary|a\.test|client\.example|secret"/)
  }
})

// biome-ignore format: this table is read by line
const names: [why: string, given: unknown, shown: string][] = [
  ['of one character is kept', 'x', 'x'],
  ['of 100 characters is kept', 'x'.repeat(100), 'x'.repeat(100)],
  ['may be longer with characters that are removed', `${'x'.repeat(100)}\u202e\n`, 'x'.repeat(100)],
  ['loses control characters and ends of lines', '\0A\u0007B\r\n\tC\u0085\u2028\u2029\u007f', 'ABC'],
  ['loses characters that turn its direction', '\u202eA\u202aB\u2066\u2069C\u200e\u200f\u061c', 'ABC'],
  ['loses halves of characters', 'A\ud83d\0\ude00B', 'AB'],
  ['keeps letters of every script, spaces and joined characters', 'ostiary ‘Ü’ 日本 👩‍💻 नमस्ते', 'ostiary ‘Ü’ 日本 👩‍💻 नमस्ते'],
  ['keeps its markup, which pages escape', '<b>&amp;</b>', '<b>&amp;</b>'],
  ['that is missing is the host', without, 'client.example.com'],
]
for (const [why, client_name, shown] of names) {
  test(`a name ${why}`, () => assert.equal(clientOf({ client_name }).client_name, shown))
}

test('the host is in ASCII, has a port that is not 443, and is never shortened', () => {
  const host = `${'x'.repeat(60)}.${'y'.repeat(60)}.xn--bcher-kva.example:8443`
  const client_id = `https://${host}/x`
  const read = readClientMetadata(client_id, JSON.stringify({ ...least, client_id }))
  assert.deepEqual('client' in read && [read.client.host, read.client.client_name], [host, host])
})

// biome-ignore format: this table is read by line
const usable: [why: string, given: string[], used: string[]][] = [
  ['https and http of this device are used', ['https://a.test/cb', 'http://127.0.0.1/cb', 'http://[::1]:1/cb', 'http://localhost:33418'], ['https://a.test/cb', 'http://127.0.0.1/cb', 'http://[::1]:1/cb', 'http://localhost:33418']],
  ['a script beside a valid URI is skipped', ['javascript:alert(1)', 'https://a.test/cb', 'data:text/html,x', 'JAVASCRIPT:x'], ['https://a.test/cb']],
  ['a private-use scheme is skipped', ['com.example.app:/cb', 'cursor://anysphere.cursor-retrieval/oauth', 'https://a.test/cb'], ['https://a.test/cb']],
  ['http of other hosts is skipped', ['http://a.test/cb', 'http://127.0.0.2/cb', 'http://localhost.a.test/cb', 'http://127.1/cb', 'http://localhost@a.test/', 'https://a.test/cb'], ['https://a.test/cb']],
  ['other spellings are skipped', ['HTTPS://a.test/cb', 'https://a.test/cb#', 'https://*.a.test/cb', 'https://bücher.example/', 'https://a.test/%00', '', 'https://a.test/cb'], ['https://a.test/cb']],
  ['50 URIs are used', uris(50), uris(50)],
]
for (const [why, redirect_uris, used] of usable) {
  test(`of the redirect URIs, ${why}`, () => assert.deepEqual(clientOf({ redirect_uris }).redirect_uris, used))
}

const jwks_uri = 'https://client.example.com/jwks.json'
// biome-ignore format: this table is read by line
const methods: [why: string, given: Members, method: string, keys: unknown][] = [
  ['none is chosen where both members are missing', {}, 'none', null],
  ['none is chosen by name', { token_endpoint_auth_method: 'none' }, 'none', null],
  ['private_key_jwt with jwks is chosen by name', keys, 'private_key_jwt', keys.jwks],
  ['private_key_jwt with jwks_uri is chosen by name', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri }, 'private_key_jwt', jwks_uri],
  ['a named method comes before the list', { token_endpoint_auth_method: 'none', token_endpoint_auth_methods_supported: ['private_key_jwt'] }, 'none', null],
  ['the first known one of the list is chosen without a name', { token_endpoint_auth_methods_supported: ['client_secret_basic', 'none', 'private_key_jwt'] }, 'none', null],
  ['the first known one of the list is chosen beside a name that is unknown', { token_endpoint_auth_method: 'client_secret_post', token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'], jwks_uri }, 'private_key_jwt', jwks_uri],
  ['keys beside none are not used', { token_endpoint_auth_method: 'none', jwks_uri, jwks: { keys: [rsa] } }, 'none', null],
]
for (const [why, given, method, chosen] of methods) {
  test(`of the methods, ${why}`, () => {
    const client = clientOf(given)
    assert.deepEqual([client.token_endpoint_auth_method, client.jwks ?? client.jwks_uri], [method, chosen])
  })
}

test('refresh_token is allowed unless grant_types is there without it', () => {
  const allows = (grant_types: unknown) => clientOf({ grant_types }).allows_refresh
  const both = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']
  assert.deepEqual([allows(without), allows(both), allows(['authorization_code'])], [true, true, false])
})

test('the scope of the document is its words, however many spaces are between them', () => {
  const scopeOf = (scope: unknown) => clientOf({ scope }).scope
  assert.deepEqual(scopeOf(' files:read  files:write files:read '), ['files:read', 'files:write'])
  assert.deepEqual(scopeOf('a "b" c\td é'), ['a'])
  assert.deepEqual(scopeOf(''), [])
  assert.equal(scopeOf(without), null)
})

test('members that are not in the table are ignored, whatever they are', () => {
  const more = {
    logo_uri: 7,
    client_uri: null,
    post_logout_redirect_uris: 'x',
    application_type: 'web',
    contacts: {},
    backchannel_logout_uri: [],
  }
  assert.deepEqual(clientOf(more), clientOf())
  const read = readClientMetadata(url, text.replace('{', '{"__proto__":{"scope":"x"},"constructor":null,'))
  assert.deepEqual('client' in read && read.client, clientOf())
})

// The documents have the members of those that well-known programs publish.
// biome-ignore format: this table is read by line
const published: Record<string, { members: Members; sent: string[]; refused: string[] }> = {
  'a program of the command line, which names localhost without a port': {
    members: { client_name: 'A command line', redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
    sent: ['http://localhost/callback', 'http://localhost:51234/callback', 'http://127.0.0.1:3118/callback'],
    refused: ['http://localhost:51234/', 'http://localhost:51234/callback/', 'https://localhost:51234/callback', 'http://[::1]:51234/callback'],
  },
  'an editor, which names an origin with a slash and a page of its own': {
    members: { client_name: 'An editor', client_uri: 'https://editor.example.com', logo_uri: 'https://editor.example.com/logo.png', redirect_uris: ['http://127.0.0.1:33418/', 'https://editor.example.com/redirect'], grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'], response_types: ['code'], token_endpoint_auth_method: 'none', application_type: 'native' },
    sent: ['http://127.0.0.1:33418/', 'http://127.0.0.1:54321/', 'http://127.0.0.1/', 'https://editor.example.com/redirect'],
    refused: ['http://127.0.0.1:33418', 'http://127.0.0.1', 'http://localhost:33418/', 'https://editor.example.com:8443/redirect'],
  },
  'an assistant on the web, which has keys beside none': {
    members: { client_name: 'An assistant', redirect_uris: ['https://assistant.example.com/connector/oauth/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'], token_endpoint_auth_signing_alg: 'RS256', jwks_uri },
    sent: ['https://assistant.example.com/connector/oauth/callback'],
    refused: ['https://assistant.example.com/connector/oauth/callback/', 'https://assistant.example.com/connector/oauth/callback?x', 'https://assistant.example.com:443/connector/oauth/callback'],
  },
  'an agent, whose scope begins with a space': {
    members: { client_name: 'An agent', redirect_uris: ['http://localhost:1455/auth/callback', 'http://127.0.0.1:1455/auth/callback'], scope: ' openid profile offline_access', token_endpoint_auth_method: 'none' },
    sent: ['http://localhost:1455/auth/callback', 'http://localhost:1457/auth/callback', 'http://127.0.0.1/auth/callback'],
    refused: ['http://localhost:01455/auth/callback', 'http://localhost:/auth/callback', 'http://localhost:65536/auth/callback', 'http://localhost:0/auth/callback', 'http://localhost:123456/auth/callback'],
  },
  'a program with a scheme of its own beside others': {
    members: { redirect_uris: ['vscode://vendor.extension/callback', 'com.example.copilot:/callback', 'http://localhost', 'https://program.example.com/callback'] },
    sent: ['http://localhost:8080', 'http://localhost', 'https://program.example.com/callback'],
    refused: ['vscode://vendor.extension/callback', 'com.example.copilot:/callback', 'http://localhost/', 'http://localhost:8080/'],
  },
}
for (const [what, { members, sent, refused }] of Object.entries(published)) {
  test(`the document of ${what} is read, and its redirect URIs are compared`, () => {
    const { redirect_uris } = clientOf(members)
    assert.deepEqual(
      sent.filter((uri) => !matchesPublished(redirect_uris, uri)),
      [],
    )
    assert.deepEqual(
      refused.filter((uri) => matchesPublished(redirect_uris, uri)),
      [],
    )
  })
}
