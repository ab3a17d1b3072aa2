import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergePatch } from './merge-patch.ts'

// RFC 7396 appendix A, in its order.
// biome-ignore format: this table is read by column
const appendix = [
  { target: { a: 'b' },              patch: { a: 'c' },                  result: { a: 'c' } },
  { target: { a: 'b' },              patch: { b: 'c' },                  result: { a: 'b', b: 'c' } },
  { target: { a: 'b' },              patch: { a: null },                 result: {} },
  { target: { a: 'b', b: 'c' },      patch: { a: null },                 result: { b: 'c' } },
  { target: { a: ['b'] },            patch: { a: 'c' },                  result: { a: 'c' } },
  { target: { a: 'c' },              patch: { a: ['b'] },                result: { a: ['b'] } },
  { target: { a: { b: 'c' } },       patch: { a: { b: 'd', c: null } },  result: { a: { b: 'd' } } },
  { target: { a: [{ b: 'c' }] },     patch: { a: [1] },                  result: { a: [1] } },
  { target: ['a', 'b'],              patch: ['c', 'd'],                  result: ['c', 'd'] },
  { target: { a: 'b' },              patch: ['c'],                       result: ['c'] },
  { target: { a: 'foo' },            patch: null,                        result: null },
  { target: { a: 'foo' },            patch: 'bar',                       result: 'bar' },
  { target: { e: null },             patch: { a: 1 },                    result: { e: null, a: 1 } },
  { target: [1, 2],                  patch: { a: 'b', c: null },         result: { a: 'b' } },
  { target: {},                      patch: { a: { bb: { ccc: null } } }, result: { a: { bb: {} } } },
]
for (const { target, patch, result } of appendix) {
  test(`${JSON.stringify(target)} patched with ${JSON.stringify(patch)} is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(mergePatch(target, patch), result)
  })
}

test('no member name changes a prototype', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')
  const merged = mergePatch(mergePatch({ a: 1 }, hostile), hostile)
  assert.equal(Object.getPrototypeOf(merged), Object.prototype)
  assert.deepEqual(Object.keys(Object(merged)), ['a', '__proto__', 'constructor'])
  assert.equal(Reflect.get({}, 'admin'), undefined)
})

test('target and patch are not modified', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch])
      mergePatch(target, patch)
      assert.equal(JSON.stringify([target, patch]), before)
    }),
  )
})

test('applying a patch twice gives the same result as applying it once', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const once = mergePatch(target, patch)
      assert.deepEqual(mergePatch(once, patch), once)
    }),
  )
})
