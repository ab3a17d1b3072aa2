/** Access tokens: what `verifyAccessToken` accepts, and the attacks that it refuses (RFC 9068 §4, RFC 8725). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeySet, TokenError, type VerifyOptions, verifyAccessToken } from '@ostiary/sdk/verify'
import { createPerson } from '../../server/test/support/cookie-browser.ts'
import { forgeriesOf } from '../../server/test/support/forgeries.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { audience, claimsOf, encode, makeKey, now, startIssuer } from './support/issuer.ts'

const w = await world()
const identifier = 'https://orders.example.com'
const resource_server = { name: 'Orders', identifier, scopes: [{ name: 'orders:read', description: 'Read orders' }] }
expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: resource_server }))
const application = await w.createApplication(w.test, { allowed_scopes: ['openid', 'email', 'orders:read'] })
const person = await createPerson(w, w.test)
const { access_token, id_token } = await person.tokens(application, { scope: 'openid email orders:read', resource: identifier })

const reaching: typeof fetch = (input, init) => fetch(w.reach(String(input)), init)
const optionsFor = ({ issuer }: { issuer: string }): VerifyOptions => ({
  keys: createKeySet({ issuer, fetch: reaching, now: w.now, cooldown_seconds: 0 }),
  issuer,
  audience: identifier,
  now: w.now,
})
const options = optionsFor(w.test)

const codeOf = (verifying: Promise<unknown>) =>
  verifying.then(
    () => 'accepted',
    (error: unknown) => (error instanceof TokenError ? error.code : error),
  )

test('an access token of the service is accepted, and its claims are returned', async () => {
  const claims = await verifyAccessToken(access_token, { ...options, required_scopes: ['orders:read'] })
  assert.equal(claims.sub, person.id)
  assert.equal(claims.client_id, application.id)
  assert.deepEqual([claims.aud].flat(), [identifier, w.test.issuer])
})

test('a forged or changed token is refused', async (t) => {
  for (const [what, token] of Object.entries(await forgeriesOf(w, w.test, access_token)))
    await t.test(what, async () => assert.match(String(await codeOf(verifyAccessToken(token, options))), /^(?!accepted)[a-z_]+$/))
  assert.equal(await codeOf(verifyAccessToken(access_token, options)), 'accepted')
})

// biome-ignore format: this table is read by column
const refusals: [string, () => Promise<unknown>, string][] = [
  ['an ID token',                       () => verifyAccessToken(id_token, { ...options, audience: application.id }),      'wrong_type'],
  ['a token for another audience',      () => verifyAccessToken(access_token, { ...options, audience: 'https://other.example' }), 'wrong_audience'],
  ['an audience that is a prefix',      () => verifyAccessToken(access_token, { ...options, audience: identifier.slice(0, -1) }), 'wrong_audience'],
  ['a token of another environment, with its keys', () => verifyAccessToken(access_token, optionsFor(w.live)),          'unknown_key'],
  ['another issuer, with these keys',   () => verifyAccessToken(access_token, { ...options, issuer: w.live.issuer }),     'wrong_issuer'],
  ['an issuer with a slash more',       () => verifyAccessToken(access_token, { ...options, issuer: `${w.test.issuer}/` }), 'wrong_issuer'],
  ['an algorithm that is not accepted', () => verifyAccessToken(access_token, { ...options, algorithms: ['ES256'] }),     'wrong_algorithm'],
  ['no accepted algorithm',             () => verifyAccessToken(access_token, { ...options, algorithms: [] }),            'wrong_algorithm'],
  ['a scope that is missing',           () => verifyAccessToken(access_token, { ...options, required_scopes: ['orders:read', 'orders:write'] }), 'insufficient_scope'],
  ['a scope that is part of another',   () => verifyAccessToken(access_token, { ...options, required_scopes: ['orders'] }), 'insufficient_scope'],
  ['an empty text',                     () => verifyAccessToken('', options),                                             'malformed'],
  ['a platform key',                    () => verifyAccessToken(w.key, options),                                          'malformed'],
  ['a megabyte',                        () => verifyAccessToken('a'.repeat(1_000_000), options),                          'malformed'],
]
for (const [what, verifying, code] of refusals) test(`${what} is ${code}`, async () => assert.equal(await codeOf(verifying()), code))

test('a verifier without an issuer or an audience is refused, since it would accept every token', async () => {
  for (const change of [
    { issuer: '' },
    { audience: '' },
    { audience: undefined },
    { clock_tolerance_seconds: 301 },
    { clock_tolerance_seconds: Number.NaN },
  ])
    await assert.rejects(() => verifyAccessToken(access_token, { ...options, ...change } as VerifyOptions), TypeError) // as: callers without types
})

const key = await makeKey('key-1')
const { issuer } = await startIssuer([key])
const own: VerifyOptions = { keys: createKeySet({ issuer, now: () => now }), issuer, audience, now: () => now, clock_tolerance_seconds: 0 }
const at = now.getTime() / 1000

// biome-ignore format: this table is read by column
const claim_cases: [string, object, object, string][] = [
  ['all claims of RFC 9068',            {},                             {},                                   'accepted'],
  ['an audience as a text',             {},                             { aud: audience },                    'accepted'],
  ['the type application/at+jwt',       { typ: 'application/at+jwt' },  {},                                   'accepted'],
  ['the type AT+JWT',                   { typ: 'AT+JWT' },              {},                                   'accepted'],
  ['the type JWT',                      { typ: 'JWT' },                 {},                                   'wrong_type'],
  ['the type at+jwt2',                  { typ: 'at+jwt2' },             {},                                   'wrong_type'],
  ['no type',                           { typ: undefined },             {},                                   'wrong_type'],
  ['a type that is a list',             { typ: ['at+jwt'] },            {},                                   'wrong_type'],
  ['no kid',                            { kid: undefined },             {},                                   'unknown_key'],
  ['an empty kid',                      { kid: '' },                    {},                                   'unknown_key'],
  ['a critical extension',              { crit: ['exp'] },              {},                                   'malformed'],
  ['an empty list of extensions',       { crit: [] },                   {},                                   'malformed'],
  ['an end in this very second',        {},                             { exp: at },                          'expired'],
  ['an end in the next second',         {},                             { exp: at + 1 },                      'accepted'],
  ['no end',                            {},                             { exp: undefined },                   'malformed'],
  ['an end that is a text',             {},                             { exp: `${at + 600}` },               'malformed'],
  ['an end that is null',               {},                             { exp: null },                        'malformed'],
  ['a beginning in the next second',    {},                             { nbf: at + 1 },                      'not_yet_valid'],
  ['a beginning in this second',        {},                             { nbf: at },                          'accepted'],
  ['a beginning that is a text',        {},                             { nbf: '0' },                         'malformed'],
  ['an issue time in the future',       {},                             { iat: at + 1 },                      'not_yet_valid'],
  ['no issue time',                     {},                             { iat: undefined },                   'malformed'],
  ['no subject',                        {},                             { sub: undefined },                   'malformed'],
  ['a subject that is a number',        {},                             { sub: 7 },                           'malformed'],
  ['no client',                         {},                             { client_id: undefined },             'malformed'],
  ['no id',                             {},                             { jti: undefined },                   'malformed'],
  ['no audience',                       {},                             { aud: undefined },                   'malformed'],
  ['an empty list of audiences',        {},                             { aud: [] },                          'wrong_audience'],
  ['an audience with an object',        {},                             { aud: [audience, {}] },              'malformed'],
  ['an issuer in a list',               {},                             { iss: [issuer] },                    'wrong_issuer'],
  ['no issuer',                         {},                             { iss: undefined },                   'wrong_issuer'],
  ['no scope',                          {},                             { scope: undefined },                 'accepted'],
  ['a scope that is a list',            {},                             { scope: ['openid'] },                'malformed'],
]
for (const [what, header, change, code] of claim_cases) {
  test(`a signed token with ${what} is ${code}`, async () => {
    const token = await key.sign(header, { ...claimsOf(issuer), ...change })
    assert.equal(await codeOf(verifyAccessToken(token, own)), code)
  })
}

test('the tolerance of clocks applies to the end and to the beginning', async () => {
  const expired = await key.sign({}, { ...claimsOf(issuer), exp: at - 4 })
  const early = await key.sign({}, { ...claimsOf(issuer), nbf: at + 5 })
  for (const token of [expired, early]) {
    assert.equal(await codeOf(verifyAccessToken(token, { ...own, clock_tolerance_seconds: 5 })), 'accepted')
    assert.notEqual(await codeOf(verifyAccessToken(token, { ...own, clock_tolerance_seconds: 3 })), 'accepted')
  }
})

for (const [what, payload] of [
  ['a list', encode([])],
  ['null', Buffer.from('null').toString('base64url')],
  ['broken JSON', Buffer.from('{"iss":').toString('base64url')],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')],
] as const) {
  test(`a token whose header or claims are ${what} is malformed`, async () => {
    const [head = '', claims = '', signature = ''] = (await key.sign({}, claimsOf(issuer))).split('.')
    for (const token of [`${payload}.${claims}.${signature}`, `${head}.${payload}.${signature}`])
      assert.equal(await codeOf(verifyAccessToken(token, own)), 'malformed')
  })
}

for (const alg of ['RS256', 'PS256', 'ES256'] as const) {
  test(`${alg} verifies when the options accept it, and only with a key that is made for it`, async () => {
    const [right, other] = [await makeKey('right', alg), await makeKey('other', alg)]
    const one = await startIssuer([{ ...right, jwk: { ...right.jwk, alg: undefined } }, other])
    const options = { ...own, issuer: one.issuer, keys: createKeySet({ issuer: one.issuer, now: () => now }), algorithms: [alg] }
    const token = await right.sign({}, claimsOf(one.issuer))
    assert.equal(await codeOf(verifyAccessToken(token, options)), 'accepted')
    assert.equal(await codeOf(verifyAccessToken(await right.sign({ kid: 'other' }, claimsOf(one.issuer)), options)), 'bad_signature')
    assert.equal(await codeOf(verifyAccessToken(token, { ...options, algorithms: ['RS256', 'PS256', 'ES256'] })), 'accepted')
  })
}

// biome-ignore format: this table is read by column
const unusable: [string, object][] = [
  ['for encryption',          { use: 'enc' }],
  ['for another algorithm',   { alg: 'RS512' }],
  ['a shared secret',         { kty: 'oct', k: 'c2VjcmV0' }],
  ['without a modulus',       { n: undefined }],
  ['a modulus of 1024 bits',  { n: 'A'.repeat(171) }],
  ['a modulus of a megabit',  { n: 'A'.repeat(175_000) }],
  ['not base64url',           { n: '!'.repeat(342) }],
]
for (const [what, change] of unusable) {
  test(`a published key that is ${what} verifies nothing`, async () => {
    const one = await startIssuer([{ ...key, jwk: { ...key.jwk, ...change } }])
    const options = { ...own, issuer: one.issuer, keys: createKeySet({ issuer: one.issuer, now: () => now }) }
    assert.match(
      String(await codeOf(verifyAccessToken(await key.sign({}, claimsOf(one.issuer)), options))),
      /^(unknown_key|keys_unavailable)$/,
    )
  })
}
