import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Value } from './codec.ts'
import { type Statement, sql } from './db.ts'
import { createRowCache } from './memory.ts'

/** A cache in front of a counter of queries. `commit` changes the version of all tables. */
function countingCache() {
  let commits = 0
  let queries = 0
  const { read } = createRowCache(() => commits)
  return {
    ask: async (statement: Statement) => (await read(statement, async () => ({ query: ++queries }))).query,
    commit: () => void commits++,
  }
}
const find = (...values: [string | number | null, string | number | null]) => sql`select 1 where a = ${values[0]} and b = ${values[1]}`

test('a query runs once between two commits', async () => {
  const { ask, commit } = countingCache()
  for (let expected = 1; expected < 4; expected++) {
    for (let i = 0; i < 3; i++) assert.equal(await ask(find('x', 1)), expected)
    commit()
  }
})

for (const [what, query] of [
  ['at once', () => ({ n: 1 })],
  ['later', async () => ({ n: 1 })],
] as const)
  test(`a row that is there ${what} is remembered, and frozen`, async () => {
    const { read } = createRowCache(() => 1)
    const row = await read<{ n: number }>(find('x', 1), query)
    assert.ok(Object.isFrozen(row))
    assert.equal(await read(find('x', 1), () => assert.fail('it was asked again')), row)
  })

test('a query that fails at once is a rejected promise, and is asked again', async () => {
  const { read } = createRowCache(() => 1)
  const fail = () => {
    throw new TypeError('no rows')
  }
  await assert.rejects(read(find('x', 1), fail), TypeError)
  assert.equal(await read(find('x', 1), () => 5), 5)
})

test('a commit to another table keeps a result', async () => {
  const commits = { a: 0, b: 0 }
  let queries = 0
  const { read } = createRowCache(({ parts }) => (parts.join('').includes('from a') ? commits.a : commits.b))
  const ask = async (statement: Statement) => (await read(statement, async () => ({ query: ++queries }))).query
  const of_a = () => ask(sql`select 1 from a where id = ${'x'}`)
  const of_b = () => ask(sql`select 1 from b where id = ${'x'}`)
  assert.deepEqual([await of_a(), await of_b()], [1, 2])
  commits.b += 1
  assert.deepEqual([await of_a(), await of_b()], [1, 3])
})

test('queries that differ in a value, its type or its position have different results', async () => {
  const { ask } = countingCache()
  const others = [
    find('5', 'x'),
    find(5, 'x'),
    find('x', '5'),
    find('', 'x5'),
    find('5x', ''),
    find(null, 'x'),
    find('', 'x'),
    find('null', 'x'),
  ]
  const answers: number[] = []
  for (const other of others) answers.push(await ask(other))
  assert.equal(new Set(answers).size, others.length)
  assert.notEqual(await ask(sql`select 2 where a = ${'5'} and b = ${'x'}`), answers[0])
})

test('a statement with other values has another result, whatever they are', async () => {
  const value = fc.oneof(
    fc.constantFrom('', '=', "'", ':', 'null', '5', 5, 0, null),
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
    fc.integer(),
  )
  const three = fc.tuple(value, value, value)
  const findThree = ([a, b, c]: [Value, Value, Value]) => sql`select 1 where a = ${a} and b = ${b} and c = ${c}`
  await fc.assert(
    fc.asyncProperty(three, three, async (one, other) => {
      const { ask } = countingCache()
      const answers = [await ask(findThree(one)), await ask(findThree(other))]
      const is_same = one.every((each, i) => each === other[i])
      assert.equal(answers[0] === answers[1], is_same)
    }),
    // biome-ignore format: two pairs whose values join to one text
    { numRuns: 1_000, examples: [[['', 'null', null], [null, '', 'null']], [['a', 'a', ''], ['a', '=', '']]] },
  )
})

test('a missing row is cached too, and a cached row is frozen', async () => {
  const { read } = createRowCache(() => 0)
  assert.equal(await read(find('missing', 1), async () => null), null)
  assert.equal(await read<string | null>(find('missing', 1), async () => 'found'), null)
  const row = await read(find('x', 1), async () => ({ name: 'Ada' }))
  assert.throws(() => Object.assign(row, { name: 'Eve' }), TypeError)
})

/** A cache with generations of 100 kB, in front of rows with a text of this length. */
function small(row_length: number) {
  const asked: string[] = []
  const { read, bytes } = createRowCache(() => 0, 100_000)
  const ask = (id: string) =>
    read(sql`select 1 where id = ${id}`, async () => {
      asked.push(id)
      return { text: 'x'.repeat(row_length), list: ['y'] }
    })
  return { ask, asked, bytes }
}

test('the size of the cache is bounded in bytes, for any number and size of rows', async () => {
  for (const row_length of [0, 1_000, 5_000]) {
    const { ask, bytes } = small(row_length)
    for (let i = 0; i < 5_000; i++) {
      await ask(`id ${i}`)
      assert.ok(bytes() <= 200_000, `${bytes()} bytes`)
    }
    assert.ok(bytes() > 50_000, `${bytes()} bytes`)
  }
})

test('a row larger than an eighth of a generation and a query with a long value are not cached', async () => {
  const large = small(10_000)
  await large.ask('a')
  await large.ask('a')
  assert.deepEqual(large.asked, ['a', 'a'])
  const { ask, asked, bytes } = small(1)
  const long = 'a'.repeat(1_001)
  await ask(long)
  await ask(long)
  assert.deepEqual([asked.length, bytes()], [2, 0])
  const key = 'a'.repeat(1_000)
  await ask(key)
  await ask(key)
  assert.equal(asked.length, 3)
})

test('a query that runs again and again stays cached while thousands of others are dropped', async () => {
  const { ask, asked } = small(100)
  for (let i = 0; i < 5_000; i++) {
    await ask('known')
    await ask(`other ${i}`)
  }
  await ask('other 0')
  assert.deepEqual([asked.filter((id) => id === 'known').length, asked.filter((id) => id === 'other 0').length], [1, 2])
})
