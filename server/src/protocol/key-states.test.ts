import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currentKey, keyStates, publishedKeys, statesEndAt } from './key-states.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const at = (hours: number) => ({ signs_from: new Date(now.getTime() + hours * 3_600_000) })

const cases = [
  { why: 'a first key signs at once', keys: [at(0)], states: ['current'] },
  { why: 'a future key is published but does not sign', keys: [at(-1), at(1)], states: ['current', 'next'] },
  { why: 'a replaced key stays published while its tokens may be valid', keys: [at(-30), at(-24)], states: ['retired', 'current'] },
  { why: 'a replaced key expires once its last token has expired', keys: [at(-60), at(-25)], states: ['expired', 'current'] },
  {
    why: 'a key retires by the time of its replacement, not by its age',
    keys: [at(-9000), at(-1), at(2)],
    states: ['retired', 'current', 'next'],
  },
]
for (const { why, keys, states } of cases) {
  test(why, () => {
    assert.deepEqual(
      keyStates(keys, now).map((key) => key.state),
      states,
    )
  })
}

test('the JWKS has every key except expired ones', () => {
  assert.equal(publishedKeys([at(-60), at(-25), at(1)], now).length, 2)
})

test('where no key has begun to sign, the oldest one signs', () => {
  const [later, first] = [at(2), at(1)]
  assert.equal(currentKey([later, first], now), first)
  assert.throws(() => currentKey([], now))
})

test('no state changes before statesEndAt', () => {
  const states = (keys: { signs_from: Date }[], ms: number) =>
    keyStates(keys, new Date(ms))
      .map(({ state }) => state)
      .join()
  const times = fc.array(fc.integer({ min: 0, max: 200_000_000 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 400_000_000 }), (signs_from, at) => {
      const keys = signs_from.map((ms) => ({ signs_from: new Date(ms) }))
      const end = statesEndAt(keys, new Date(at))
      const later = Math.min(end, 1e12) - 1
      return end > at && states(keys, later) === states(keys, at)
    }),
  )
})
