import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedReads } from './shared-reads.ts'

/** Calls that the test answers one by one. */
function start() {
  let ms = 0
  const calls: { about: string; patience_ms: number; resolve: (value: string) => void; reject: (error: Error) => void }[] = []
  const reads = createSharedReads(
    { now: () => new Date(ms) },
    { keep_ms: 300, cool_down_ms: 10, most: 2 },
    (about: string, patience_ms) =>
      new Promise<string>((resolve, reject) => {
        calls.push({ about, patience_ms, resolve, reject })
      }),
  )
  const advance = (by: number) => {
    ms += by
  }
  return { reads, calls, advance, find: (patience_ms = 5) => reads.find('one', 'one', patience_ms) }
}
const fail = new Error('unreachable')

test('50 who wait share one call, and its value is kept', async () => {
  const { find, calls, advance } = start()
  const all = Array.from({ length: 50 }, () => find())
  calls[0]?.resolve('value')
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['value']))
  advance(299)
  assert.equal(await find(), 'value')
  assert.equal(calls.length, 1)
  advance(1)
  const again = find()
  calls[1]?.resolve('new')
  assert.equal(await again, 'new')
})

test('a call that failed is not repeated for the cool-down, and then once', async () => {
  const { find, calls, advance } = start()
  const all = Array.from({ length: 50 }, () => find())
  calls[0]?.reject(fail)
  for (const each of all) await assert.rejects(each, fail)
  advance(9)
  await assert.rejects(find(), fail)
  assert.equal(calls.length, 1)
  advance(1)
  const later = [find(), find()]
  calls[1]?.resolve('value')
  assert.deepEqual(await Promise.all(later), ['value', 'value'])
  assert.equal(calls.length, 2)
})

test('people try again after a failure, and share that call', async () => {
  const { find, reads, calls } = start()
  const first = find()
  calls[0]?.reject(fail)
  await assert.rejects(first, fail)
  await assert.rejects(find(), fail)
  const again = Array.from({ length: 50 }, () => reads.find('one', 'one', 5, true))
  assert.equal(calls.length, 2)
  calls[1]?.reject(fail)
  for (const each of again) await assert.rejects(each, fail)
  assert.equal(calls.length, 2)
})

test('a call with less patience that failed decides for nobody with more, who share the next one', async () => {
  const { find, calls } = start()
  const short = find(3)
  const long = [find(8), find(8)]
  assert.equal(calls.length, 1)
  calls[0]?.reject(fail)
  await assert.rejects(short, fail)
  await new Promise(setImmediate)
  assert.deepEqual(
    calls.map(({ patience_ms }) => patience_ms),
    [3, 8],
  )
  calls[1]?.resolve('value')
  assert.deepEqual(await Promise.all(long), ['value', 'value'])
  assert.equal(await find(3), 'value')
  assert.equal(calls.length, 2)
})

test('a value that does not satisfy is read again once in a cool-down', async () => {
  const { find, reads, calls, advance } = start()
  const first = find()
  calls[0]?.resolve('value')
  await first
  assert.equal(reads.findFresh('one', 'one', 5), null)
  advance(10)
  const fresh = Array.from({ length: 50 }, () => reads.findFresh('one', 'one', 5))
  assert.equal(fresh.filter((one) => one !== null).length, 1)
  calls[1]?.resolve('new')
  assert.equal(await find(), 'new')
})

test('a read past the kept value shares a call that runs', async () => {
  const { find, reads, calls } = start()
  const first = find()
  const past = [reads.readAgain('one', 'one', 5), reads.readAgain('one', 'one', 5)]
  calls[0]?.resolve('value')
  assert.deepEqual(await Promise.all([first, ...past]), ['value', 'value', 'value'])
  void reads.readAgain('one', 'one', 5)
  assert.equal(calls.length, 2)
})

test('values have their own calls, and the oldest of too many is forgotten', async () => {
  const { reads, calls } = start()
  for (const key of ['a', 'b', 'c', 'a']) void reads.find(key, key, 5)
  assert.deepEqual(
    calls.map(({ about }) => about),
    ['a', 'b', 'c', 'a'],
  )
})
