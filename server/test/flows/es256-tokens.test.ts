/** ES256 access tokens: who gets them, from when on, and how long their keys are published (decision 0184). */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createIssuers } from '../../src/oidc/issuer.ts'
import { createKeyPool } from '../../src/oidc/key-pool.ts'
import { rotateAgedKeys } from '../../src/oidc/signing-keys.ts'
import { userinfo } from '../support/cookie-browser.ts'
import { createEs256World, headerOf, issuerOf, orders, plain, stock } from '../support/es256.ts'
import { spareKeys } from '../support/spare-keys.ts'
import { expectStatus, types_of_run, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment

/** The longest lifetime of a token and the allowance for clocks, in seconds. */
const last_token = 86_400 + 300
const algOf = (token: string) => headerOf(token).alg

const Kid = z.object({ kid: z.string() })
const stored = async ({ id }: { id: string }) =>
  (await db.all(Kid, sql`select kid from es256_keys where environment_id = ${id} order by kid`)).map(({ kid }) => kid)
/** The kids of the published keys for ES256. */
const es256In = ({ keys }: { keys: Record<string, string>[] }) => keys.flatMap(({ alg, kid = '' }) => (alg === 'ES256' ? [kid] : []))

for (const type of ['test', 'live'] as const) {
  test(`the first resource server with ES256 publishes a key at once, which signs ${type === 'test' ? 'at once' : 'after 600 s'} (${type})`, async () => {
    const e = await createEs256World(w, type, `first-${type}`)
    const before = await e.tokens()
    assert.deepEqual([(await e.jwks()).keys.length, await e.shown()], [1, ['RS256 current']])

    await e.choose(e.servers.orders, 'ES256')
    const { keys } = await e.jwks()
    assert.deepEqual(
      keys.map(({ alg }) => alg),
      ['RS256', 'ES256'],
    )
    const waiting = type === 'live'
    assert.deepEqual(await e.shown(), waiting ? ['ES256 next', 'RS256 current'] : ['ES256 current', 'RS256 current'])
    const soon = await e.refresh(before.refresh_token)
    assert.equal(algOf(soon.access_token), waiting ? 'RS256' : 'ES256')
    w.advance(599)
    assert.equal(algOf((await e.tokens()).access_token), waiting ? 'RS256' : 'ES256')
    w.advance(1)
    assert.equal(algOf((await e.tokens()).access_token), 'ES256')
    assert.deepEqual(es256In(await e.jwks()), es256In({ keys }), 'it is the key that was published')
    assert.deepEqual(await e.shown(), ['ES256 current', 'RS256 current'])
  })
}

for (const type of types_of_run) {
  test(`the published key is that of RFC 7517, and the header names it by its RFC 7638 thumbprint (${type})`, async () => {
    const e = await createEs256World(w, type, `jwk-${type}`)
    await e.choose(e.servers.orders, 'ES256')
    w.advance(600)
    const { access_token } = await e.tokens()
    const jwk = (await e.jwks()).keys.find(({ alg }) => alg === 'ES256') ?? {}
    assert.deepEqual(Object.keys(jwk), ['kty', 'crv', 'x', 'y', 'alg', 'use', 'kid'])
    const { kty, crv, x = '', y = '', use, kid } = jwk
    assert.deepEqual([kty, crv, use], ['EC', 'P-256', 'sig'])
    for (const coordinate of [x, y]) assert.equal(Buffer.from(coordinate, 'base64url').length, 32)
    const members = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`
    assert.equal(kid, createHash('sha256').update(members).digest('base64url'))
    assert.deepEqual(headerOf(access_token), { alg: 'ES256', typ: 'at+jwt', kid })
    assert.equal(Buffer.from(access_token.split('.')[2] ?? '', 'base64url').length, 64)
  })

  test(`a token is ES256 where each of its resource servers says so, and ID tokens stay RS256 (${type})`, async () => {
    const e = await createEs256World(w, type, `which-${type}`)
    for (const server of [e.servers.orders, e.servers.stock]) await e.choose(server, 'ES256')
    w.advance(600)
    const cases: [resource: string | string[] | undefined, alg: string][] = [
      [orders, 'ES256'],
      [[stock, orders], 'ES256'],
      [[orders, plain], 'RS256'],
      [[plain, stock], 'RS256'],
      [plain, 'RS256'],
    ]
    for (const [resource, alg] of cases) {
      const { access_token, id_token } = await e.tokens(resource)
      assert.deepEqual([algOf(access_token), algOf(id_token)], [alg, 'RS256'], String(resource))
      assert.equal((await userinfo(w, e.environment, access_token)).status, 200)
      assert.equal((await e.validate(access_token)).active, true)
    }
    const { access_token } = await e.person.tokens(e.client, { scope: 'openid' })
    assert.equal(algOf(access_token), 'RS256', 'a token without a resource server')
  })

  test(`a change counts from the next token, and the tokens from before stay valid (${type})`, async () => {
    const e = await createEs256World(w, type, `change-${type}`)
    await e.choose(e.servers.orders, 'ES256')
    w.advance(600)
    const first = await e.tokens()
    await e.choose(e.servers.orders, null)
    const second = await e.refresh(first.refresh_token)
    await e.choose(e.servers.orders, 'ES256')
    const third = await e.refresh(second.refresh_token)
    const all = [first, second, third].map(({ access_token }) => access_token)
    assert.deepEqual(all.map(algOf), ['ES256', 'RS256', 'ES256'])
    assert.equal(headerOf(all[2] ?? '').kid, headerOf(all[0] ?? '').kid, 'a key that is still published signs again at once')
    for (const token of all) assert.equal((await userinfo(w, e.environment, token)).status, 200)
  })

  const endings: [how: string, end: (e: Awaited<ReturnType<typeof createEs256World>>) => Promise<unknown>][] = [
    ['chooses RS256', (e) => e.choose(e.servers.stock, 'RS256')],
    ['is deleted', (e) => e.remove(e.servers.stock)],
  ]
  for (const [how, end] of endings)
    test(`the key leaves the JWKS with its last token when the last resource server with ES256 ${how} (${type})`, async () => {
      const e = await createEs256World(w, type, `ends-${how.split(' ')[1]?.toLowerCase()}-${type}`)
      for (const server of [e.servers.orders, e.servers.stock]) await e.choose(server, 'ES256')
      w.advance(600)
      const [kid = ''] = es256In(await e.jwks())
      await e.choose(e.servers.orders, 'RS256')
      assert.deepEqual((await e.shown()).sort(), ['ES256 current', 'RS256 current'], 'another one still asks for it')
      const { access_token } = await e.tokens(stock)

      await end(e)
      assert.deepEqual((await e.shown()).sort(), ['ES256 retired', 'RS256 current'])
      w.advance(3_500)
      assert.deepEqual(es256In(await e.jwks()), [kid])
      assert.equal((await userinfo(w, e.environment, access_token)).status, 200)
      w.advance(last_token - 3_501)
      assert.deepEqual(es256In(await e.jwks()), [kid])
      await rotateAgedKeys(w.deployment, createKeyPool(0))
      assert.deepEqual(await stored(e.environment), [kid])
      w.advance(1)
      assert.deepEqual([es256In(await e.jwks()), await e.shown()], [[], ['RS256 current']])
      await rotateAgedKeys(w.deployment, createKeyPool(0))
      assert.deepEqual(await stored(e.environment), [])

      await e.choose(e.servers.orders, 'ES256')
      const [again = ''] = es256In(await e.jwks())
      assert.notEqual(again, kid)
      assert.equal(algOf((await e.tokens()).access_token), type === 'live' ? 'RS256' : 'ES256', 'a new key waits like the first one')
    })

  test(`ES256 that is asked for again after the key left the JWKS gets a new key, before the old one is removed (${type})`, async () => {
    const e = await createEs256World(w, type, `late-${type}`)
    await e.choose(e.servers.orders, 'ES256')
    const [kid = ''] = es256In(await e.jwks())
    await e.choose(e.servers.orders, 'RS256')
    w.advance(last_token)
    await e.choose(e.servers.orders, 'ES256')
    const [again = '', ...others] = es256In(await e.jwks())
    assert.ok(again !== kid && others.length === 0)
    await rotateAgedKeys(w.deployment, createKeyPool(0))
    assert.deepEqual(await stored(e.environment), [again])
  })

  test(`fifty changes to and fro make one key (${type})`, async () => {
    const e = await createEs256World(w, type, `fro-${type}`)
    for (let n = 0; n < 50; n++) {
      await e.choose(e.servers.orders, 'ES256')
      assert.equal(es256In(await e.jwks()).length, 1)
      await e.choose(e.servers.orders, 'RS256')
    }
    assert.equal((await stored(e.environment)).length, 1)
  })

  test(`of two resource servers that leave ES256 at the same time the last one ends the key (${type})`, async () => {
    for (let n = 0; n < 5; n++) {
      const e = await createEs256World(w, type, `leave-${n}-${type}`)
      for (const server of [e.servers.orders, e.servers.stock]) await e.choose(server, 'ES256')
      await e.jwks()
      await Promise.all([e.choose(e.servers.orders, 'RS256'), e.remove(e.servers.stock)])
      assert.deepEqual((await e.shown()).sort(), ['ES256 retired', 'RS256 current'])
    }
  })

  test(`a promotion of resource servers makes the key of its target, and ends it (${type})`, async () => {
    const e = await createEs256World(w, type, `promoted-${type}`)
    const [project_path = ''] = e.environment.path.split('/environments')
    const plan = async (document: object) => {
      const body = { document: { version: 1, environment: type, ...document }, to_environment_id: e.environment.id }
      return expectStatus(201, await w.call('POST', `${project_path}/promotions`, { body }))
    }
    const apply = async (document: object) =>
      expectStatus(200, await w.call('POST', `${project_path}/promotions/${(await plan(document)).id}/apply`))
    const both = (access_token_signing_alg: string | null) => ({
      resource_servers: { orders: { access_token_signing_alg }, stock: { access_token_signing_alg } },
    })
    await apply(both('ES256'))
    w.advance(600)
    assert.equal(algOf((await e.tokens([orders, stock])).access_token), 'ES256')
    // Rows that come later in the order of locks.
    const permissions = [{ resource_server: 'orders', scopes: ['read'] }]
    await apply({ ...both(null), roles: { reader: { name: 'Reader', kind: 'user', permissions } } })
    assert.deepEqual((await e.shown()).sort(), ['ES256 retired', 'RS256 current'])

    const opaque = { orders: { access_token_signing_alg: 'ES256', access_token_format: 'opaque' } }
    const { checks } = await plan({ resource_servers: opaque })
    assert.deepEqual(
      checks.flatMap(({ level, code, pointer }: Record<string, string>) => (level === 'error' ? [[code, pointer]] : [])),
      [['not_valid_there', '/access_token_signing_alg']],
    )
  })
}

test('fifty first requests after the choice of ES256 make one key, also in two processes', async () => {
  const e = await createEs256World(w, 'live', 'herd')
  await e.jwks()
  await e.choose(e.servers.orders, 'ES256')
  const processes = [1, 2].map(() => createIssuers(w.deployment, spareKeys()))
  await Promise.all(Array.from({ length: 50 }, (_, n) => processes[n % 2]?.find(e.environment.id)))
  assert.equal((await stored(e.environment)).length, 1)
  assert.equal(es256In(await e.jwks()).length, 1)
})

test('a key for ES256 that cannot be read spends no refresh token', async () => {
  const e = await createEs256World(w, 'test', 'unreadable')
  await e.choose(e.servers.orders, 'ES256')
  const { refresh_token } = await e.tokens()
  const Sealed = z.object({ private_key: z.string() })
  const [row] = await db.all(Sealed, sql`select private_key from es256_keys where environment_id = ${e.environment.id}`)
  assert.match(row?.private_key ?? '', /^v1\./, 'the private half is sealed')
  const setKey = (value: string) =>
    db.batch([
      sql`update environments set keys_version = keys_version + 1 where id = ${e.environment.id}`,
      sql`update es256_keys set private_key = ${value} where environment_id = ${e.environment.id}`,
    ])
  await setKey('v1.sealed.by.another')
  await assert.rejects(e.refresh(refresh_token), /server_error/)
  await setKey(row?.private_key ?? '')
  assert.equal(algOf((await e.refresh(refresh_token)).access_token), 'ES256')
})

test('the ES256 key of one environment signs nothing of another', async () => {
  const [here, there] = [await createEs256World(w, 'test', 'here'), await createEs256World(w, 'test', 'there')]
  for (const e of [here, there]) await e.choose(e.servers.orders, 'ES256')
  assert.notDeepEqual(es256In(await here.jwks()), es256In(await there.jwks()))
  const { access_token } = await here.tokens()
  assert.equal((await userinfo(w, there.environment, access_token)).status, 401)
  assert.deepEqual(await there.validate(access_token), { active: false, reason: 'unknown' })
  assert.equal((await issuerOf(w, there.environment)).es256_keys.length, 1)
})

test('the documents of an environment without ES256 are byte for byte those from before it existed', async () => {
  const { test: environment } = await w.createProject('untouched')
  const text = async (path: string) => {
    const reply = await fetch(w.reach(`${environment.issuer}${path}`))
    return reply.text()
  }
  const jwks = await text('/v1/oauth/jwks.json')
  const [key] = JSON.parse(jwks).keys
  assert.equal(jwks, `{"keys":[{"kty":"RSA","n":"${key.n}","e":"AQAB","alg":"RS256","use":"sig","kid":"${key.kid}"}]}`)
  assert.equal(await text('/.well-known/openid-configuration'), discoveryBefore(environment.issuer))
  assert.equal(await text('/.well-known/oauth-authorization-server'), discoveryBefore(environment.issuer))

  const e = await createEs256World(w, 'test', 'touched')
  const before = await fetch(w.reach(`${e.environment.issuer}/.well-known/openid-configuration`)).then((reply) => reply.text())
  await e.choose(e.servers.orders, 'ES256')
  const after = await fetch(w.reach(`${e.environment.issuer}/.well-known/openid-configuration`)).then((reply) => reply.text())
  assert.equal(after, before, 'ID tokens stay RS256, so discovery stays too')
})

/** Written down from the release before. */
const discoveryBefore = (issuer: string) => discovery_before.replaceAll('{issuer}', issuer)
// biome-ignore format: one member a line
const discovery_before = `{${[
  '"issuer":"{issuer}"',
  '"authorization_endpoint":"{issuer}/oauth/authorize"',
  '"token_endpoint":"{issuer}/v1/oauth/token"',
  '"userinfo_endpoint":"{issuer}/v1/oauth/userinfo"',
  '"jwks_uri":"{issuer}/v1/oauth/jwks.json"',
  '"revocation_endpoint":"{issuer}/v1/oauth/revoke"',
  '"end_session_endpoint":"{issuer}/oauth/logout"',
  '"scopes_supported":["openid","profile","email","phone","offline_access"]',
  '"response_types_supported":["code"]',
  '"response_modes_supported":["query","fragment","form_post"]',
  '"grant_types_supported":["authorization_code","refresh_token"]',
  '"code_challenge_methods_supported":["S256"]',
  '"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt","none"]',
  '"token_endpoint_auth_signing_alg_values_supported":["RS256","RS384","RS512","PS256","PS384","PS512","ES256","ES384","ES512","EdDSA","Ed25519"]',
  '"revocation_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt","none"]',
  '"revocation_endpoint_auth_signing_alg_values_supported":["RS256","RS384","RS512","PS256","PS384","PS512","ES256","ES384","ES512","EdDSA","Ed25519"]',
  '"subject_types_supported":["public"]',
  '"id_token_signing_alg_values_supported":["RS256"]',
  '"claim_types_supported":["normal"]',
  '"claims_supported":["sub","iss","aud","exp","iat","auth_time","nonce","acr","amr","sid","at_hash","name","given_name","family_name","nickname","preferred_username","picture","locale","zoneinfo","updated_at","email","email_verified","phone_number","phone_number_verified"]',
  '"acr_values_supported":["urn:ostiary:1fa"]',
  '"prompt_values_supported":["none","login","consent","select_account","create"]',
  '"display_values_supported":["page"]',
  '"ui_locales_supported":["en","de"]',
  '"claims_parameter_supported":false',
  '"request_parameter_supported":false',
  '"request_uri_parameter_supported":false',
  '"authorization_response_iss_parameter_supported":true',
  '"backchannel_logout_supported":true',
  '"backchannel_logout_session_supported":true',
].join(',')}}`
