import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJointLimits } from './joint-limits.ts'

function start(most_keys = 100) {
  const clock = { ms: 1_000_000 }
  const { take } = createJointLimits({ now: () => new Date(clock.ms) }, { window_ms: 60_000, most_keys })
  return { clock, take }
}

test('a call is admitted while there is room at each of its keys, and waits for the oldest call of the fullest', () => {
  const { clock, take } = start()
  const call = [
    { key: 'a', most: 2 },
    { key: 'b', most: 3 },
  ]
  assert.equal(take(call), 0)
  clock.ms += 10_000
  assert.equal(take(call), 0)
  assert.equal(take(call), 50_000)
  clock.ms += 49_999
  assert.equal(take(call), 1)
  clock.ms += 1
  assert.equal(take(call), 0)
  assert.equal(take([{ key: 'b', most: 3 }]), 0)
  assert.equal(take([{ key: 'b', most: 3 }]), 10_000)
})

test('a refused call counts at none of its keys', () => {
  const { take } = start()
  assert.equal(take([{ key: 'full', most: 1 }]), 0)
  for (let i = 0; i < 10; i++) assert.equal(take([{ key: 'free', most: 1 }, { key: 'full', most: 1 }]), 60_000) // biome-ignore format: fits
  assert.equal(take([{ key: 'free', most: 1 }]), 0)
})

test('the number of keys is bounded: those without a call for longest leave first', () => {
  const { take } = start(2)
  for (const key of ['a', 'b', 'c']) assert.equal(take([{ key, most: 1 }]), 0)
  assert.equal(take([{ key: 'c', most: 1 }]), 60_000)
  assert.equal(take([{ key: 'b', most: 1 }]), 60_000)
  assert.equal(take([{ key: 'a', most: 1 }]), 0)
})

test('a clock that is set back refuses nobody for longer than a window', () => {
  const { clock, take } = start()
  assert.equal(take([{ key: 'a', most: 1 }]), 0)
  clock.ms -= 60_000
  assert.equal(take([{ key: 'a', most: 1 }]), 0)
})
