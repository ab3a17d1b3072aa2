/** Deliveries by status and event, and messages that are sent again: of webhooks and of back-channel logout. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackchannelLogout } from '@ostiary/contract/backchannel-logout.ts'
import type { Delivery } from '@ostiary/contract/delivery.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { untilAttempted } from '../support/queue.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } })
const { db } = w.deployment

/** A webhook with stored messages: `waiting`, `delivered` and `given_up` of these numbers, one minute apart, oldest first. */
async function webhookWith(environment: TestEnvironment, statuses: readonly Delivery['status'][], url = 'https://hooks.example.com/') {
  const { id } = expectStatus(201, await w.call('POST', `${environment.path}/webhooks`, { body: { url, events: ['test.ping'] } }))
  const messages: string[] = []
  for (const status of statuses) {
    w.advance(60)
    const [message_id, event_id, at] = [w.deployment.newId('msg'), w.deployment.newId('evt'), w.now()]
    await db.run(
      sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
          values (${environment.id}, ${message_id}, ${id}, ${event_id}, 'test.ping', ${status}, ${at}, ${at})`,
    )
    messages.push(message_id)
  }
  return { id: id as string, messages, path: `${environment.path}/webhooks/${id}` }
}

const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
const Queued = z.object({ id: z.string(), tenant_id: z.string() })
const queued = (webhook_id: string) =>
  db.all(Queued, sql`select id, tenant_id from jobs where kind = 'webhook_retry' and lane = ${webhook_id} order by id`)

for (const environment of [w.test, w.live]) {
  const { type } = environment

  test(`deliveries are listed by status and by event, and each is read by its id (${type})`, async () => {
    const { path, messages } = await webhookWith(environment, ['given_up', 'delivered', 'given_up', 'delivered', 'delivered'])
    const [first, second, third, fourth, fifth] = messages
    const list = async (query: string) => expectStatus(200, await w.call('GET', `${path}/deliveries?${query}`))
    assert.deepEqual(ids(await list('status=given_up')), [third, first])
    assert.deepEqual(ids(await list('status=delivered')), [fifth, fourth, second])
    assert.deepEqual(ids(await list('status=waiting')), [])
    const page = await list('status=delivered&limit=2')
    assert.deepEqual([ids(page), page.has_more], [[fifth, fourth], true])
    assert.deepEqual(ids(await list(`status=delivered&limit=2&cursor=${encodeURIComponent(page.next_cursor)}`)), [second])
    const reply = await w.call('GET', `${path}/deliveries/${third}`)
    const delivery = expectStatus(200, reply)
    assert.deepEqual([delivery.message_id, delivery.status, delivery.attempts], [third, 'given_up', []])
    assert.match(reply.headers.get('etag') ?? '', /^"\d+"$/)
    assert.deepEqual(ids(await list(`event_id=${delivery.event_id}`)), [third])
    assert.deepEqual(ids(await list(`event_id=${delivery.event_id}&status=delivered`)), [])
    assert.equal((await w.call('GET', `${path}/deliveries?status=lost`)).status, 422)
    const other = await webhookWith(environment, [])
    assert.equal((await w.call('GET', `${other.path}/deliveries/${third}`)).status, 404)
  })

  test(`resend counts and sends what since and status select, and a dry run sends nothing (${type})`, async () => {
    const { id, path, messages } = await webhookWith(environment, ['given_up', 'delivered', 'given_up', 'delivered'])
    expectStatus(200, await w.call('PATCH', path, { body: { disabled: true } }))
    const { created_at: since } = expectStatus(200, await w.call('GET', `${path}/deliveries/${messages[1]}`))
    const resend = async (body: object) => expectStatus(202, await w.call('POST', `${path}/resend`, { body })).messages
    const long_ago = '2000-01-01T00:00:00Z'
    assert.equal(await resend({ since: long_ago, dry_run: true }), 4)
    assert.equal(await resend({ since, dry_run: true }), 3)
    assert.equal(await resend({ since, status: 'given_up', dry_run: true }), 1)
    assert.equal(await resend({ since: '2100-01-01T00:00:00Z' }), 0)
    assert.deepEqual(await queued(id), [])
    assert.equal(await resend({ since, status: 'given_up', dry_run: false }), 1)
    await until('the end of the job', async () => (await queued(id)).length === 0)
    const delivery = async (n: number) => expectStatus(200, await w.call('GET', `${path}/deliveries/${messages[n]}`))
    assert.equal((await delivery(2)).status, 'given_up') // a disabled webhook gets no attempt
    assert.notEqual((await delivery(2)).updated_at, (await delivery(2)).created_at)
    assert.equal((await delivery(0)).updated_at, (await delivery(0)).created_at)
    for (const body of [{}, { since: 'yesterday' }, { since, status: 'waiting' }, { since, dry_run: 'yes' }])
      assert.equal((await w.call('POST', `${path}/resend`, { body })).status, 422, JSON.stringify(body))
  })
}

test('all given up messages arrive again, in one change with one audit entry, and the same Idempotency-Key sends them once', async () => {
  const receiver = await startReceiver()
  const { id, path } = await webhookWith(w.test, [], receiver.url)
  const at = w.now()
  const origin = { count: 300 }
  for (let n = 0; n < origin.count; n++) {
    const [message_id, event_id] = [w.deployment.newId('msg'), w.deployment.newId('evt')]
    await db.batch([
      sql`insert into events (environment_id, id, sequence, type, created_at, actor_type, data)
          values (${w.test.id}, ${event_id}, ${1_000_000 + n}, 'test.ping', ${at}, 'system', '{}')`,
      sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
          values (${w.test.id}, ${message_id}, ${id}, ${event_id}, 'test.ping', 'given_up', ${at}, ${at})`,
    ])
  }
  const send = () =>
    w.call('POST', `${path}/resend`, { body: { since: at.toISOString(), status: 'given_up' }, headers: { 'idempotency-key': 'again' } })
  const replies = await Promise.all([send(), send(), send()])
  for (const reply of replies) assert.deepEqual(expectStatus(202, reply), { messages: origin.count })
  await until('every message', () => receiver.received.length === origin.count)
  await until('the end', async () => (await queued(id)).length === 0)
  const left = expectStatus(200, await w.call('GET', `${path}/deliveries?status=delivered&limit=100`))
  assert.equal(left.data.length, 100)
  assert.equal(receiver.received.length, origin.count)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, origin.count)
})

test('no message is left waiting without a job when deliveries settle during a resend', async () => {
  const { id, path, messages } = await webhookWith(w.test, Array(40).fill('given_up'))
  expectStatus(200, await w.call('PATCH', path, { body: { disabled: true } }))
  const since = '2000-01-01T00:00:00Z'
  const settle = (message_id: string) => db.run(sql`update webhook_messages set status = 'delivered' where id = ${message_id}`)
  const [replies] = await Promise.all([
    Promise.all(Array.from({ length: 10 }, () => w.call('POST', `${path}/resend`, { body: { since, status: 'given_up' } }))),
    Promise.all(messages.slice(0, 20).map(settle)),
  ])
  for (const reply of replies) expectStatus(202, reply)
  await until('the end of every job', async () => (await queued(id)).length === 0)
  const waiting = expectStatus(200, await w.call('GET', `${path}/deliveries?status=waiting`))
  assert.deepEqual(waiting.data, [])
})

for (const environment of [w.test, w.live]) {
  const logouts = async (): Promise<BackchannelLogout[]> =>
    expectStatus(200, await w.call('GET', `${environment.path}/backchannel-logouts?limit=100`)).data
  const E = environment.path
  const { type } = environment

  /** A person whose session at an application is ended. */
  async function signedOut(fields: Record<string, unknown>) {
    const client = await w.createApplication(environment, { backchannel_logout_uri: 'https://app.example.com/logout' })
    // Live takes https only, and the receivers of this machine are http.
    if (fields.url) await db.run(sql`update applications set backchannel_logout_uri = ${String(fields.url)} where id = ${client.id}`)
    const person = await createPerson(w, environment)
    await person.tokens(client)
    const key = expectStatus(201, await w.call('POST', `${E}/auth-keys`, { body: { type: 'auth_secret' } }))
    expectStatus(200, await w.call('POST', `/v1/auth/users/${person.id}/end-sessions`, { key: key.key }))
    const find = async () => (await logouts()).find(({ user_id }) => user_id === person.id)
    // Messages of an ended session follow in slices.
    await until('the message', async () => (await find()) !== undefined)
    const message = async () => (await find()) ?? assert.fail('no message')
    return { client, person, message }
  }

  test(`a back-channel logout is listed with its failed attempts, and given up after the fourth (${type})`, async () => {
    const receiver = await startReceiver(() => ({ status: 503, body: 'not \0 now' }))
    const { client, message } = await signedOut({ url: type === 'test' ? receiver.url : 'https://127.0.0.1:9/logout' })
    await until('the first attempt', async () => (await message()).attempts.length === 1)
    const waiting = await until('the time of the next', async () => {
      const found = await message()
      return found.next_attempt_at !== null && found
    })
    assert.deepEqual([waiting.status, waiting.application_id, waiting.id], ['waiting', client.id, waiting.message_id])
    const [attempt] = waiting.attempts
    if (type === 'test') assert.deepEqual([attempt?.status, attempt?.response, attempt?.error], [503, 'not \ufffd now', null])
    else assert.deepEqual([attempt?.status, attempt?.response], [null, null])
    for (const attempt of [1, 2, 3]) {
      await untilAttempted(db, client.id, attempt)
      w.advance(200)
    }
    const ended = await until('the end', async () => {
      const found = await message()
      return found.status === 'given_up' && found
    })
    assert.deepEqual([ended.next_attempt_at, ended.attempts.length], [null, 4])
  })

  test(`a logout that was given up arrives after a resend, which other environments do not find (${type})`, async () => {
    let is_down = true
    const receiver = await startReceiver(() => ({ status: is_down ? 400 : 204 }))
    const { client, message } = await signedOut(type === 'test' ? { url: receiver.url } : {})
    const resend = (path: string, id: string) => w.call('POST', `${path}/backchannel-logouts/${id}/resend`)
    if (type === 'live') {
      await db.run(sql`update applications set backchannel_logout_uri = null where id = ${client.id}`)
      await until('the end', async () => {
        w.advance(200)
        return (await message()).status === 'given_up'
      })
      assert.equal((await resend(w.test.path, (await message()).id)).status, 404)
      return
    }
    const { id } = await until('the end', async () => {
      const found = await message()
      return found.status === 'given_up' && found
    })
    is_down = false
    const reply = expectStatus(202, await resend(E, id))
    assert.deepEqual([reply.id, reply.status], [id, 'waiting'])
    const delivered = await until('the delivery', async () => {
      const found = await message()
      return found.status === 'delivered' && found
    })
    assert.deepEqual(
      delivered.attempts.map(({ status }) => status),
      [400, 204],
    )
    assert.equal((await resend(w.live.path, id)).status, 404)
  })
}

/** Signs a new person of an application out, and returns how to read the logout that follows. */
async function signOutOf(receiver_url: string) {
  const client = await w.createApplication(w.test, { backchannel_logout_uri: receiver_url })
  const person = await createPerson(w, w.test)
  await person.tokens(client)
  await person.agent.submit(await person.agent.get(`${w.test.issuer}/oauth/logout`), { decision: 'sign_out' })
  return async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/backchannel-logouts?limit=100`))
    return data.find(({ user_id }: BackchannelLogout) => user_id === person.id) as BackchannelLogout
  }
}

test('a resend moves a waiting attempt to now and adds no second one', async () => {
  let answers = 0
  const receiver = await startReceiver(() => ({ status: ++answers === 1 ? 503 : 204 }))
  const message = await signOutOf(receiver.url)
  const { id } = await until('a retry that waits', async () => {
    const found = await message()
    if (!found) return false
    const job = await db.maybeOne(z.object({ id: z.string() }), sql`select id from jobs where id = ${found.id} and leased_by is null`)
    return found.attempts.length === 1 && job !== null && found
  })
  for (let n = 0; n < 3; n++) expectStatus(202, await w.call('POST', `${w.test.path}/backchannel-logouts/${id}/resend`))
  await until('the delivery', async () => (await message()).status === 'delivered')
  assert.ok(receiver.received.length >= 2)
})

test('a logout that is resent during an attempt that is refused is sent once more and not given up', async () => {
  const first = Promise.withResolvers<{ status: number }>()
  const receiver = await startReceiver((_, count) => (count === 1 ? first.promise : { status: 204 }))
  const message = await signOutOf(receiver.url)
  await until('the first attempt', () => receiver.received.length === 1)
  w.advance(1)
  expectStatus(202, await w.call('POST', `${w.test.path}/backchannel-logouts/${(await message()).id}/resend`))
  first.resolve({ status: 400 })
  await until('the delivery', async () => (await message()).status === 'delivered')
  assert.deepEqual(
    (await message()).attempts.map(({ status }) => status),
    [400, 204],
  )
})

test('back-channel logouts are removed after 90 days with their attempts', async () => {
  const in_days = (days: number) => new Date(w.now().getTime() + days * 86_400_000)
  const count = async () =>
    (
      await db.maybeOne(
        z.object({ count: z.int() }),
        sql`select (select count(*) from backchannel_logouts) + (select count(*) from backchannel_logout_attempts) as count`,
      )
    )?.count
  assert.ok(await count())
  await removeExpiredRows(db, in_days(88))
  assert.ok(await count())
  await removeExpiredRows(db, in_days(92))
  assert.equal(await count(), 0)
})
