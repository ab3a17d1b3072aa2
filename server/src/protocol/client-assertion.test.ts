import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAssertionClaims, checkAssertionHeader } from './client-assertion.ts'

const expected = { client_id: 'app_1', issuer: 'https://id.test/e/env_1', token_endpoint: 'https://id.test/e/env_1/v1/oauth/token' }
const now = new Date('2026-11-20T16:31:00Z')
const at = (seconds: number) => now.getTime() / 1000 + seconds
const claims = { iss: 'app_1', sub: 'app_1', aud: expected.issuer, exp: at(60), iat: at(0), jti: 'j' }
const check = (change: Record<string, unknown>) => checkAssertionClaims({ ...claims, ...change }, expected, now)

// biome-ignore format: this table is read by line
const accepted: { rule: string; claims: Record<string, unknown> }[] = [
  { rule: 'the issuer is the audience', claims: {} },
  { rule: 'the token endpoint is the audience', claims: { aud: expected.token_endpoint } },
  { rule: 'the audience is an array of the issuer', claims: { aud: [expected.issuer] } },
  { rule: 'the audience is an array of both', claims: { aud: [expected.issuer, expected.token_endpoint] } },
  { rule: 'it has no iat', claims: { iat: undefined } },
  { rule: 'the clock of the client is half a minute fast', claims: { iat: at(30), nbf: at(30), exp: at(90) } },
  { rule: 'it expired less than half a minute ago', claims: { exp: at(-29) } },
  { rule: 'its lifetime is an hour', claims: { exp: at(3_600) } },
  { rule: 'its times have fractions', claims: { exp: at(60.5), iat: at(-0.5) } },
  { rule: 'it has other claims', claims: { nonce: 'n', client_id: 'app_2' } },
]
for (const { rule, claims } of accepted) test(`an assertion is accepted when ${rule}`, () => assert.equal(check(claims).jti, 'j'))

// biome-ignore format: this table is read by line
const refused: { why: string; claims: Record<string, unknown> }[] = [
  { why: 'iss is another client', claims: { iss: 'app_2' } },
  { why: 'sub is another client', claims: { sub: 'app_2' } },
  { why: 'iss is missing', claims: { iss: undefined } },
  { why: 'sub is missing', claims: { sub: undefined } },
  { why: 'sub is an array', claims: { sub: ['app_1'] } },
  { why: 'aud is missing', claims: { aud: undefined } },
  { why: 'aud is empty', claims: { aud: '' } },
  { why: 'aud is an empty array', claims: { aud: [] } },
  { why: 'aud is another issuer', claims: { aud: 'https://id.test/e/env_2' } },
  { why: 'aud is the issuer with a slash', claims: { aud: `${expected.issuer}/` } },
  { why: 'aud has the issuer as prefix', claims: { aud: 'https://id.test/e/env_10' } },
  { why: 'aud is the base URL', claims: { aud: 'https://id.test' } },
  { why: 'aud is the revocation endpoint', claims: { aud: `${expected.issuer}/v1/oauth/revoke` } },
  { why: 'aud also names another server', claims: { aud: [expected.issuer, 'https://evil.test'] } },
  { why: 'aud is an array in an array', claims: { aud: [[expected.issuer]] } },
  { why: 'exp is missing', claims: { exp: undefined } },
  { why: 'exp is text', claims: { exp: String(at(60)) } },
  { why: 'exp is null', claims: { exp: null } },
  { why: 'exp is infinite', claims: { exp: Number.POSITIVE_INFINITY } },
  { why: 'it expired half a minute ago', claims: { exp: at(-30) } },
  { why: 'its lifetime is more than an hour', claims: { exp: at(3_631) } },
  { why: 'exp is in milliseconds', claims: { exp: at(60) * 1000 } },
  { why: 'iat is in the future', claims: { iat: at(31) } },
  { why: 'iat is text', claims: { iat: 'now' } },
  { why: 'nbf is in the future', claims: { nbf: at(31) } },
  { why: 'jti is missing', claims: { jti: undefined } },
  { why: 'jti is empty', claims: { jti: '' } },
  { why: 'jti is a number', claims: { jti: 1 } },
]
for (const { why, claims } of refused) {
  test(`an assertion is refused when ${why}`, () => assert.throws(() => check(claims), { name: 'OAuthError', code: 'invalid_client' }))
}

test('the id of an assertion is stored for as long as the assertion is valid', () => {
  const { expires_at } = check({ exp: at(60) })
  const replay = (when: Date) => () => checkAssertionClaims({ ...claims, exp: at(60) }, expected, when)
  assert.doesNotThrow(replay(new Date(expires_at.getTime() - 1)))
  assert.throws(replay(expires_at))
})

test('an assertion has an asymmetric algorithm, the type of client authentication and no critical extension', () => {
  for (const alg of ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']) checkAssertionHeader({ alg })
  for (const typ of ['JWT', 'jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])
    checkAssertionHeader({ alg: 'RS256', typ })
  // biome-ignore format: one header a line
  const headers = [
    {}, { alg: 'none' }, { alg: 'NONE' }, { alg: 'HS256' }, { alg: 'HS512' }, { alg: 'rs256' }, { alg: 'RS1' }, { alg: ['RS256'] }, { alg: 'dir' },
    { alg: 'RS256', typ: 'dpop+jwt' }, { alg: 'RS256', typ: 'at+jwt' }, { alg: 'RS256', typ: 'logout+jwt' }, { alg: 'RS256', typ: 1 }, { alg: 'RS256', typ: '' },
    { alg: 'RS256', crit: [] }, { alg: 'RS256', crit: ['b64'] }, { alg: 'RS256', crit: ['exp'] },
  ]
  for (const header of headers) assert.throws(() => checkAssertionHeader(header), { code: 'invalid_client' }, JSON.stringify(header))
})
