/** The turns of plans, by 50 callers and a clock of the test. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../http/problem.ts'
import { createPlanTurns } from './turns.ts'

/** Callers that ask in this order, each of a tenant; the clock moves by `advance`. */
function queue() {
  let now = 0
  const timers = new Set<{ at: number; then: () => void }>()
  const turns = createPlanTurns((ms, then) => {
    const timer = { at: now + ms, then }
    timers.add(timer)
    return () => timers.delete(timer)
  })
  const running: { tenant_id: string; end: () => void }[] = []
  const begun: string[] = []
  const refused: [tenant_id: string, retry_after: string | undefined][] = []
  let most_at_once = 0
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return {
    begun,
    refused,
    timers,
    mostAtOnce: () => most_at_once,
    async ask(tenant_id: string, work?: () => Promise<void>) {
      const run = () => {
        begun.push(tenant_id)
        const { promise, resolve } = Promise.withResolvers<void>()
        running.push({ tenant_id, end: resolve })
        most_at_once = Math.max(most_at_once, running.length)
        return work?.() ?? promise
      }
      turns.run(tenant_id, run).catch((error) => {
        if (error instanceof ApiError) refused.push([tenant_id, error.extra.headers?.['retry-after']])
      })
      await settle()
    },
    async end() {
      running.shift()?.end()
      await settle()
    },
    async advance(ms: number) {
      now += ms
      for (const timer of [...timers]) if (timer.at <= now) timer.then()
      await settle()
    },
  }
}

test('of 50 callers of one tenant one is served, ten wait, and the others are refused with the time to wait', async () => {
  const q = queue()
  for (let n = 0; n < 50; n++) await q.ask('a')
  assert.deepEqual(q.refused, Array(39).fill(['a', '1']))
  for (let n = 0; n < 11; n++) await q.end()
  assert.deepEqual([q.begun.length, q.mostAtOnce(), q.timers.size], [11, 1, 0])
  await q.ask('a')
  assert.equal(q.begun.length, 12, 'nobody is left over')
})

test('beside 50 callers of one tenant those of others have their turns: one each, in turn', async () => {
  const q = queue()
  for (let n = 0; n < 50; n++) await q.ask('a')
  for (const tenant_id of ['b', 'c', 'b', 'c']) await q.ask(tenant_id)
  assert.ok(q.refused.every(([tenant_id]) => tenant_id === 'a'))
  for (let n = 0; n < 11; n++) await q.end()
  assert.deepEqual(q.begun, ['a', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'a', 'a', 'a'])
})

test('a tenant takes no more than its part of the places of another one', async () => {
  const q = queue()
  for (let n = 0; n < 11; n++) await q.ask('a')
  for (let n = 0; n < 50; n++) await q.ask('b')
  for (let n = 0; n < 11; n++) await q.end()
  assert.deepEqual([q.begun.filter((tenant_id) => tenant_id === 'b').length, q.begun.length], [5, 11])
})

test('who has waited for a second is refused, and its place is free', async () => {
  const q = queue()
  for (let n = 0; n < 3; n++) await q.ask('a')
  await q.advance(999)
  assert.deepEqual(q.refused, [])
  await q.advance(1)
  assert.deepEqual(q.refused, [
    ['a', '1'],
    ['a', '1'],
  ])
  await q.end()
  await q.ask('b')
  assert.deepEqual(q.begun, ['a', 'b'])
})

test('a plan that fails gives the turn on', async () => {
  const q = queue()
  await q.ask('a', () => Promise.reject(new Error('fails')))
  await q.ask('b')
  assert.deepEqual(q.begun, ['a', 'b'])
})
