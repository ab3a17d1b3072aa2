/** Two services on one PostgreSQL database behave as one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { openDeployment } from '../src/main.ts'
import { createFirstTenant, SetupRefused } from '../src/setup/first-tenant.ts'
import { createPasswords } from '../src/users/password.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  obtainCode,
  refresh,
  revoke,
  userinfo,
} from './support/cookie-browser.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { expectStatus, owner, type Reply, world } from './support/world.ts'

if (noPostgres) test('two services on one database', { skip: noPostgres })
else await testTwoServices()

const countOf = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length
const fifty = <T>(work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(i)))

async function testTwoServices() {
  const w = await world({ engine: 'postgres' })
  const b = await w.beside()
  const place = w.test
  const place_b = { issuer: b.at(place.issuer) }
  const either = (i: number) => (i % 2 ? place : place_b)
  const client = await w.createApplication(place)
  const person = await createPerson(w, place)
  const backend = expectStatus(201, await w.call('POST', `${place.path}/auth-keys`, { body: { type: 'auth_secret' } }))

  test('of fifty parallel exchanges of one code, split over both, exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const { request, code } = await person.code(client)
      const replies = await fifty((i) => exchange(w, either(i), client, request, code))
      assert.deepEqual([countOf(replies, 200), countOf(replies, 400)], [1, 49])
    }
  })

  test('of fifty parallel refreshes of one token, split over both, exactly one succeeds, and the family is revoked', async () => {
    for (let round = 0; round < 10; round++) {
      const { refresh_token } = await person.tokens(client)
      const replies = await fifty((i) => refresh(w, either(i), client, refresh_token))
      assert.deepEqual([countOf(replies, 200), countOf(replies, 400)], [1, 49])
      const won = replies.find(({ status }) => status === 200)?.body
      for (const each of [place, place_b]) assert.equal((await userinfo(w, each, won.access_token)).status, 401)
    }
  })

  test('what one of them takes away, the other refuses at once', async () => {
    for (let round = 0; round < 10; round++) {
      const tokens = await person.tokens(client)
      expectStatus(200, await userinfo(w, place_b, tokens.access_token))
      expectStatus(200, await revoke(w, place, client, tokens.refresh_token))
      assert.equal((await userinfo(w, place_b, tokens.access_token)).status, 401)
      assert.equal((await refresh(w, place_b, client, tokens.refresh_token)).status, 400)
    }
    const { key, id } = expectStatus(201, await w.call('POST', `${place.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    const whoami = b.at(`${w.base_url}/v1/api-keys/whoami`)
    expectStatus(200, await w.call('GET', whoami, { key }))
    expectStatus(204, await w.call('DELETE', `${place.path}/auth-keys/${id}`))
    assert.equal((await w.call('GET', whoami, { key })).status, 401)
  })

  test('a change of the settings at one counts at the other at once', async () => {
    for (const access_token_ttl_seconds of [60, 120, 3600]) {
      await w.changeSettings(place, { tokens: { access_token_ttl_seconds } })
      const { request, code } = await person.code(client)
      assert.equal((await exchange(w, place_b, client, request, code)).body.expires_in, access_token_ttl_seconds)
    }
  })

  test('an environment that both meet for the first time at once has one signing key', async () => {
    for (let round = 0; round < 5; round++) {
      const project = await w.createProject(`first-${round}`)
      const jwks = (issuer: string) => w.call('GET', `${issuer}/v1/oauth/jwks.json`, { key: null })
      const [here, there] = await Promise.all([jwks(project.test.issuer), jwks(b.at(project.test.issuer))])
      assert.equal(expectStatus(200, here).keys.length, 1)
      assert.deepEqual(here.body, there.body)
    }
  })

  test('a session that ends at one, while the other issues a code for it, leaves no code that works', async () => {
    for (let round = 0; round < 20; round++) {
      const agent = createAgent()
      await obtainCode(agent, authorizationRequest(place, client), person)
      const sessions = await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key: backend.key })
      const { id } = expectStatus(200, sessions).data[0]
      const request = authorizationRequest(place_b, client)
      const [called, ended] = await Promise.all([agent.get(request.url), w.call('DELETE', `/v1/auth/sessions/${id}`, { key: backend.key })])
      expectStatus(204, ended)
      const code = new URL(called.headers.get('location') ?? place.issuer).searchParams.get('code')
      if (code) assert.equal((await exchange(w, place, client, request, code)).status, 400)
    }
  })

  test('of first tenants that are made at once there is one', async () => {
    const url = await freshDatabase()
    const config = readConfig({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32).toString('base64') })
    assert.ok(!Array.isArray(config))
    // A hash of a password takes its time, which would set them apart.
    const hashed = await createPasswords().hash(owner.password)
    const passwords = { ...createPasswords(), hash: async () => hashed }
    const deployments = await Promise.all(['a', 'b', 'c', 'd'].map(() => openDeployment(config)))
    for (const { db } of deployments) await db.ping()
    const outcomes = await Promise.allSettled(
      deployments.map((deployment, i) => createFirstTenant(deployment, passwords, { ...owner, tenant_name: `T${i}`, slug: `t${i}` })),
    )
    await Promise.all(deployments.map(({ db }) => db.close()))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of outcomes) assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof SetupRefused)
  })
}
