import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWeightedMap } from './weighted-map.ts'

const filled = (most: number, ...weights: readonly [string, number][]) => {
  const map = createWeightedMap<string, number>(most)
  for (const [key, weight] of weights) map.set(key, weight, weight)
  return map
}

test('a weighted map that holds too much gives up its heaviest entries', () => {
  const map = filled(10, ['small', 1], ['heavy', 6], ['middle', 3], ['last', 2])
  assert.deepEqual([map.get('small'), map.get('heavy'), map.get('middle'), map.get('last'), map.weight], [1, undefined, 3, 2, 6])
})

test('an entry that weighs more than the map may hold is not kept, and the others stay', () => {
  const map = filled(10, ['a', 4], ['b', 11])
  assert.deepEqual([map.get('a'), map.get('b'), map.weight], [4, undefined, 4])
})

test('a replaced or deleted entry weighs nothing any more', () => {
  const map = filled(10, ['a', 6], ['a', 4], ['b', 6])
  assert.equal(map.weight, 10)
  map.delete('a')
  map.delete('unknown')
  assert.deepEqual([map.get('a'), map.get('b'), map.weight], [undefined, 6, 6])
})
