/** Two services on one PostgreSQL database behave as one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/base/config/config.ts'
import { createPasswords } from '../src/domain/users/password.ts'
import { openDeployment } from '../src/main.ts'
import { createFirstTenant, SetupRefused } from '../src/setup/first-tenant.ts'
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
const fiftyTimes = <T>(work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(i)))

async function testTwoServices() {
  const w = await world({ engine: 'postgres' })
  const b = await w.startAnotherService()
  const at_a = w.test
  const at_b = { issuer: b.at(at_a.issuer) }
  const either = (i: number) => (i % 2 ? at_a : at_b)
  const client = await w.createApplication(at_a)
  const person = await createPerson(w, at_a)
  const backend = expectStatus(201, await w.call('POST', `${at_a.path}/auth-keys`, { body: { type: 'auth_secret' } }))

  test('of 50 parallel exchanges of one code over both services, exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const { request, code } = await person.code(client)
      const replies = await fiftyTimes((i) => exchange(w, either(i), client, { request, code }))
      assert.deepEqual([countOf(replies, 200), countOf(replies, 400)], [1, 49])
    }
  })

  test('of 50 parallel refreshes of one token over both services, exactly one succeeds, and the family is revoked', async () => {
    for (let round = 0; round < 10; round++) {
      const { refresh_token } = await person.tokens(client)
      const replies = await fiftyTimes((i) => refresh(w, either(i), client, refresh_token))
      assert.deepEqual([countOf(replies, 200), countOf(replies, 400)], [1, 49])
      const won = replies.find(({ status }) => status === 200)?.body
      for (const each of [at_a, at_b]) assert.equal((await userinfo(w, each, won.access_token)).status, 401)
    }
  })

  test('a token or key that one service revokes is refused by the other at once', async () => {
    for (let round = 0; round < 10; round++) {
      const tokens = await person.tokens(client)
      expectStatus(200, await userinfo(w, at_b, tokens.access_token))
      expectStatus(200, await revoke(w, at_a, client, tokens.refresh_token))
      assert.equal((await userinfo(w, at_b, tokens.access_token)).status, 401)
      assert.equal((await refresh(w, at_b, client, tokens.refresh_token)).status, 400)
    }
    const { key, id } = expectStatus(201, await w.call('POST', `${at_a.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    const whoami = b.at(`${w.base_url}/v1/api-keys/whoami`)
    expectStatus(200, await w.call('GET', whoami, { key }))
    expectStatus(204, await w.call('DELETE', `${at_a.path}/auth-keys/${id}`))
    assert.equal((await w.call('GET', whoami, { key })).status, 401)
  })

  test('duplicates over both services: one takes effect, and both get its answer', async () => {
    const limited = await world({ engine: 'postgres', env: { OSTIARY_LIMITS: '{"projects_per_tenant":6}' } })
    const second = await limited.startAnotherService()
    const { key } = expectStatus(201, await limited.call('POST', `${limited.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    const projects = async () => expectStatus(200, await limited.call('GET', '/v1/platform/projects?limit=100')).data.length
    /** Sends the same request ten times at once, half of them to each service. */
    async function tenTimes(path: string, options: { key?: string; body: object }) {
      const headers = { 'idempotency-key': `${path} ${JSON.stringify(options.body)}` }
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          const url = `${limited.base_url}${path}`
          return limited.call('POST', i % 2 ? second.at(url) : url, { ...options, headers })
        }),
      )
      const [first, ...others] = replies.map((reply) => expectStatus(201, reply))
      for (const other of others) assert.equal(other.id, first.id)
      assert.equal(replies.filter((reply) => !reply.headers.has('idempotent-replayed')).length, 1)
    }
    for (let round = 0; round < 10; round++) await tenTimes('/v1/auth/users', { key, body: { email: `user-${round}@example.com` } })
    for (let count = await projects(); count < 6; count++) {
      await tenTimes('/v1/platform/projects', { body: { slug: `place-${count}`, name: 'A project' } }) // the last one takes the last place
      assert.equal(await projects(), count + 1)
    }
  })

  test('settings that one service changes take effect at the other at once', async () => {
    for (const access_token_ttl_seconds of [60, 120, 3600]) {
      await w.changeSettings(at_a, { tokens: { access_token_ttl_seconds } })
      const { request, code } = await person.code(client)
      assert.equal((await exchange(w, at_b, client, { request, code })).body.expires_in, access_token_ttl_seconds)
    }
  })

  test('an environment that both services serve for the first time at once has one signing key', async () => {
    for (let round = 0; round < 5; round++) {
      const project = await w.createProject(`first-${round}`)
      const jwks = (issuer: string) => w.call('GET', `${issuer}/v1/oauth/jwks.json`, { key: null })
      const [here, there] = await Promise.all([jwks(project.test.issuer), jwks(b.at(project.test.issuer))])
      assert.equal(expectStatus(200, here).keys.length, 1)
      assert.deepEqual(here.body, there.body)
    }
  })

  test('a session that ends at one service while the other issues a code for it leaves no usable code', async () => {
    for (let round = 0; round < 20; round++) {
      const agent = createAgent()
      await obtainCode(agent, authorizationRequest(at_a, client), person)
      const sessions = await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key: backend.key })
      const { id } = expectStatus(200, sessions).data[0]
      const request = authorizationRequest(at_b, client)
      const [called, ended] = await Promise.all([agent.get(request.url), w.call('DELETE', `/v1/auth/sessions/${id}`, { key: backend.key })])
      expectStatus(204, ended)
      const code = new URL(called.headers.get('location') ?? at_a.issuer).searchParams.get('code')
      if (code) assert.equal((await exchange(w, at_a, client, { request, code })).status, 400)
    }
  })

  test('of four parallel creations of the first tenant, one succeeds', async () => {
    const url = await freshDatabase()
    const config = readConfig({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32).toString('base64') })
    assert.ok(!Array.isArray(config))
    // Hashing a password takes time, which would spread the creations.
    const hashed = await createPasswords().hash(owner.password)
    const passwords = { ...createPasswords(), hash: async () => hashed }
    const deployments = await Promise.all(['a', 'b', 'c', 'd'].map(() => openDeployment(config)))
    for (const { db } of deployments) await db.runs(0)
    const outcomes = await Promise.allSettled(
      deployments.map((deployment, i) => createFirstTenant(deployment, passwords, { ...owner, tenant_name: `T${i}`, slug: `t${i}` })),
    )
    await Promise.all(deployments.map(({ db }) => db.close()))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of outcomes) assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof SetupRefused)
  })
}
