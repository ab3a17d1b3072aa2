import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '@ostiary/contract/delivery.ts'
import { Webhook as Verifier } from 'standardwebhooks'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { createWebhookHistories } from '../../src/domain/webhooks/history.ts'
import { signedHeaders } from '../../src/domain/webhooks/sign.ts'
import { findWebhook } from '../../src/domain/webhooks/store.ts'
import { awaiting } from '../support/awaited.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { type Received, startReceiver, until } from '../support/receiver.ts'
import { mostRowsOfStatement } from '../support/slices.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } })
const webhooks = `${w.test.path}/webhooks`

async function subscribe(fields: { url: string; events?: string[] }) {
  return expectStatus(201, await w.call('POST', webhooks, { body: fields }))
}

const deliveriesOf = async (webhook_id: string): Promise<Delivery[]> =>
  expectStatus(200, await w.call('GET', `${webhooks}/${webhook_id}/deliveries?limit=100`)).data

const verify = (secret: string, { headers, body }: Received) => new Verifier(secret).verify(body, headers as Record<string, string>)

test('an event arrives signed, as the list of events shows it', async () => {
  const receiver = await startReceiver()
  const webhook = await subscribe({ url: receiver.url, events: ['application.created'] })
  const application = await w.createApplication(w.test)
  await until('a delivery', () => receiver.received.length === 1)
  const [message] = receiver.received
  assert.ok(message)
  verify(webhook.secret, message)
  const event = JSON.parse(message.body)
  assert.equal(event.type, 'application.created')
  assert.equal(event.application_id, application.id)
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=application.created&application_id=${application.id}`))
  assert.deepEqual(event, data[0])
  const [delivery] = await until('a record', async () => {
    const all = await deliveriesOf(webhook.id)
    return all[0]?.status === 'delivered' && all
  })
  assert.equal(delivery?.message_id, message.headers['webhook-id'])
  assert.equal(delivery?.attempts[0]?.status, 204)
})

test('a webhook receives only the event types it subscribes to, of its own environment', async () => {
  const receiver = await startReceiver()
  await subscribe({ url: receiver.url, events: ['auth_key.created'] })
  await w.createApplication(w.test)
  const key = { type: 'auth_secret', label: 'backend' }
  await w.call('POST', `${w.live.path}/auth-keys`, { body: key })
  expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: key }))
  await until('the key’s event', () => receiver.received.length > 0)
  assert.deepEqual(
    receiver.received.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).environment.type]),
    [['auth_key.created', 'test']],
  )
})

test('a failed delivery is sent again with the same id and a new timestamp', async () => {
  const receiver = await startReceiver((_, count) => (count === 1 ? { status: 500, body: 'not now' } : { status: 200 }))
  const webhook = await subscribe({ url: receiver.url, events: ['application.deleted'] })
  const { id } = await w.createApplication(w.test)
  await w.call('DELETE', `${w.test.path}/applications/${id}`)
  const waiting = await until('a retry that waits', async () =>
    (await deliveriesOf(webhook.id)).find(({ status, attempts }) => status === 'waiting' && attempts.length === 1),
  )
  assert.equal(waiting.attempts[0]?.response, 'not now')
  w.advance(7)
  await until('the second attempt', () => receiver.received.length === 2)
  const [first, second] = receiver.received
  assert.ok(first && second)
  assert.equal(first.headers['webhook-id'], second.headers['webhook-id'])
  assert.equal(first.body, second.body)
  assert.notEqual(first.headers['webhook-timestamp'], second.headers['webhook-timestamp'])
})

test('first attempts arrive in the order of their sequence, even while a failed delivery waits for its retry', async () => {
  const receiver = await startReceiver(({ body }) => ({ status: JSON.parse(body).sequence % 3 === 0 ? 503 : 200 }))
  await subscribe({ url: receiver.url, events: ['application.updated'] })
  const { id } = await w.createApplication(w.test)
  for (let i = 0; i < 12; i++) await w.call('PATCH', `${w.test.path}/applications/${id}`, { body: { name: `Name ${i}` } })
  await until('all first attempts', () => receiver.received.length >= 12)
  const sequences = receiver.received.map(({ body }) => JSON.parse(body).sequence)
  assert.deepEqual(
    sequences,
    [...sequences].sort((a, b) => a - b),
  )
})

test('for a day after a rotation both secrets sign, then only the new one', async () => {
  const receiver = await startReceiver()
  const webhook = await subscribe({ url: receiver.url, events: ['test.ping'] })
  const { secret } = expectStatus(200, await w.call('POST', `${webhooks}/${webhook.id}/rotate-secret`))
  const ping = async () => {
    const before = receiver.received.length
    expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/test`))
    await until('the ping', () => receiver.received.length > before)
    const message = receiver.received.at(-1)
    assert.ok(message)
    return message
  }
  const during = await ping()
  verify(webhook.secret, during)
  verify(secret, during)
  w.advance(86_401)
  const signatures = String((await ping()).headers['webhook-signature']).split(' ')
  assert.equal(signatures.length, 1)
})

test('after two rotations within a day every earlier secret still signs until its 24 hours are over', async () => {
  const receiver = await startReceiver()
  const webhook = await subscribe({ url: receiver.url, events: ['test.ping'] })
  const path = `${webhooks}/${webhook.id}`
  const secrets: string[] = [webhook.secret]
  const rotate = async () => secrets.push(expectStatus(200, await w.call('POST', `${path}/rotate-secret`)).secret)
  const signing = async () => {
    const before = receiver.received.length
    expectStatus(202, await w.call('POST', `${path}/test`))
    await until('the ping', () => receiver.received.length > before)
    const message = receiver.received.at(-1) ?? assert.fail('no message')
    const own = secrets.filter((secret) => {
      const { headers, body } = message
      const made = signedHeaders(String(headers['webhook-id']), body, [secret], new Date(Number(headers['webhook-timestamp']) * 1000))
      return String(headers['webhook-signature'])
        .split(' ')
        .includes(made['webhook-signature'] ?? '')
    })
    assert.equal(String(message.headers['webhook-signature']).split(' ').length, own.length)
    return own.map((secret) => secrets.indexOf(secret))
  }
  await rotate()
  w.advance(3_600)
  await rotate()
  assert.deepEqual(await signing(), [0, 1, 2])
  w.advance(82_000)
  assert.deepEqual(await signing(), [0, 1, 2])
  w.advance(900)
  assert.deepEqual(await signing(), [1, 2])
  w.advance(3_600)
  assert.deepEqual(await signing(), [2])
  for (let rotation = 0; rotation < 7; rotation++) await rotate()
  assert.deepEqual(await signing(), [4, 5, 6, 7, 8, 9]) // the current one and the five before it
})

test('a test event goes only to the webhook under test', async () => {
  const [one, other] = [await startReceiver(), await startReceiver()]
  const webhook = await subscribe({ url: one.url, events: ['user.created'] })
  await subscribe({ url: other.url })
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/test`))
  await until('the ping', () => one.received.length === 1)
  assert.equal(other.received.length, 0)
})

test('a test of a disabled webhook says so', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const webhook = await subscribe({ url: receiver.url, events: ['user.created'] })
  const enabled = await subscribe({ url: other.url })
  expectStatus(200, await w.call('PATCH', `${webhooks}/${webhook.id}`, { body: { disabled: true } }))
  const { event_id } = expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/test`))
  const given_up = () => until('the delivery', async () => (await deliveriesOf(webhook.id)).find(({ status }) => status === 'given_up'))
  const delivery = await given_up()
  assert.deepEqual([delivery.event_id, delivery.next_attempt_at, delivery.attempts], [event_id, null, []])
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/deliveries/${delivery.id}/resend`))
  assert.deepEqual((await given_up()).attempts, [])
  assert.deepEqual([receiver.received.length, await deliveriesOf(enabled.id)], [0, []])
})

test('410 disables the webhook and causes the event webhook.disabled', async () => {
  const watcher = await startReceiver()
  await subscribe({ url: watcher.url, events: ['webhook.disabled'] })
  const gone = await startReceiver(() => ({ status: 410 }))
  const webhook = await subscribe({ url: gone.url, events: ['user.created'] })
  const { config_version } = expectStatus(200, await w.call('GET', w.test.path))
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/test`))
  await until('the notice', () => watcher.received.length === 1)
  assert.deepEqual(JSON.parse(watcher.received[0]?.body ?? '').data, { webhook_id: webhook.id, reason: 'gone' })
  const after = expectStatus(200, await w.call('GET', `${webhooks}/${webhook.id}`))
  assert.deepEqual([after.disabled, after.disabled_reason], [true, 'gone'])
  assert.equal(expectStatus(200, await w.call('GET', w.test.path)).config_version, config_version + 1)
})

test('a delivery whose process died at each of its attempts ends as given_up', async () => {
  const receiver = await startReceiver((_, count) => ({ status: count === 1 ? 500 : 204 }))
  const webhook = await subscribe({ url: receiver.url, events: ['application.updated'] })
  const { id } = await w.createApplication(w.test)
  await w.call('PATCH', `${w.test.path}/applications/${id}`, { body: { name: 'Renamed' } })
  await until('a retry that waits', async () => (await deliveriesOf(webhook.id))[0]?.attempts.length === 1)
  await w.deployment.db.run(sql`update jobs set attempts = 5 where kind = 'webhook_retry' and lane = ${webhook.id}`)
  w.advance(10)
  const [delivery] = await until('the end', async () => {
    const all = await deliveriesOf(webhook.id)
    return all[0]?.status === 'given_up' && all
  })
  assert.deepEqual([delivery?.next_attempt_at, receiver.received.length], [null, 1])
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/deliveries/${delivery?.message_id}/resend`))
  await until('the resent message', async () => (await deliveriesOf(webhook.id))[0]?.status === 'delivered')
})

test('a message can be resent, and so can all messages since a time', async () => {
  const receiver = await startReceiver()
  const webhook = await subscribe({ url: receiver.url, events: ['signing_key.rotated'] })
  const since = w.now().toISOString()
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/test`))
  const [delivery] = await until('the delivery', async () => {
    const all = await deliveriesOf(webhook.id)
    return all[0]?.status === 'delivered' && all
  })
  expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/deliveries/${delivery?.message_id}/resend`))
  await until('the second', () => receiver.received.length === 2)
  assert.deepEqual(expectStatus(202, await w.call('POST', `${webhooks}/${webhook.id}/resend`, { body: { since } })), { messages: 1 })
  await until('the third', () => receiver.received.length === 3)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
})

const refused = [
  'http://127.0.0.2/',
  'http://10.0.0.1/',
  'http://[::1]/',
  'http://169.254.169.254/latest',
  'http://167772161/',
  'http://0x7f.2/',
  'http://[::ffff:10.0.0.1]/',
]
for (const url of refused) {
  test(`a webhook with the url ${url} is 422`, async () => {
    assert.equal((await w.call('POST', webhooks, { body: { url } })).status, 422)
  })
}

test('a webhook in Live requires https', async () => {
  assert.equal((await w.call('POST', `${w.live.path}/webhooks`, { body: { url: 'http://hooks.example.com/' } })).status, 422)
  expectStatus(201, await w.call('POST', `${w.live.path}/webhooks`, { body: { url: 'https://hooks.example.com/' } }))
})

test('a secret is shown once, and not in a replay', async () => {
  const options = { body: { url: 'https://hooks.example.com/once' }, headers: { 'idempotency-key': 'one' } }
  const first = expectStatus(201, await w.call('POST', webhooks, options))
  assert.match(first.secret, /^whsec_/)
  assert.equal(expectStatus(201, await w.call('POST', webhooks, options)).secret, null)
  assert.equal('secret' in expectStatus(200, await w.call('GET', `${webhooks}/${first.id}`)), false)
})

/** Messages of a webhook, each with an attempt. */
async function insertMessages(webhook_id: string, prefix: string, count: number): Promise<void> {
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`
  const at = w.now()
  await w.deployment.db.batch([
    sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
        ${numbers} select ${w.test.id}, cast(${prefix} as text) || (1000 + i), ${webhook_id}, 'evt_' || i, 'test.ping', 'delivered', ${at}, ${at} from n`,
    sql`insert into webhook_attempts (environment_id, message_id, number, at, latency_ms)
        ${numbers} select ${w.test.id}, cast(${prefix} as text) || (1000 + i), 1, ${at}, 1 from n`,
  ])
}

async function messagesOf(webhook_id: string): Promise<number | undefined> {
  const [row] = await w.deployment.db.all(
    z.object({ count: z.int() }),
    sql`select count(*) as count from webhook_messages where webhook_id = ${webhook_id}`,
  )
  return row?.count
}

const isRemoval = (statements: readonly Statement[]) =>
  statements.some(({ parts }) => parts.join('').includes('delete from webhook_messages'))

test('the messages of a deleted webhook go a slice at a time, after it: a deletion that is refused leaves them', async () => {
  const { db } = w.deployment
  const { id } = await subscribe({ url: 'http://127.0.0.1:9/', events: ['test.ping'] })
  await insertMessages(id, 'msg_many', 700)
  const left = async () => {
    const count = (from: ReturnType<typeof sql>) => db.all(z.object({ count: z.int() }), sql`select count(*) as count from ${from}`)
    const [messages, attempts, audited] = await Promise.all([
      count(sql`webhook_messages where webhook_id = ${id}`),
      count(sql`webhook_attempts where message_id like 'msg_many%'`),
      count(sql`audit_log where object_id = ${id} and action = 'deleteWebhook'`),
    ])
    return [messages, attempts, audited].map(([row]) => row?.count)
  }
  const remove = (headers = {}) => w.call('DELETE', `${webhooks}/${id}`, { headers })

  const renamed = { description: 'Changed meanwhile' }
  let is_changed = false
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements) => {
      const deletes = statements.some(({ parts }) => /delete from webhooks|delete from webhook_messages/.test(parts.join('')))
      if (deletes && !is_changed) {
        is_changed = true
        expectStatus(200, await w.call('PATCH', `${webhooks}/${id}`, { body: renamed }))
      }
      return batch(statements)
    },
  }))
  const refused = await remove({ 'if-match': '"1"' }).finally(() => {
    restore()
  })
  assert.deepEqual([refused.status, is_changed], [412, true])
  assert.deepEqual(await left(), [700, 700, 0])
  const removeAll = async () => {
    expectStatus(204, await remove())
    await until('the end of the history', async () => (await left())[0] === 0)
  }
  assert.ok((await mostRowsOfStatement(db, removeAll)) <= 200)
  assert.deepEqual(await left(), [0, 0, 1])
})

test('the deletion of a webhook is answered before its messages go', async () => {
  const { db } = w.deployment
  const { id } = await subscribe({ url: 'http://127.0.0.1:9/', events: ['test.ping'] })
  await insertMessages(id, 'msg_later', 1)
  const answered = Promise.withResolvers<void>()
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements) => {
      if (isRemoval(statements)) await answered.promise
      return batch(statements)
    },
  }))
  try {
    expectStatus(204, await awaiting('the answer', w.call('DELETE', `${webhooks}/${id}`)))
    assert.equal(await messagesOf(id), 1)
    answered.resolve()
    await until('the end of the history', async () => (await messagesOf(id)) === 0)
  } finally {
    answered.resolve()
    restore()
  }
})

test('a stop ends the removal of histories after the slice that runs', async () => {
  const { db } = w.deployment
  const hooks = [await subscribe({ url: 'http://127.0.0.1:9/' }), await subscribe({ url: 'http://127.0.0.1:9/' })]
  for (const [n, { id }] of hooks.entries()) await insertMessages(id, `msg_stop${n}`, 500)
  const histories = createWebhookHistories(w.deployment)
  const stops: Promise<void>[] = []
  const restore = replaceMethods(db, ({ batch }) => ({
    batch: async (statements) => {
      if (isRemoval(statements)) stops.push(histories.stop())
      return batch(statements)
    },
  }))
  try {
    for (const { id } of hooks) histories.remove((await findWebhook(db, w.test.id, id)) ?? assert.fail())
    await until('the stop', () => stops.length > 0)
    await Promise.all(stops)
  } finally {
    restore()
  }
  assert.deepEqual([await messagesOf(hooks[0].id), await messagesOf(hooks[1].id)], [300, 500])
})
