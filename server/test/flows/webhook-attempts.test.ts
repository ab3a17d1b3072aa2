/** Attempts that overlap with each other, with a change of their webhook, and with a resend of their message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '@ostiary/contract/delivery.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { recordAttempt } from '../../src/domain/queue/attempts.ts'
import { claim, enqueue, remove } from '../../src/domain/queue/queue.ts'
import { createWebhookJobs } from '../../src/domain/webhooks/deliver.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } })
const webhooks = `${w.test.path}/webhooks`

const subscribe = async (url: string) => expectStatus(201, await w.call('POST', webhooks, { body: { url, events: ['test.ping'] } }))
const webhookOf = async (id: string) => expectStatus(200, await w.call('GET', `${webhooks}/${id}`))
const ping = async (id: string) => expectStatus(202, await w.call('POST', `${webhooks}/${id}/test`))
const firstDelivery = async (id: string): Promise<Delivery | undefined> =>
  expectStatus(200, await w.call('GET', `${webhooks}/${id}/deliveries?limit=100`)).data.at(-1)
const attemptsOf = async (id: string) => (await firstDelivery(id))?.attempts.map(({ status }) => status) ?? []
const Id = z.object({ id: z.string() })
const jobsOf = (webhook_id: string) => w.deployment.db.all(Id, sql`select id from jobs where lane = ${webhook_id}`)

/** A receiver that holds back some answers until the test gives them. */
async function startHoldingReceiver(answer: (count: number) => number | 'held') {
  const held: ((status: number) => void)[] = []
  const receiver = await startReceiver((_, count) => {
    const status = answer(count)
    if (status !== 'held') return { status }
    return new Promise((resolve) => held.push((given) => resolve({ status: given })))
  })
  return { ...receiver, held }
}

const late_answers = [
  { after_seconds: 10, status: 503 },
  { after_seconds: 5 * 86_400 + 10, status: 503 },
  { after_seconds: 10, status: 410 },
]
for (const { after_seconds, status } of late_answers) {
  test(`an attempt that began before a success disables nothing (${status} after ${after_seconds} s)`, async () => {
    const receiver = await startHoldingReceiver((count) => (count === 1 ? 500 : count === 2 ? 'held' : 204))
    const { id } = await subscribe(receiver.url)
    await ping(id)
    await until('a failure', async () => (await webhookOf(id)).failing_since !== null)
    w.advance(after_seconds)
    await until('the retry in flight', () => receiver.held.length === 1)
    await ping(id)
    await until('a success', async () => (await webhookOf(id)).last_success_at !== null)
    receiver.held[0]?.(status)
    await until('the record', async () => (await attemptsOf(id)).length === 2)
    const { disabled, failing_since } = await webhookOf(id)
    assert.deepEqual([disabled, failing_since], [false, null])
    assert.equal((await firstDelivery(id))?.status, 'waiting')
    w.advance(500)
    await until('the next attempt', async () => (await firstDelivery(id))?.status === 'delivered')
  })
}

for (const status of [410, 503]) {
  test(`an attempt that began before a change of the URL disables nothing (${status})`, async () => {
    const old = await startHoldingReceiver((count) => (count === 1 ? 500 : 'held'))
    const receiver = await startReceiver()
    const { id } = await subscribe(old.url)
    await ping(id)
    await until('a failure', async () => (await webhookOf(id)).failing_since !== null)
    w.advance(5 * 86_400 + 10)
    await until('the retry in flight', () => old.held.length === 1)
    expectStatus(200, await w.call('PATCH', `${webhooks}/${id}`, { body: { url: receiver.url } }))
    old.held[0]?.(status)
    await until('the record', async () => (await attemptsOf(id)).length === 2)
    assert.equal((await webhookOf(id)).disabled, false)
    w.advance(500)
    await until('the delivery to the new URL', async () => (await firstDelivery(id))?.status === 'delivered')
    assert.equal(receiver.received.length, 1)
  })
}

test('five days without one success disable the webhook', async () => {
  const receiver = await startReceiver(() => ({ status: 500 }))
  const { id } = await subscribe(receiver.url)
  await ping(id)
  await until('a failure', async () => (await webhookOf(id)).failing_since !== null)
  w.advance(5 * 86_400)
  await until('the end', async () => (await webhookOf(id)).disabled)
  assert.equal((await webhookOf(id)).disabled_reason, 'failing')
  assert.deepEqual([(await firstDelivery(id))?.status, await attemptsOf(id)], ['given_up', [500, 500]])
})

test('of two parallel attempts of a message both are kept, and a success is final', async () => {
  const receiver = await startHoldingReceiver((count) => (count === 1 ? 500 : 'held'))
  const { id } = await subscribe(receiver.url)
  await ping(id)
  await until('a failure', async () => (await attemptsOf(id)).length === 1)
  w.advance(10)
  await until('the retry in flight', () => receiver.held.length === 1)
  w.advance(60) // its lease ends, as when its process hangs
  await until('both in flight', () => receiver.held.length === 2)
  receiver.held[1]?.(200)
  await until('the success', async () => (await firstDelivery(id))?.status === 'delivered')
  receiver.held[0]?.(503)
  await until('all attempts', async () => (await attemptsOf(id)).length === 3)
  assert.deepEqual([(await firstDelivery(id))?.status, await attemptsOf(id)], ['delivered', [500, 200, 503]])
  assert.deepEqual(await jobsOf(id), [])
})

test('50 attempts of a message that are recorded in parallel are all kept', async () => {
  const { db, newId } = w.deployment
  const { id: webhook_id } = await subscribe('https://hooks.example.com/')
  const [id, at] = [newId('msg'), w.now()]
  await db.run(sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
    values (${w.test.id}, ${id}, ${webhook_id}, ${newId('evt')}, 'test.ping', 'given_up', ${at}, ${at})`)
  const statuses = Array.from({ length: 50 }, (_, n) => 500 + n)
  const attempt = { at, latency_ms: 1, response: null, error: null }
  await Promise.all(statuses.map((status) => db.batch(recordAttempt('webhook_attempts', w.test.id, id, { ...attempt, status }))))
  assert.deepEqual((await attemptsOf(webhook_id)).sort(), statuses)
})

test('a resend of a waiting message keeps its remaining retries', async () => {
  let status = 500
  const receiver = await startReceiver(() => ({ status }))
  const since = w.now().toISOString()
  const { id } = await subscribe(receiver.url)
  const path = `${webhooks}/${id}`
  await ping(id)
  await until('a failure', async () => (await attemptsOf(id)).length === 1)
  const { id: message_id } = (await firstDelivery(id)) ?? assert.fail('no delivery')
  const resend = async () => expectStatus(202, await w.call('POST', `${path}/deliveries/${message_id}/resend`))
  const resendAll = async () => expectStatus(202, await w.call('POST', `${path}/resend`, { body: { since } }))
  for (const press of [...Array(9).fill(resend), ...Array(3).fill(resendAll)]) {
    const before = (await attemptsOf(id)).length
    await press()
    await until('the attempt', async () => (await attemptsOf(id)).length > before)
  }
  assert.equal((await firstDelivery(id))?.status, 'waiting')
  assert.equal((await jobsOf(id)).length, 1)

  await Promise.all([...Array.from({ length: 50 }, resend), ...Array.from({ length: 5 }, resendAll)])
  await until('a job that waits', async () => (await jobsOf(id)).length === 1 && (await firstDelivery(id))?.status === 'waiting')

  expectStatus(200, await w.call('PATCH', path, { body: { disabled: true } }))
  const given_up = () => until('the end', async () => (await firstDelivery(id))?.status === 'given_up')
  for (let press = 0; press < 10; press++) {
    await resend()
    await given_up()
  }
  const sent = (await attemptsOf(id)).length
  assert.equal(receiver.received.length, sent)
  expectStatus(200, await w.call('PATCH', path, { body: { disabled: false } }))
  await resend()
  await until('the attempt', async () => (await attemptsOf(id)).length === sent + 1)
  assert.equal((await firstDelivery(id))?.status, 'waiting')
  status = 204
  w.advance(10)
  await until('the delivery', async () => (await firstDelivery(id))?.status === 'delivered')
  assert.deepEqual(await jobsOf(id), [])
})

test('a resend of a message whose first attempt is under way adds none', async () => {
  const receiver = await startHoldingReceiver(() => 'held')
  const { id } = await subscribe(receiver.url)
  await ping(id)
  await until('the first attempt', () => receiver.held.length === 1)
  const { id: message_id } = (await firstDelivery(id)) ?? assert.fail('no delivery')
  expectStatus(202, await w.call('POST', `${webhooks}/${id}/deliveries/${message_id}/resend`))
  assert.equal((await jobsOf(id)).length, 1)
  receiver.held[0]?.(200)
  await until('the delivery', async () => (await firstDelivery(id))?.status === 'delivered')
  assert.equal(receiver.received.length, 1)
})

for (const failures of [8, 9])
  test(`a resend during an attempt that fails begins the schedule of retries again (after ${failures} failures)`, async () => {
    const receiver = await startHoldingReceiver((count) => (count === 1 ? 500 : count < 4 ? 'held' : 204))
    const { id } = await subscribe(receiver.url)
    await ping(id)
    await until('a failure', async () => (await attemptsOf(id)).length === 1)
    const { id: message_id } = (await firstDelivery(id)) ?? assert.fail('no delivery')
    await w.deployment.db.run(sql`update webhook_messages set attempts = ${failures} where id = ${message_id}`)
    w.advance(10)
    await until('the attempt in flight', () => receiver.held.length === 1)
    w.advance(1)
    const resent = expectStatus(202, await w.call('POST', `${webhooks}/${id}/deliveries/${message_id}/resend`))
    assert.equal(resent.status, 'waiting')
    receiver.held[0]?.(500)
    await until('the attempt of the resend', () => receiver.held.length === 2)
    assert.deepEqual([(await firstDelivery(id))?.status, await attemptsOf(id)], ['waiting', [500, 500]])
    receiver.held[1]?.(500)
    await until('the first failure since the resend', async () => (await attemptsOf(id)).length === 3)
    w.advance(10)
    await until('the delivery', async () => (await firstDelivery(id))?.status === 'delivered')
    assert.deepEqual(await jobsOf(id), [])
  })

test('a message that is resent to an enabled webhook is not given up by an attempt that found the webhook disabled', async () => {
  const { db, newId } = w.deployment
  const receiver = await startReceiver()
  const { id } = await subscribe(receiver.url)
  const disable = async (disabled: boolean) => expectStatus(200, await w.call('PATCH', `${webhooks}/${id}`, { body: { disabled } }))
  await disable(true)
  await ping(id)
  await until('the end', async () => (await firstDelivery(id))?.status === 'given_up')
  const { id: message_id } = (await firstDelivery(id)) ?? assert.fail('no delivery')
  const resend = async () => expectStatus(202, await w.call('POST', `${webhooks}/${id}/deliveries/${message_id}/resend`))

  // Another process attempts the message.
  const [leased_by, at] = [newId('evt'), w.now()]
  const payload = { webhook_id: id, message_id }
  await db.run(enqueue({ id: message_id, kind: 'webhook_retry', lane: id, environment_id: w.test.id, payload }, at))
  const [job] = await claim(db, [message_id], { leased_by, leased_until: new Date(at.getTime() + 40_000) }, at)
  assert.ok(job)
  await resend()
  const [, retries] = createWebhookJobs(w.deployment, w.deployment.outbound)
  const outcome = await retries?.run(job, new AbortController().signal)
  assert.ok(typeof outcome === 'object' && 'done' in outcome)
  await disable(false)
  w.advance(1)
  await resend()
  await db.batch([...outcome.done, remove(leased_by, job), ...(outcome.next ? [outcome.next] : [])])
  await until('the delivery', async () => (await firstDelivery(id))?.status === 'delivered')
  assert.equal(receiver.received.length, 1)
})
