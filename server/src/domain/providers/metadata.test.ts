import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forSignIn, need, optional, readMetadata } from './metadata.ts'
import { UpstreamFailed } from './profile.ts'

const issuer = 'https://sso.example.com'
const right = {
  issuer,
  authorization_endpoint: `${issuer}/authorize?tenant=a`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
  end_session_endpoint: `${issuer}/end`,
  id_token_signing_alg_values_supported: ['RS256'],
  authorization_response_iss_parameter_supported: true,
}
const is_unusable = (error: unknown) => error instanceof UpstreamFailed && error.failure.cause === 'metadata'

test('right metadata is read as it is, and nothing more of it', () => {
  const { end_session_endpoint, ...for_sign_in } = right
  const read = readMetadata(issuer, { ...right, mtls_endpoint_aliases: { token_endpoint: 1 }, userinfo_signing_alg_values_supported: 5 })
  assert.deepEqual(forSignIn(read), for_sign_in)
  assert.equal(optional(read, 'end_session_endpoint'), end_session_endpoint)
})

const bad_addresses: unknown[] = [
  ...[0, 42, true, false, [], ['https://sso.example.com/a'], {}, { href: 'https://sso.example.com/a' }, ''],
  ...[
    'authorize',
    '/authorize',
    '//sso.example.com/a',
    'https:',
    'https://',
    'https:///a',
    'https:sso.example.com/a',
    'https:/\\sso.example.com/a',
  ],
  ...[
    'https://?a',
    'https://#a',
    'https://:443/a',
    'https://sso.example.com:99999/a',
    'https://[::1/a',
    'https://a b/c',
    'https://sso.example.com/a b',
  ],
  ...[' https://sso.example.com/a', 'https://sso.example.com/\na', 'https://sso.example.com/\u0000', 'https://grüße.example/a'],
  ...['http://sso.example.com/a', 'http://localhost/a', 'http://127.0.0.1:8000/a', 'http://[::1]/a'],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://sso.example.com/a',
    'com.example.app:/a',
    'blob:https://sso.example.com/a',
  ],
  ...[
    'https://user@sso.example.com/a',
    'https://user:secret@sso.example.com/a',
    'https://:secret@sso.example.com/a',
    'https://sso.example.com/a#part',
  ],
  ...[`https://sso.example.com/${'a'.repeat(2_000)}`, `https://${'a'.repeat(200_000)}`],
]
for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'end_session_endpoint'] as const) {
  test(`${name} is an absolute https URL with a host, or the metadata is unusable where it is needed`, () => {
    for (const value of bad_addresses) {
      const about = JSON.stringify(value).slice(0, 80)
      const read = readMetadata(issuer, { ...right, [name]: value })
      assert.throws(() => need(read, name), is_unusable, about)
      assert.throws(() => optional(read, name), is_unusable, about)
      if (name === 'end_session_endpoint') assert.ok(forSignIn(read), about)
      else assert.throws(() => forSignIn(read), is_unusable, about)
    }
    for (const value of [undefined, null]) {
      const read = readMetadata(issuer, { ...right, [name]: value })
      assert.throws(() => need(read, name), is_unusable)
      assert.equal(optional(read, name), undefined)
      if (name === 'userinfo_endpoint' || name === 'end_session_endpoint') assert.ok(forSignIn(read))
      else assert.throws(() => forSignIn(read), is_unusable)
    }
  })
}

test('no detail has text of the provider', () => {
  const read = readMetadata(issuer, { ...right, token_endpoint: 'secret text' })
  assert.throws(
    () => forSignIn(read),
    (error: Error) => is_unusable(error) && !error.message.includes('secret text'),
  )
})

test('plain http is for a provider on this machine, to this machine', () => {
  const local = 'http://127.0.0.1:9000'
  const at = (token_endpoint: string) => need(readMetadata(local, { ...right, token_endpoint }), 'token_endpoint')
  for (const url of [`${local}/token`, 'http://localhost:9000/token', 'http://[::1]/token', 'https://sso.example.com/token'])
    assert.equal(at(url), url)
  for (const url of ['http://sso.example.com/token', 'http://10.0.0.1/token', 'http://localhost.example.com/token'])
    assert.throws(() => at(url), is_unusable, url)
})

const others: [name: string, bad: unknown[]][] = [
  ['id_token_signing_alg_values_supported', ['RS256', 5, {}, [5], [null], Array(51).fill('RS256')]],
  ['authorization_response_iss_parameter_supported', ['true', 1, [], {}]],
]
for (const [name, bad] of others)
  test(`${name} of another type is unusable metadata`, () => {
    for (const value of bad)
      assert.throws(() => forSignIn(readMetadata(issuer, { ...right, [name]: value })), is_unusable, JSON.stringify(value))
    for (const value of [undefined, null]) assert.ok(!(name in forSignIn(readMetadata(issuer, { ...right, [name]: value }))))
  })
