import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedMap } from './bounded-map.ts'

test('a full bounded map evicts its oldest entry and passes it to onEvict', () => {
  const evicted: string[] = []
  const map = createBoundedMap<string, number>(2, (value, key) => evicted.push(`${key}=${value}`))
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c'), map.size], [undefined, 2, 3, 2])
  assert.deepEqual(evicted, ['a=1'])
})

test('replacing or deleting an entry evicts nothing, and a replaced entry becomes the newest', () => {
  const map = createBoundedMap<string, number>(2, () => assert.fail('evicted'))
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  assert.equal(map.delete('b'), true)
  map.set('c', 4)
  assert.deepEqual([map.get('a'), map.get('c')], [3, 4])
})
