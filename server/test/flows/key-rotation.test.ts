/** Rotation of signing keys: a key is published before it signs, and kept until its last token has expired (decision 0016). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createIssuers } from '../../src/oidc/issuer.ts'
import { createKeyPool, type KeyPool } from '../../src/oidc/key-pool.ts'
import { rotateAgedKeys } from '../../src/oidc/signing-keys.ts'
import { resealAll } from '../../src/setup/reseal.ts'
import { authorizationRequest, createPerson, exchange, refresh, reuseEvents, userinfo } from '../support/cookie-browser.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { spareKeys } from '../support/spare-keys.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()

async function readJwks({ issuer }: TestEnvironment) {
  const reply = await w.call('GET', `${issuer}/v1/oauth/jwks.json`, { key: null })
  const max_age_seconds = Number(/max-age=(\d+)/.exec(reply.headers.get('cache-control') ?? '')?.[1])
  return { jwks: expectStatus(200, reply) as JSONWebKeySet, max_age_seconds, etag: reply.headers.get('etag') ?? '' } // as: a body of any shape
}

const kids = ({ keys }: JSONWebKeySet) => keys.map(({ kid }) => kid)
const kidOf = (token: string) => decodeProtectedHeader(token).kid

test('fifty first requests to an environment read it once, and make one key pair', async () => {
  const { test: environment } = await w.createProject('herd')
  const spare = spareKeys()
  let taken = 0
  const take: KeyPool['take'] = (alg) => {
    taken += 1
    return spare.take(alg)
  }
  const issuers = createIssuers(w.deployment, { ...spare, take })
  const findTogether = async () => new Set(await Promise.all(Array.from({ length: 50 }, () => issuers.find(environment.id))))
  const [first, ...others] = await findTogether()
  assert.deepEqual([first?.keys.length, others.length, taken], [1, 0, 1])
  expectStatus(200, await w.call('POST', `${environment.path}/signing-keys/rotate`))
  const [next, ...more] = await findTogether()
  assert.deepEqual([next?.keys.length, more.length, taken], [2, 0, 1])
})

for (const type of types_of_run) {
  test(`a new key is published before it signs, and the old one stays published until its last token has expired (${type})`, async () => {
    const environment = w[type]
    const client = await w.createApplication(environment)
    const person = await createPerson(w, environment)
    const before = await readJwks(environment)
    const first = await person.tokens(client)
    assert.deepEqual(kids(before.jwks), [kidOf(first.access_token)])

    const rotate = async () => expectStatus(200, await w.call('POST', `${environment.path}/signing-keys/rotate`)).kid
    assert.equal(await rotate(), await rotate(), 'one waiting key is enough')
    const announced = await readJwks(environment)
    assert.equal(kids(announced.jwks).length, 2)
    assert.notEqual(announced.etag, before.etag)
    const second = await person.tokens(client)
    assert.equal(kidOf(second.id_token), kidOf(first.id_token), 'a cached copy of the old JWKS verifies every token')

    w.advance(before.max_age_seconds * 2 + 1)
    const third = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    assert.notEqual(kidOf(third.access_token), kidOf(first.access_token))
    assert.equal(kidOf(third.access_token), kidOf(third.id_token))
    for (const { access_token } of [first, second, third]) {
      assert.equal((await userinfo(w, environment, access_token)).status, 200)
      await jwtVerify(access_token, createLocalJWKSet(announced.jwks), { issuer: environment.issuer, currentDate: w.now() })
    }
    const hint = new URLSearchParams({ id_token_hint: first.id_token })
    const signed_out = await person.agent.get(`${environment.issuer}/oauth/logout?${hint}`)
    assert.match(signed_out.body, /You are signed out/)

    w.advance(86_400 + 600)
    assert.deepEqual(kids((await readJwks(environment)).jwks), [kidOf(third.access_token)])
    const fourth = expectStatus(200, await refresh(w, environment, client, third.refresh_token))
    assert.equal(kidOf(fourth.access_token), kidOf(third.access_token))
  })
}

test('the published keys are public RSA keys for RS256 with a kid, of one environment only', async () => {
  const [{ jwks: here }, { jwks: there }] = [await readJwks(w.test), await readJwks(w.live)]
  for (const key of [...here.keys, ...there.keys]) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    assert.deepEqual([key.kty, key.alg, key.use], ['RSA', 'RS256', 'sig'])
    assert.ok(Buffer.from(key.n ?? '', 'base64url').length >= 256)
  }
  assert.deepEqual(
    kids(here).filter((kid) => kids(there).includes(kid)),
    [],
  )
})

test('a request with the ETag of the current JWKS is 304 without a body', async () => {
  const { etag } = await readJwks(w.test)
  const again = await w.call('GET', `${w.test.issuer}/v1/oauth/jwks.json`, { key: null, headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.body], [304, ''])
})

test('a process whose clock is behind the first key signs, and a key that cannot be read spends nothing', async () => {
  const { test: environment } = await w.createProject('new-environment')
  const client = await w.createApplication(environment)
  const person = await createPerson(w, environment)
  const first = await person.code(client)
  w.advance(-5)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request: first.request, code: first.code }))
  w.advance(5)

  const { db } = w.deployment
  const [stored] = await db.all(
    z.object({ private_key: z.string() }),
    sql`select private_key from signing_keys where environment_id = ${environment.id}`,
  )
  assert.ok(stored)
  const setKey = (value: string) =>
    db.batch([
      sql`update environments set keys_version = keys_version + 1 where id = ${environment.id}`,
      sql`update signing_keys set private_key = ${value} where environment_id = ${environment.id}`,
    ])
  const second = await person.code(client)
  const requests = [
    () => exchange(w, environment, client, { request: second.request, code: second.code }),
    () => refresh(w, environment, client, tokens.refresh_token),
  ]
  await setKey('v1.sealed.by.another')
  for (const send of requests) assert.equal((await send()).body.error, 'server_error')
  await setKey(stored.private_key)
  for (const send of requests) expectStatus(200, await send())
  assert.deepEqual(await reuseEvents(w, environment, client.id), [])
})

test('an ID token of a key that is no longer published is still a hint, and no access token', async () => {
  const { test: environment } = await w.createProject('replaced-key')
  const after_sign_out = 'https://app.example.com/signed-out'
  const client = await w.createApplication(environment, { post_logout_redirect_uris: [after_sign_out] })
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const person = await createPerson(w, environment)
  const { id_token, access_token } = await person.tokens(client)
  const silently = (id_token_hint: string) =>
    person.agent.get(authorizationRequest(environment, client, { prompt: 'none', id_token_hint }).url)
  const signOut = async (at = w.reach) => {
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: after_sign_out })
    return (await person.agent.get(at(`${environment.issuer}/oauth/logout?${query}`))).headers.get('location')
  }
  const validate = async () => (await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token: access_token } })).body

  expectStatus(200, await w.call('POST', `${environment.path}/signing-keys/rotate`))
  for (const hours of [9, 9, 9]) {
    w.advance(hours * 3_600)
    assert.match((await silently(id_token)).headers.get('location') ?? '', /[?&]code=/)
  }
  await rotateAgedKeys(w.deployment, createKeyPool(0))
  assert.match((await silently(id_token)).headers.get('location') ?? '', /[?&]code=/)
  assert.match((await silently(access_token)).headers.get('location') ?? '', /[?&]error=invalid_request/)
  assert.equal((await userinfo(w, environment, access_token)).status, 401)
  assert.deepEqual(await validate(), { active: false, reason: 'unknown' })

  const kid = kidOf(id_token)
  assert.ok(!kids((await readJwks(environment)).jwks).includes(kid))
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/signing-keys`))
  assert.deepEqual(
    data.map((shown: { state: string }) => shown.state),
    ['current'],
  )
  const stored = sql`select private_key from signing_keys where environment_id = ${environment.id} and kid = ${kid ?? ''}`
  const PrivateKey = z.object({ private_key: z.string() })
  assert.deepEqual(await w.deployment.db.all(PrivateKey, stored), [{ private_key: '' }])
  assert.equal(await resealAll(w.deployment), 0, 'a change of the master key passes over it')

  const at = w.deployment.db.engine === 'postgres' ? (await w.startAnotherService()).at : w.reach
  assert.equal(await signOut(at), after_sign_out)
  w.advance(31_536_000)
  await rotateAgedKeys(w.deployment, createKeyPool(0))
  assert.deepEqual(await w.deployment.db.all(PrivateKey, stored), [])
  assert.equal(await signOut(), null)
})

test('old keys of any number are erased, and later deleted, at most 100 in a batch', async () => {
  const { test: environment } = await w.createProject('many-keys')
  const { db, newId } = w.deployment
  await readJwks(environment)
  const old_keys = Array.from({ length: 250 }, () => newId('key'))
  await db.batch(
    old_keys.map(
      (kid) => sql`insert into signing_keys (environment_id, kid, public_jwk, private_key, signs_from, created_at)
        select environment_id, ${kid}, public_jwk, private_key, signs_from - 1, created_at from signing_keys
         where environment_id = ${environment.id} and signs_from = (select max(signs_from) from signing_keys where environment_id = ${environment.id})
         limit 1`,
    ),
  )
  const states = async () => {
    const stored = sql`select kid, private_key from signing_keys where environment_id = ${environment.id}`
    const rows = await db.all(z.object({ kid: z.string(), private_key: z.string() }), stored)
    return { rows: rows.length, with_private_key: rows.filter(({ private_key }) => private_key !== '').length }
  }
  /** The numbers of keys that the batches of a rotation change. */
  const rotate = async () => {
    const changed: number[] = []
    const restore = replaceMethods(db, ({ batch }) => ({
      batch: async (statements) => {
        const results = await batch(statements)
        for (const [index, { parts }] of statements.entries())
          if (/^(update|delete from) signing_keys/.test(parts.join('?').trim())) changed.push(results?.[index]?.changed ?? 0)
        return results
      },
    }))
    await rotateAgedKeys(w.deployment, createKeyPool(0)).finally(() => {
      restore()
    })
    return changed
  }
  assert.deepEqual(await states(), { rows: 251, with_private_key: 251 })
  w.advance(2 * 86_400)
  const erased = await rotate()
  assert.deepEqual(await states(), { rows: 251, with_private_key: 1 })
  assert.ok(Math.max(...erased) <= 100, `${erased}`)
  w.advance(31_536_000)
  const deleted = await rotate()
  assert.deepEqual(await states(), { rows: 2, with_private_key: 2 }, 'the key that signed for a year, and the one that replaces it')
  assert.ok(Math.max(...deleted) <= 100, `${deleted}`)
})
