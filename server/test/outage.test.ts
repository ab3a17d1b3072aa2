/** PostgreSQL goes away under a running service and comes back: 503 meanwhile, then full service, and no acknowledged change is lost. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { time_limits } from '../src/db/postgres/time.ts'
import { authorizationRequest, createAgent, exchange, refresh, signInForTokens, userinfo } from './support/cookie-browser.ts'
import { noPostgres, startPostgres } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import { openLine } from './support/tcp-proxy.ts'
import { expectStatus, type World, world } from './support/world.ts'

const env = (url: string) => ({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') })

/** Every kind of endpoint answers 503 while the database is away, so only a deadline of the service can end a call. */
async function assertUnavailable(w: World, application: Parameters<typeof refresh>[2], access_token: string): Promise<void> {
  const request = authorizationRequest(w.test, application)
  const calls = {
    management: w.call('GET', '/v1/platform/projects'),
    change: w.call('POST', '/v1/platform/projects', { body: { slug: 'away', name: 'Away' } }),
    userinfo: userinfo(w, w.test, access_token),
    token: exchange(w, w.test, application, { request, code: 'any' }),
    page: createAgent().get(request.url),
    discovery: w.call('GET', `${w.test.issuer}/.well-known/openid-configuration`, { key: null }),
    readiness: w.call('GET', '/readyz', { key: null }),
  }
  for (const [name, call] of Object.entries(calls)) {
    const reply = await call
    assert.equal(reply.status, 503, `${name}: ${JSON.stringify(reply.body)}`)
  }
  expectStatus(200, await w.call('GET', '/healthz', { key: null }))
}

test(
  'while PostgreSQL is stopped every endpoint is 503, and afterwards every acknowledged change is stored',
  { skip: noPostgres },
  async () => {
    const server = await startPostgres()
    after(() => server.stop())
    const limits = { OSTIARY_LIMITS: '{"projects_per_tenant":100000}' } // more than the writers create
    const w = await world({ env: { ...env(await server.freshDatabase()), ...limits }, database_limits: time_limits })
    const application = await w.createApplication(w.test)
    const person = await w.createUser(w.test)
    const { tokens } = await signInForTokens(w, w.test, application, { user: person })

    const acknowledged: string[] = []
    const statuses = new Set<number>()
    let is_over = false
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; !is_over; i++) {
        const body = { slug: `p-${writer}-${i}`, name: 'A project' }
        const reply = await w.call('POST', '/v1/platform/projects', { body })
        statuses.add(reply.status)
        if (reply.status === 201) acknowledged.push(reply.body.id)
        else await sleep(20)
      }
    })
    await until('projects are created', async () => acknowledged.length > 20)
    await server.pause()
    await assertUnavailable(w, application, tokens.access_token)
    const before = acknowledged.length
    await server.resume()
    await until('projects are created again', async () => {
      w.advance(10) // past the rate limit of the key
      return acknowledged.length > before + 20
    })
    is_over = true
    await Promise.all(writers)

    expectStatus(200, await w.call('GET', '/readyz', { key: null }))
    // 429: the rate limit of the key.
    for (const status of statuses) assert.ok([201, 429, 503].includes(status), `a creation is ${status}`)
    for (const id of acknowledged) assert.ok(await isStored(w, id), `${id} was acknowledged and is not stored`)
    const again = expectStatus(200, await refresh(w, w.test, application, tokens.refresh_token))
    expectStatus(200, await userinfo(w, w.test, again.access_token))
    await signInForTokens(w, w.test, application, { user: person })
  },
)

/** Moves the clock past the rate limit of the key when it is reached. */
async function isStored(w: World, project_id: string): Promise<boolean> {
  let reply = await w.call('GET', `/v1/platform/projects/${project_id}`)
  while (reply.status === 429) {
    w.advance(10)
    reply = await w.call('GET', `/v1/platform/projects/${project_id}`)
  }
  return reply.status === 200
}

test(
  'while the network to PostgreSQL drops everything, every endpoint is 503, and afterwards the service recovers',
  { skip: noPostgres },
  async () => {
    const server = await startPostgres()
    after(() => server.stop())
    const line = await openLine(await server.freshDatabase())
    const w = await world({ env: env(line.url), database_limits: time_limits })
    const application = await w.createApplication(w.test)
    const { tokens } = await signInForTokens(w, w.test, application, { user: await w.createUser(w.test) })
    line.is_dead = true
    await assertUnavailable(w, application, tokens.access_token)
    line.is_dead = false
    line.cut()
    expectStatus(200, await userinfo(w, w.test, tokens.access_token))
    expectStatus(200, await refresh(w, w.test, application, tokens.refresh_token))
    expectStatus(200, await w.call('GET', '/readyz', { key: null }))
  },
)
