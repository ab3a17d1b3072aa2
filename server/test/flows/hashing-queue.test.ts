/** A full hashing queue is 503 with Retry-After, as a page or a problem, for one environment only (decision 0005). */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
/** One environment may have a running hash and four waiting ones per core. */
const most_at_once = availableParallelism() * 5
const flood = most_at_once * 3

const Sum = z.object({ attempts: z.int() })

test('sign-ins beyond the queue of an environment get a page with 503, and count against no limit', async () => {
  const client = await w.createApplication(w.test)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.test, client).url)
  const guess = (i: number) =>
    agent.submit(page, { email: `unknown${i}@example.com`, password: 'wrong' }, { 'x-forwarded-for': `198.51.100.${i % 200}` })
  const replies = await Promise.all(Array.from({ length: flood }, (_, i) => guess(i)))
  const busy = replies.filter(({ status }) => status === 503)
  const checked = replies.filter(({ status }) => status === 400)
  assert.equal(busy.length + checked.length, flood)
  assert.ok(busy.length > 0 && checked.length >= most_at_once, `${checked.length} of ${flood} were checked`)
  for (const { headers, body } of busy) {
    assert.ok(Number(headers.get('retry-after')) > 0)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(body, /not available right now/)
  }
  const counted = await w.deployment.db.maybeOne(
    Sum,
    sql`select cast(sum(attempts) as integer) as attempts from sign_in_attempts 
         where environment_id = ${w.test.id} and account = 'spraying'`,
  )
  assert.equal(counted?.attempts, checked.length)
  assert.equal((await guess(flood)).status, 400, 'the queue has room afterwards')
})

test('new passwords beyond the queue of an environment are 503 unavailable, and store nothing', async () => {
  const [here, there] = [await createAuthKey(w, w.live, 'auth_secret'), await createAuthKey(w, w.test, 'auth_secret')]
  const create = (key: string, email: string) =>
    w.call('POST', '/v1/auth/users', { key, body: { email, password: 'a memorable sentence' } })
  const [elsewhere, ...replies] = await Promise.all([
    create(there.key, 'elsewhere@example.com'),
    ...Array.from({ length: flood }, (_, i) => create(here.key, `new${i}@example.com`)),
  ])
  assert.equal(elsewhere?.status, 201, 'the queue has room for another environment')
  const busy = replies.filter(({ status }) => status === 503)
  assert.ok(busy.length > 0)
  for (const { body, headers } of busy) {
    assert.equal(body.code, 'unavailable')
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  const made = replies.filter(({ status }) => status === 201).map(({ body }) => body.email)
  assert.equal(made.length + busy.length, flood)
  for (const [i, { status }] of replies.entries()) {
    const { data } = expectStatus(200, await w.call('GET', `${w.live.path}/users?email=new${i}@example.com`))
    assert.equal(data.length, status === 201 ? 1 : 0)
  }
})

test('a sign-in whose client disconnects while it waits is not checked, and counts against no limit', async () => {
  const { test: environment } = await w.createProject('gone')
  const client = await w.createApplication(environment)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  const disconnect = new AbortController()
  const attempts = Array.from({ length: most_at_once }, (_, i) => {
    const headers = { 'x-forwarded-for': `203.0.113.${i}` }
    return agent.submit(page, { email: `gone${i}@example.com`, password: 'wrong' }, headers, disconnect.signal).catch(() => null)
  })
  // Once the first is answered, the others wait in the queue.
  await Promise.race(attempts)
  disconnect.abort()
  await Promise.all(attempts)
  // The queue computes nothing for clients that disconnected.
  assert.equal((await agent.submit(page, { email: 'last@example.com', password: 'wrong' })).status, 400)
  const failed = await w.deployment.db.maybeOne(
    z.object({ failed: z.int() }),
    sql`select cast(count(*) as integer) as failed from events where environment_id = ${environment.id} and type = 'sign_in.failed'`,
  )
  assert.ok((failed?.failed ?? 0) < most_at_once, `${failed?.failed} of ${most_at_once + 1} were checked`)
})
