/** PostgreSQL goes away under a running service and comes back: 503 within two seconds, then full service by itself, and nothing acknowledged lost. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorizationRequest, createAgent, exchange, refresh, signInForTokens, userinfo } from './support/cookie-browser.ts'
import { noPostgres, startPostgres } from './support/postgres.ts'
import { openLine } from './support/tcp-proxy.ts'
import { expectStatus, type Reply, type World, world } from './support/world.ts'

const env = (url: string) => ({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') })

async function timed(work: Promise<Reply>): Promise<{ reply: Reply; ms: number }> {
  const began = performance.now()
  const reply = await work
  return { reply, ms: performance.now() - began }
}

/** What every kind of endpoint says while the database is away. */
async function answersUnavailable(w: World, application: Parameters<typeof refresh>[2], access_token: string): Promise<void> {
  const request = authorizationRequest(w.test, application)
  const calls = {
    management: w.call('GET', '/v1/platform/projects'),
    change: w.call('POST', '/v1/platform/projects', { body: { slug: 'away', name: 'Away' } }),
    userinfo: userinfo(w, w.test, access_token),
    token: exchange(w, w.test, application, request, 'any'),
    page: createAgent().get(request.url),
    discovery: w.call('GET', `${w.test.issuer}/.well-known/openid-configuration`, { key: null }),
    readiness: w.call('GET', '/readyz', { key: null }),
  }
  for (const [name, call] of Object.entries(calls)) {
    const { reply, ms } = await timed(call)
    assert.equal(reply.status, 503, `${name}: ${JSON.stringify(reply.body)}`)
    assert.ok(ms < 2000, `${name} took ${ms} ms`)
  }
  expectStatus(200, await w.call('GET', '/healthz', { key: null }))
}

test(
  'while PostgreSQL is stopped everything is 503 at once, and afterwards all is as it was acknowledged',
  { skip: noPostgres },
  async () => {
    const server = await startPostgres()
    after(() => server.stop())
    const limits = { OSTIARY_LIMITS: '{"projects_per_tenant":100000}' } // more than the writers create
    const w = await world({ env: { ...env(await server.freshDatabase()), ...limits } })
    const application = await w.createApplication(w.test)
    const person = await w.createUser(w.test)
    const { tokens } = await signInForTokens(w, w.test, application, person)

    const acknowledged: string[] = []
    const statuses = new Set<number>()
    let slowest_ms = 0
    let is_over = false
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; !is_over; i++) {
        const body = { slug: `p-${writer}-${i}`, name: 'A project' }
        const { reply, ms } = await timed(w.call('POST', '/v1/platform/projects', { body }))
        slowest_ms = Math.max(slowest_ms, ms)
        statuses.add(reply.status)
        if (reply.status === 201) acknowledged.push(reply.body.id)
        else await sleep(20)
      }
    })
    await sleep(500)
    await server.pause()
    await answersUnavailable(w, application, tokens.access_token)
    const before = acknowledged.length
    await server.resume()
    await sleep(500)
    is_over = true
    await Promise.all(writers)

    expectStatus(200, await w.call('GET', '/readyz', { key: null }))
    assert.ok(before > 0 && acknowledged.length > before, 'projects are made before and after')
    // 429: the key's own limit.
    for (const status of statuses) assert.ok([201, 429, 503].includes(status), `a project was answered ${status}`)
    assert.ok(slowest_ms < 2000, `the slowest took ${slowest_ms} ms`)
    for (const id of acknowledged) assert.ok(await isStored(w, id), `${id} was acknowledged and is gone`)
    const again = expectStatus(200, await refresh(w, w.test, application, tokens.refresh_token))
    expectStatus(200, await userinfo(w, w.test, again.access_token))
    await signInForTokens(w, w.test, application, person)
  },
)

/** Asked past the rate limit. */
async function isStored(w: World, project_id: string): Promise<boolean> {
  let reply = await w.call('GET', `/v1/platform/projects/${project_id}`)
  while (reply.status === 429) {
    w.advance(10)
    reply = await w.call('GET', `/v1/platform/projects/${project_id}`)
  }
  return reply.status === 200
}

test('while the network to PostgreSQL swallows everything, everything is 503 within two seconds', { skip: noPostgres }, async () => {
  const server = await startPostgres()
  after(() => server.stop())
  const line = await openLine(await server.freshDatabase())
  const w = await world({ env: env(line.url) })
  const application = await w.createApplication(w.test)
  const { tokens } = await signInForTokens(w, w.test, application, await w.createUser(w.test))
  line.is_dead = true
  await answersUnavailable(w, application, tokens.access_token)
  line.is_dead = false
  line.cut()
  expectStatus(200, await userinfo(w, w.test, tokens.access_token))
  expectStatus(200, await refresh(w, w.test, application, tokens.refresh_token))
  expectStatus(200, await w.call('GET', '/readyz', { key: null }))
})
