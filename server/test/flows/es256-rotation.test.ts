/** The keys of each algorithm rotate by themselves, and no verifier fails meanwhile (decisions 0016 and 0184). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createKeyPool } from '../../src/oidc/key-pool.ts'
import { jwks_max_age_seconds, rotateAgedKeys } from '../../src/oidc/signing-keys.ts'
import { createPerson, refresh, userinfo } from '../support/cookie-browser.ts'
import { createEs256World, headerOf, orders } from '../support/es256.ts'
import { expectStatus, randomText, types_of_run, world } from '../support/world.ts'

const w = await world()

for (const type of types_of_run) {
  const e = await createEs256World(w, type, `rotate-${type}`)

  test(`the rotation of ES256 is 409 no_signing_key where no resource server asks for it, before and after (${type})`, async () => {
    const refused = async () => {
      const { status, body } = await e.rotate('?alg=ES256')
      assert.deepEqual([status, body.code], [409, 'no_signing_key'])
    }
    await refused()
    await e.choose(e.servers.orders, 'ES256')
    expectStatus(200, await e.rotate('?alg=ES256'))
    await e.choose(e.servers.orders, 'RS256')
    await refused()
    await e.choose(e.servers.orders, 'ES256')
    w.advance(1_200)
  })

  test(`each algorithm rotates by itself, RS256 where none is named (${type})`, async () => {
    assert.deepEqual(
      await e.shown(),
      type === 'live' ? ['ES256 current', 'RS256 current'] : ['ES256 current', 'ES256 retired', 'RS256 current'],
    )
    const shown = async (alg: string) => (await e.shown()).filter((line) => line.startsWith(alg)).map((line) => line.slice(6))
    const es256 = await shown('ES256')
    const next = expectStatus(200, await e.rotate())
    assert.deepEqual([next.alg, next.state, next.public_jwk.alg], ['RS256', 'next', 'RS256'])
    assert.deepEqual([await shown('RS256'), await shown('ES256')], [['next', 'current'], es256])
    assert.equal(expectStatus(200, await e.rotate('?alg=RS256')).kid, next.kid, 'one waiting key is enough')

    const other = expectStatus(200, await e.rotate('?alg=ES256'))
    assert.deepEqual([other.alg, other.state, other.public_jwk.crv], ['ES256', 'next', 'P-256'])
    assert.equal(expectStatus(200, await e.rotate('?alg=ES256')).kid, other.kid)
    assert.equal(Date.parse(other.signs_from) - Date.parse(other.created_at), 600_000, 'verifiers have cached the JWKS in Test too')
    assert.deepEqual(await shown('ES256'), ['next', ...es256])

    const before = await e.tokens()
    assert.notEqual(headerOf(before.access_token).kid, other.kid)
    w.advance(600)
    const after = await e.refresh(before.refresh_token)
    assert.deepEqual([headerOf(after.access_token).kid, headerOf(after.id_token).kid], [other.kid, next.kid])
    assert.equal((await userinfo(w, e.environment, before.access_token)).status, 200)
    w.advance(86_400 + 300)
    assert.deepEqual([await shown('RS256'), await shown('ES256')], [['current'], ['current']])
  })

  const wrong: [what: string, query: string][] = [
    ['another algorithm', '?alg=PS256'],
    ['an algorithm in lower case', '?alg=es256'],
    ['no value', '?alg='],
    ['no value and no sign', '?alg'],
    ['a value twice', '?alg=ES256&alg=ES256'],
    ['two values', '?alg=RS256&alg=ES256'],
    ['a list', '?alg=RS256,ES256'],
    ['a space', '?alg=ES256%20'],
  ]
  for (const [what, query] of wrong)
    test(`a rotation with ${what} is 422 at /alg, and changes nothing (${type})`, async () => {
      const before = await e.shown()
      const { status, body } = await e.rotate(query)
      assert.deepEqual([status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)], [422, ['/alg']])
      assert.deepEqual(await e.shown(), before)
    })

  test(`an Idempotency-Key covers the algorithm of a rotation (${type})`, async () => {
    const headers = { 'idempotency-key': randomText() }
    const first = expectStatus(200, await e.rotate('', headers))
    const again = await e.rotate('?alg=RS256', headers)
    assert.deepEqual([again.headers.get('idempotent-replayed'), again.body], ['true', first], 'the default by its name is the same request')
    const other = await e.rotate('?alg=ES256', headers)
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'])
    assert.ok(!(await e.shown()).includes('ES256 next'))
    w.advance(600)
  })

  test(`twenty rotations of each algorithm at the same time publish one next key of each (${type})`, async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => e.rotate(n % 2 === 0 ? '?alg=ES256' : '')))
    assert.equal(new Set(replies.map((reply) => expectStatus(200, reply).kid)).size, 2)
    w.advance(600)
  })

  test(`1,000 refreshes during rotations of both algorithms all succeed, and a verifier with a cached JWKS accepts each token (${type})`, async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => createPerson(w, e.environment)))
    const chains = await Promise.all(
      people.map((person) => person.tokens(e.client, { scope: 'openid offline_access read', resource: orders })),
    )
    /** Reads the JWKS as seldom as its max-age allows. */
    const cached = { keys: createLocalJWKSet(await e.jwks()), until_ms: w.now().getTime() + jwks_max_age_seconds * 1_000 }
    const verify = async (token: string, algorithm: string) => {
      if (w.now().getTime() >= cached.until_ms)
        Object.assign(cached, { keys: createLocalJWKSet(await e.jwks()), until_ms: w.now().getTime() + jwks_max_age_seconds * 1_000 })
      await jwtVerify(token, cached.keys, { algorithms: [algorithm], issuer: e.environment.issuer, currentDate: w.now() })
    }
    const kids = new Set<unknown>()
    let refreshed = 0
    const turns: Record<number, () => unknown> = {
      100: () => Promise.all([e.rotate(), e.rotate('?alg=ES256')]),
      300: () => w.advance(299),
      400: () => w.advance(302),
      500: () => Promise.all([e.rotate('?alg=ES256'), e.rotate()]),
      600: () => w.advance(300),
      700: () => w.advance(301),
      800: () => rotateAgedKeys(w.deployment, createKeyPool(0)),
    }
    await Promise.all(
      chains.map(async ({ refresh_token: first }) => {
        for (let n = 0, refresh_token = first; n < 100; n++) {
          await turns[++refreshed]?.()
          const next = expectStatus(200, await refresh(w, e.environment, e.client, refresh_token))
          await Promise.all([verify(next.access_token, 'ES256'), verify(next.id_token, 'RS256')])
          for (const token of [next.access_token, next.id_token]) kids.add(headerOf(token).kid)
          refresh_token = next.refresh_token
        }
      }),
    )
    assert.deepEqual([refreshed, kids.size], [1_000, 6], 'three keys of each algorithm have signed')
  })

  test(`a key for ES256 is replaced after 90 days, and not where nothing asks for it (${type})`, async () => {
    const left = await createEs256World(w, type, `aged-${type}`)
    for (const choice of ['ES256', 'RS256'] as const) {
      await left.choose(left.servers.orders, choice)
      await left.jwks()
    }
    const Kinds = z.object({ kinds: z.int() })
    const stored = async ({ environment }: typeof e) =>
      (await w.deployment.db.all(Kinds, sql`select count(*) as kinds from es256_keys where environment_id = ${environment.id}`))[0]?.kinds
    const rotate = () => rotateAgedKeys(w.deployment, createKeyPool(0))
    await rotate()
    const before = await stored(e)
    w.advance(90 * 86_400 - 1_000)
    await rotate()
    assert.deepEqual([await stored(left), (await e.shown()).filter((line) => line.startsWith('ES256'))], [0, ['ES256 current']])
    w.advance(2_000)
    await rotate()
    assert.ok((before ?? 0) >= 1)
    assert.deepEqual(
      (await e.shown()).filter((line) => line.startsWith('ES256')),
      ['ES256 next', 'ES256 current'],
    )
    assert.equal(await stored(left), 0)
  })
}
