import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInFlight, type IdempotentRequest } from './idempotency.ts'

const request: IdempotentRequest = { credential_id: 'key', method: 'POST', path: '/', idempotency_key: 'one', body_hash: '' }

test('a duplicate starts when the first request has ended, with success or failure', async () => {
  const in_flight = createInFlight()
  const order: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (fails) throw new Error(name)
    }
  const outcomes = await Promise.allSettled([
    in_flight.alone(request, work('a', true)),
    in_flight.alone(request, work('b')),
    in_flight.alone(request, work('c')),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('requests with another credential, method, path or Idempotency-Key do not wait for each other', async () => {
  const in_flight = createInFlight()
  void in_flight.alone(request, () => new Promise(() => {}))
  for (const change of [{ credential_id: 'other' }, { method: 'PUT' }, { path: '/other' }, { idempotency_key: 'two' }])
    assert.equal(await in_flight.alone({ ...request, ...change }, async () => 'done'), 'done')
})

test('a duplicate waits for 5 seconds and then fails with idempotency_in_progress', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const in_flight = createInFlight()
  void in_flight.alone(request, () => new Promise(() => {}))
  const second = in_flight.alone({ ...request, body_hash: 'other' }, async () => 'done')
  t.mock.timers.tick(4_999)
  assert.equal(await Promise.race([second, Promise.resolve('waits')]), 'waits')
  t.mock.timers.tick(1)
  await assert.rejects(second, { code: 'idempotency_in_progress' })
})

test('a duplicate waits for 5 seconds in all, even where one duplicate after the other runs and fails', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const in_flight = createInFlight()
  const fails_later = () => new Promise<never>((_, reject) => setTimeout(reject, 4_000, new Error('unavailable')))
  const runs: string[] = []
  const outcomes = ['first', 'second', 'third'].map((name) =>
    in_flight
      .alone(request, () => {
        runs.push(name)
        return fails_later()
      })
      .catch((error) => error.code ?? error.message),
  )
  t.mock.timers.tick(4_000)
  assert.equal(await outcomes[0], 'unavailable')
  await new Promise(setImmediate)
  assert.deepEqual(runs, ['first', 'second'])
  t.mock.timers.tick(1_000)
  assert.equal(await Promise.race([outcomes[2], new Promise((resolve) => setImmediate(resolve, 'waits'))]), 'idempotency_in_progress')
  t.mock.timers.tick(3_000)
  assert.equal(await outcomes[1], 'unavailable')
  assert.deepEqual(runs, ['first', 'second'])
})
