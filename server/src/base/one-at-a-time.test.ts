import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAtATime } from './one-at-a-time.ts'

test('50 callers share one call, and the next caller gets a new one', async () => {
  let calls = 0
  const ask = oneAtATime(async () => {
    calls += 1
    await Promise.resolve()
    return calls
  })
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 50 }, ask))), new Set([1]))
  assert.equal(await ask(), 2)
})

test('a failure reaches every caller, and the next caller gets a new call', async () => {
  let fails = true
  const ask = oneAtATime(async () => {
    if (fails) throw new Error('out of reach')
    return 'ready'
  })
  const answers = await Promise.allSettled([ask(), ask()])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  assert.equal(await ask(), 'ready')
})
