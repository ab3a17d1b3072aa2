import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClaimTaken } from '@ostiary/contract/jwt-claims.ts'
import {
  accessTokenClaims,
  acrOf,
  atHash,
  dataClaims,
  dataOf,
  idTokenClaims,
  longest_jwt,
  organizationClaims,
  roleClaims,
  userClaims,
} from './claims.ts'

const issuer = 'https://id.example.com/e/env_1'
const now = new Date('2026-11-20T16:31:00.900Z')
const iat = Date.parse('2026-11-20T16:31:00Z') / 1_000

const person = {
  sub: 'usr_1',
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
  sub: 'usr_1',
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

// biome-ignore format: this table is read by line
const data_cases: [rule: string, user: object, organization: object | null, reserved: (string | null)[], data: object][] = [
  ['a grant without an organization has the data of the user', { plan: 'free' }, null, [], { plan: 'free' }],
  ['a grant with an organization has the data of both', { plan: 'free', age: 7 }, { seats: 5 }, [], { plan: 'free', age: 7, seats: 5 }],
  ['where both have a name, the organization wins', { plan: 'free' }, { plan: 'team' }, [], { plan: 'team' }],
  ['an object of the organization counts as a whole', { limits: { a: 1, b: 2 } }, { limits: { a: 3 } }, [], { limits: { a: 3 } }],
  ['a value of null is a value', { plan: 'free' }, { plan: null }, [], { plan: null }],
  ['no data stands under the name of a claim of roles', { team_roles: ['admin'], plan: 1 }, { team_roles: ['boss'] }, [null, 'team_roles'], { plan: 1 }],
  ['no data stands under a name that a standard has by now', { email: 'x@example.com', plan: 1 }, { roles: ['boss'] }, [], { plan: 1 }],
  ['no data stands under a name of the service', { grant_id: 'x', plan: 1 }, { org_role: 'boss' }, [], { plan: 1 }],
]
for (const [rule, user, organization, reserved, data] of data_cases)
  test(rule, () =>
    assert.deepEqual(dataClaims({ user_claims: { ...user }, organization_claims: organization && { ...organization } }, reserved), data),
  )

test('the present data has every name, also one that no token carries', () =>
  assert.deepEqual(dataOf({ user_claims: { email: 1, plan: 1 }, organization_claims: { plan: 2 } }), { email: 1, plan: 2 }))

test('data replaces no claim of the protocol, of the user or of roles', () => {
  const claims = userClaims(person, 'openid profile email phone', no_stand_in)
  const roles = roleClaims('team_roles', () => ['reader'])
  const of_grant = { ...grant, organization_id: 'org_1' }
  const parts = { nonce: 'n', access_token: 'a', ttl_seconds: 600, roles }
  const at = { jti: 'j', scope: 'openid', resource: ['https://api.example.com'], ttl_seconds: 60, roles }
  const of_organization = organizationClaims({ organization_id: 'org_1', organization_slug: 'acme', organization_name: 'Acme' })
  const id_token = idTokenClaims(issuer, of_grant, { ...parts, claims: { ...claims, ...of_organization } }, now)
  const access_token = accessTokenClaims(issuer, of_grant, at, now)
  const data = Object.fromEntries([...Object.keys(id_token), ...Object.keys(access_token)].map((name) => [name, 'taken']))
  assert.deepEqual(idTokenClaims(issuer, of_grant, { ...parts, claims: { ...claims, ...of_organization }, data }, now), {
    ...data,
    ...id_token,
  })
  assert.deepEqual(accessTokenClaims(issuer, of_grant, { ...at, data }, now), { ...data, ...access_token })
  for (const name of Object.keys(data)) assert.equal(isClaimTaken(name), name !== 'team_roles', name)
})

/** The longest values of a person, a grant and a request, of which each token of the service has a part. */
const longest = (() => {
  const data = (letter: string) => ({ [`${letter.repeat(100)}`]: 'x'.repeat(1_024 - 100 - 7) })
  const roles = roleClaims('r'.repeat(60), () => Array.from({ length: 25 }, (_, i) => `${i}`.padStart(63, 'r')))
  const organization = { organization_id: `org_${'x'.repeat(26)}`, organization_slug: 'o'.repeat(63), organization_name: '名'.repeat(100) }
  const names = ['name', 'given_name', 'family_name', 'nickname', 'preferred_username'].map((name) => [name, '名'.repeat(200)])
  const id = (prefix: string) => `${prefix}_${'x'.repeat(26)}`
  const sub = '"'.repeat(255) // two characters each in JSON
  return {
    data: dataClaims({ user_claims: data('u'), organization_claims: data('o') }, []),
    roles,
    organization,
    issuer: `https://${'i'.repeat(253)}`,
    person: {
      ...person,
      sub,
      ...Object.fromEntries(names),
      email: `${'e'.repeat(242)}@example.com`,
      picture: `https://cdn.example.com/${'名'.repeat(1_976)}`,
      locale: 'l'.repeat(35),
      zoneinfo: 'z'.repeat(64),
    },
    grant: {
      ...grant,
      grant_id: id('grt'),
      client_id: id('app'),
      sub,
      session_id: id('ses'),
      amr: ['pwd', 'otp', 'hwk', 'user', 'mfa'],
      acr: 'urn:ostiary:passkey',
      organization_id: id('org'),
    },
  }
})()
const lengthOf = (claims: object) =>
  [{ alg: 'RS256', typ: 'at+jwt', kid: 'k'.repeat(43) }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.').length +
  1 +
  Math.ceil((256 * 4) / 3)

test('the longest ID token is read as a hint: with the longest profile in letters of three bytes, 25 roles, an organization, all data and the longest sub', () => {
  const claims = { ...userClaims(longest.person, 'openid profile email phone', no_stand_in), ...organizationClaims(longest.organization) }
  const token = { claims, nonce: 'n'.repeat(1_024), access_token: 'a', ttl_seconds: 600, roles: longest.roles, data: longest.data }
  const length = lengthOf(idTokenClaims(longest.issuer, longest.grant, token, now))
  assert.ok(length > 20_000 && length <= longest_jwt, `${length}`)
})

test('20 roles and all data make an access token at most 5,000 characters longer, and the longest leaves room for other headers', () => {
  const identifier = (i: number) => `https://${i}.example.com/`.padEnd(250, 'x')
  const resource = Array.from({ length: 20 }, (_, i) => identifier(i))
  const token = { jti: 'j'.repeat(22), scope: 's'.repeat(1_500), resource, ttl_seconds: 60 }
  assert.equal(resource.join('').length + token.scope.length, 6_500)
  const at = (parts: object) => lengthOf(accessTokenClaims(longest.issuer, longest.grant, { ...token, ...parts }, now))
  const [name, slugs] = Object.entries(longest.roles)[0] ?? ['', []]
  const [bare, given] = [at({}), at({ roles: { [name]: slugs.slice(0, 20) }, data: longest.data })]
  const all = { ...token, roles: longest.roles, data: longest.data } // with five more, which every member has
  const wholeOf = (sub: string) => lengthOf(accessTokenClaims(longest.issuer, { ...longest.grant, sub }, all, now))
  const whole = wholeOf('x'.repeat(255))
  assert.ok(given - bare > 4_400 && given - bare <= 5_000, `${given - bare}`)
  assert.ok(whole > 15_000 && whole <= 15_800, `${whole}`)
  assert.ok(wholeOf(longest.grant.sub) <= 16_384, 'the client library takes no longer token')
})

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
