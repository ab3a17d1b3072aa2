import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createGathering, type Gathered } from './gather.ts'

interface Call extends Gathered {
  id: number
}

function gather(calls: readonly Gathered[], limits: { most: number; most_per_sender: number }) {
  const dropped: Call[] = []
  const gathering = createGathering<Call>(limits, (call) => dropped.push(call))
  for (const [id, call] of calls.entries()) gathering.add({ ...call, id })
  return { kept: gathering.take(), dropped, gathering }
}

const times = (count: number, call: Gathered): Gathered[] => Array(count).fill(call)
const limits = { most: 20, most_per_sender: 5 }

test('a flood of one sender pushes out no record of another sender, before or after it', () => {
  const flood = times(100_000, { sender: 'stranger', kind: 'invalid_client' })
  const { kept, dropped } = gather([{ sender: 'early', kind: 'a' }, ...flood, { sender: 'late', kind: 'a' }], limits)
  assert.deepEqual(kept.map(({ sender }) => sender).sort(), ['early', 'late', ...Array(5).fill('stranger')])
  assert.equal(dropped.length, 100_000 - 5)
})

test('a sender keeps its newest records', () => {
  const { kept } = gather(times(100, { sender: 'a', kind: 'x' }), limits)
  assert.deepEqual(
    kept.map(({ id }) => id),
    [95, 96, 97, 98, 99],
  )
})

test('a flood of one kind pushes out no other kind of the same sender', () => {
  const { kept } = gather([{ sender: 'a', kind: 'rare' }, ...times(100, { sender: 'a', kind: 'often' })], limits)
  assert.deepEqual(
    kept.map(({ id }) => id),
    [0, 97, 98, 99, 100],
  )
})

test('a sender with more kinds than its share keeps the newest of them', () => {
  const kinds = Array.from({ length: 8 }, (_, i) => ({ sender: 'a', kind: `kind ${i}` }))
  const { kept } = gather([...kinds, ...kinds], limits)
  assert.deepEqual(
    kept.map(({ id }) => id).sort((a, b) => a - b),
    [11, 12, 13, 14, 15],
  )
})

test('a new sender takes the place of the oldest record of the largest one', () => {
  const full = Array.from({ length: 4 }, (_, i) => times(5, { sender: `${i}`, kind: 'x' })).flat()
  const { kept, dropped } = gather([...full, { sender: 'new', kind: 'x' }], limits)
  assert.equal(kept.length, 20)
  assert.ok(kept.some(({ sender }) => sender === 'new'))
  assert.deepEqual(
    dropped.map(({ id }) => id),
    [0],
  )
})

test('when every sender has one record left, a further sender is dropped', () => {
  const senders = Array.from({ length: 30 }, (_, i) => ({ sender: `${i}`, kind: 'x' }))
  const { kept, dropped } = gather(senders, limits)
  assert.deepEqual([kept.length, dropped.length], [20, 10])
  assert.deepEqual(
    kept.map(({ sender }) => sender),
    senders.slice(0, 20).map(({ sender }) => sender),
  )
})

test('every call is kept or dropped, and never more are kept than the limit', () => {
  const call = fc.record({ sender: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), kind: fc.constantFrom('x', 'y', 'z') })
  const property = fc.property(
    fc.array(call, { maxLength: 200 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 6 }),
    (calls, most, most_per_sender) => {
      const { kept, dropped, gathering } = gather(calls, { most, most_per_sender })
      assert.ok(kept.length <= most)
      assert.deepEqual(
        [...kept, ...dropped].map(({ id }) => id).sort((a, b) => a - b),
        calls.map((_, id) => id),
      )
      assert.deepEqual(gathering.take(), [])
    },
  )
  fc.assert(property)
})
