/** Access tokens: what `verifyAccessToken` accepts, and the attacks that it refuses (RFC 9068 §4, RFC 8725). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeySet, type VerifyOptions, verifyAccessToken } from '@ostiary/sdk/verify'
import { createPerson } from '../../server/test/support/cookie-browser.ts'
import { forgeriesOf } from '../../server/test/support/forgeries.ts'
import { createAuthKey } from '../../server/test/support/tenants.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { outcomeOf } from './portable/case.ts'
import { verifyCases } from './portable/verify-cases.ts'

const w = await world()
const identifier = 'https://orders.example.com'
const resource_server = { name: 'Orders', identifier, scopes: [{ name: 'orders:read', description: 'Read orders' }] }
const server = expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: resource_server }))
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

test('an access token of the service is accepted, and its claims are returned', async () => {
  const claims = await verifyAccessToken(access_token, { ...options, required_scopes: ['orders:read'] })
  assert.equal(claims.sub, person.id)
  assert.equal(claims.client_id, application.id)
  assert.deepEqual([claims.aud].flat(), [identifier, w.test.issuer])
})

test('a forged or changed token is refused', async (t) => {
  for (const [what, token] of Object.entries(await forgeriesOf(w, w.test, access_token)))
    await t.test(what, async () => assert.match(String(await outcomeOf(verifyAccessToken(token, options))), /^(?!accepted)[a-z_]+$/))
  assert.equal(await outcomeOf(verifyAccessToken(access_token, options)), 'accepted')
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
for (const [what, verifying, code] of refusals) test(`${what} is ${code}`, async () => assert.equal(await outcomeOf(verifying()), code))

test('a verifier without an issuer or an audience is refused, since it would accept every token', async () => {
  for (const change of [
    { issuer: '' },
    { audience: '' },
    { audience: undefined },
    { organization: '' },
    { organization: null },
    { clock_tolerance_seconds: 301 },
    { clock_tolerance_seconds: Number.NaN },
  ])
    await assert.rejects(() => verifyAccessToken(access_token, { ...options, ...change } as VerifyOptions), TypeError) // as: callers without types
})

test('with live, what the service has ended is refused at once, and an opaque token is accepted', async () => {
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  const live = { key, base_url: w.base_url, fetch: reaching }
  const other = await createPerson(w, w.test)
  const tokens = await other.tokens(application, { scope: 'openid email orders:read', resource: identifier })
  const claims = await verifyAccessToken(tokens.access_token, { ...options, live, required_scopes: ['orders:read'] })
  assert.deepEqual([claims.sub, claims.scope], [other.id, 'openid email orders:read'])
  expectStatus(200, await w.call('POST', `/v1/auth/users/${other.id}/block`, { key }))
  assert.equal(await outcomeOf(verifyAccessToken(tokens.access_token, options)), 'accepted')
  assert.equal(await outcomeOf(verifyAccessToken(tokens.access_token, { ...options, live })), 'inactive')
  const { key: of_live } = await createAuthKey(w, w.live, 'auth_secret')
  assert.equal(await outcomeOf(verifyAccessToken(access_token, { ...options, live: { ...live, key: of_live } })), 'inactive')
  assert.equal(await outcomeOf(verifyAccessToken(access_token, { ...options, live: { ...live, key: w.key } })), 'service_unavailable')

  expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${server.id}`, { body: { access_token_format: 'opaque' } }))
  const opaque = await person.tokens(application, { scope: 'openid email orders:read', resource: identifier })
  assert.equal(await outcomeOf(verifyAccessToken(opaque.access_token, options)), 'malformed')
  assert.equal((await verifyAccessToken(opaque.access_token, { ...options, live, required_scopes: ['orders:read'] })).sub, person.id)

  const moved = await createPerson(w, w.test, { sub: 'auth0|1' })
  const asked = await moved.tokens(application, { scope: 'openid orders:read', resource: identifier })
  const of_moved = await verifyAccessToken(asked.access_token, { ...options, live })
  assert.deepEqual([of_moved.sub, of_moved.user_id], ['auth0|1', moved.id], 'the id of the user is in the answer of the service')
  const unasked = { ...live, fetch: () => assert.fail('a token that is too long is not sent') }
  assert.equal(await outcomeOf(verifyAccessToken(`svc_at_${'a'.repeat(16_384)}`, { ...options, live: unasked })), 'malformed')
})

for (const { title, run } of await verifyCases()) test(title, run)
