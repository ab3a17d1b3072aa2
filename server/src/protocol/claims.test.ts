import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessTokenClaims, acrOf, atHash, idTokenClaims, userClaims } from './claims.ts'

const issuer = 'https://id.example.com/e/env_1'
const now = new Date('2026-11-20T16:31:00.900Z')
const iat = Date.parse('2026-11-20T16:31:00Z') / 1_000

const person = {
  user_id: 'usr_1',
  email: 'anna@example.com',
  email_verified: false,
  phone_number: '+4930123456',
  phone_number_verified: true,
  name: 'Anna Ü',
  given_name: 'Anna',
  family_name: null,
  nickname: '',
  preferred_username: null,
  picture: null,
  locale: 'de',
  zoneinfo: null,
  updated_at: '2026-11-20T16:31:00.900Z',
}
const no_stand_in = { preferred_username: 'none', name: 'none' } as const
const grant = {
  grant_id: 'grt_1',
  client_id: 'app_1',
  user_id: 'usr_1',
  session_id: 'ses_1',
  auth_time: new Date('2026-11-20T16:00:00.500Z'),
  amr: ['pwd'],
  acr: 'urn:ostiary:1fa',
  organization_id: null,
}
const auth_time = Date.parse('2026-11-20T16:00:00Z') / 1_000

const scopes: { scope: string; person?: object; claims: object }[] = [
  { scope: 'openid', claims: {} },
  { scope: 'openid offline_access', claims: {} },
  { scope: 'openid profile', claims: { name: 'Anna Ü', given_name: 'Anna', locale: 'de', updated_at: iat } },
  { scope: 'openid email', claims: { email: 'anna@example.com', email_verified: false } },
  { scope: 'openid phone', claims: { phone_number: '+4930123456', phone_number_verified: true } },
  { scope: 'openid phone', person: { phone_number: null }, claims: {} },
  { scope: 'openid emails xprofile Phone', claims: {} },
]
for (const { scope, person: change, claims } of scopes) {
  test(`the scope "${scope}" gives ${JSON.stringify(claims)}`, () =>
    assert.deepEqual(userClaims({ ...person, ...change }, scope, no_stand_in), { sub: 'usr_1', ...claims }))
}

const proved = { email_verified: true, name: null }
const both = { preferred_username: 'email', name: 'email' } as const
const address = person.email
// biome-ignore format: this table is read by column
const stand_ins: [what: string, person: object, settings: object, name: string | undefined, preferred_username: string | undefined][] = [
  ['a proved address stands for both',              proved,                                            {},                             address, address],
  ['an address that nobody proved stands for none', { ...proved, email_verified: false },              {},                             undefined, undefined],
  ['what a backend set wins',                       { ...proved, name: 'A', preferred_username: 'a' }, {},                             'A', 'a'],
  ['an empty text counts as none',                      { ...proved, name: '', preferred_username: '' },   {},                             address, address],
  ['a person without an address has none',          { ...proved, email: null },                        {},                             undefined, undefined],
  ['the settings ask for the user name alone',      proved,                                            { name: 'none' },               undefined, address],
  ['the settings ask for the name alone',           proved,                                            { preferred_username: 'none' }, address, undefined],
  ['the settings ask for none',                     proved,                                            no_stand_in,                    undefined, undefined],
]
for (const [what, change, settings, name, preferred_username] of stand_ins)
  test(`claims of a person without a name: ${what}`, () => {
    const claims = userClaims({ ...person, ...change }, 'openid profile', { ...both, ...settings })
    assert.deepEqual([claims.name, claims.preferred_username, claims.email], [name, preferred_username, undefined])
    const without = userClaims({ ...person, ...change }, 'openid email', { ...both, ...settings })
    assert.deepEqual([without.name, without.preferred_username], [undefined, undefined])
  })

test('other columns of the user are not claims', () => {
  const row = { ...person, password_hash: 'x', metadata: { a: 1 }, blocked_at: null }
  assert.equal(JSON.stringify(userClaims(row, 'openid profile email phone', no_stand_in)).includes('password'), false)
})

/** The access token and at_hash of the example in OIDC Core appendix A.3. */
test('at_hash is the left half of the SHA-256 digest', () => {
  assert.equal(atHash('jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y'), '77QmUPtjPfzWtF2AnpK9RQ')
})

test('an ID token has no amr where no method of the sign-in is known', () => {
  const token = { claims: null, nonce: null, access_token: 'a', ttl_seconds: 600 }
  assert.equal('amr' in idTokenClaims(issuer, { ...grant, amr: [] }, token, now), false)
  assert.deepEqual(idTokenClaims(issuer, { ...grant, amr: ['otp', 'mfa'] }, token, now).amr, ['otp', 'mfa'])
})

test('an ID token has the facts of the sign-in and the claims of the user', () => {
  const claims = userClaims(person, 'openid email', no_stand_in)
  assert.deepEqual(idTokenClaims(issuer, grant, { claims, nonce: 'n', access_token: 'a', ttl_seconds: 600 }, now), {
    iss: issuer,
    sub: 'usr_1',
    aud: 'app_1',
    exp: iat + 600,
    iat,
    auth_time,
    nonce: 'n',
    acr: 'urn:ostiary:1fa',
    amr: ['pwd'],
    sid: 'ses_1',
    at_hash: atHash('a'),
    email: 'anna@example.com',
    email_verified: false,
  })
})

test('a minimal ID token after a refresh has no claims of the user, no nonce, and the auth_time of the sign-in', () => {
  const token = idTokenClaims(issuer, grant, { claims: null, nonce: null, access_token: 'a', ttl_seconds: 600 }, now)
  assert.deepEqual(Object.keys(token).sort(), ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'])
  assert.equal(token.auth_time, auth_time)
})

test('claims of a user do not replace those of the protocol', () => {
  const claims = { sub: 'usr_2', aud: 'app_2', iss: 'x', exp: 1 }
  const token = idTokenClaims(issuer, grant, { claims, nonce: null, access_token: 'a', ttl_seconds: 600 }, now)
  assert.deepEqual([token.sub, token.aud, token.iss, token.exp], ['usr_1', 'app_1', issuer, iat + 600])
})

const audiences: { resource: string[]; aud: string | string[] }[] = [
  { resource: [], aud: issuer },
  { resource: ['https://api.example.com'], aud: ['https://api.example.com', issuer] },
  { resource: ['https://a.test', 'https://b.test'], aud: ['https://a.test', 'https://b.test', issuer] },
]
for (const { resource, aud } of audiences) {
  test(`an access token for ${resource.length} resource servers has the audience ${JSON.stringify(aud)}`, () => {
    assert.deepEqual(accessTokenClaims(issuer, grant, { jti: 'j', scope: 'openid', resource, ttl_seconds: 60 }, now), {
      iss: issuer,
      sub: 'usr_1',
      aud,
      client_id: 'app_1',
      scope: 'openid',
      exp: iat + 60,
      iat,
      jti: 'j',
      auth_time,
      acr: 'urn:ostiary:1fa',
      sid: 'ses_1',
      grant_id: 'grt_1',
    })
  })
}

const levels: [string[], string][] = [
  [['pwd'], 'urn:ostiary:1fa'],
  [['otp'], 'urn:ostiary:1fa'],
  [['pwd', 'otp', 'mfa'], 'urn:ostiary:2fa'],
  [['otp', 'mfa'], 'urn:ostiary:2fa'],
  [['otp', 'hwk', 'user', 'mfa'], 'urn:ostiary:2fa'],
  [['pwd', 'hwk', 'user', 'mfa'], 'urn:ostiary:2fa'],
  [['hwk', 'user'], 'urn:ostiary:passkey'],
  [['swk', 'user'], 'urn:ostiary:passkey'],
  [['hwk'], 'urn:ostiary:1fa'],
  [['user'], 'urn:ostiary:1fa'],
  [[], 'urn:ostiary:1fa'],
]
for (const [amr, acr] of levels) test(`a sign-in by ${amr.join(', ') || 'a provider'} is ${acr}`, () => assert.equal(acrOf(amr), acr))
