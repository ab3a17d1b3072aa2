import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBounded } from './bounded.ts'

test('what does not fit is dropped and counted, the newest first', () => {
  const queue = createBounded<number>({ most: 3, most_bytes: 100 })
  for (const item of [1, 2, 3, 4, 5]) queue.add(item, 1)
  assert.deepEqual([queue.first(9), queue.dropped()], [[1, 2, 3], 2])
})

test('items stay until they are removed, and make room then', () => {
  const queue = createBounded<string>({ most: 10, most_bytes: 10 })
  for (const item of ['a', 'b', 'c']) queue.add(item, 5)
  assert.deepEqual([queue.first(1), queue.first(5), queue.dropped()], [['a'], ['a', 'b'], 1])
  queue.remove(1)
  queue.add('d', 5)
  queue.add('e', 1)
  assert.deepEqual([queue.first(9), queue.dropped()], [['b', 'd'], 2])
})
