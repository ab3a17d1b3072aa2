import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Statement, sql } from './db.ts'
import { createMemory } from './memory.ts'

/** A database that answers each question with how many were asked before, and commits when it is told. */
function asked() {
  let commits = 0
  let questions = 0
  const { recall } = createMemory(() => commits)
  return {
    ask: async (statement: Statement) => (await recall(statement, async () => ({ question: ++questions }))).question,
    commit: () => void commits++,
  }
}
const find = (...values: [string | number | null, string | number | null]) => sql`select 1 where a = ${values[0]} and b = ${values[1]}`

test('a question is asked once between two commits, and again after each', async () => {
  const { ask, commit } = asked()
  for (let expected = 1; expected < 4; expected++) {
    for (let i = 0; i < 3; i++) assert.equal(await ask(find('x', 1)), expected)
    commit()
  }
})

test('what is committed to what another question names makes nothing be asked again', async () => {
  const commits = { a: 0, b: 0 }
  let questions = 0
  const { recall } = createMemory(({ parts }) => (parts.join('').includes('from a') ? commits.a : commits.b))
  const ask = async (statement: Statement) => (await recall(statement, async () => ({ question: ++questions }))).question
  const of_a = () => ask(sql`select 1 from a where id = ${'x'}`)
  const of_b = () => ask(sql`select 1 from b where id = ${'x'}`)
  assert.deepEqual([await of_a(), await of_b()], [1, 2])
  commits.b += 1
  assert.deepEqual([await of_a(), await of_b()], [1, 3])
})

test('another value, another type and another place are another question', async () => {
  const { ask } = asked()
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

test('that there is nothing is remembered as well, and what is shared cannot be changed', async () => {
  const { recall } = createMemory(() => 0)
  assert.equal(await recall(find('nobody', 1), async () => null), null)
  assert.equal(await recall<string | null>(find('nobody', 1), async () => 'somebody'), null)
  const row = await recall(find('x', 1), async () => ({ name: 'Ada' }))
  assert.throws(() => Object.assign(row, { name: 'Eve' }), TypeError)
})

/** A memory of 100 kB, asked about rows with a text of this length. */
function small(row_length: number) {
  const asked: string[] = []
  const { recall, bytes } = createMemory(() => 0, 100_000)
  const ask = (id: string) =>
    recall(sql`select 1 where id = ${id}`, async () => {
      asked.push(id)
      return { text: 'x'.repeat(row_length), list: ['y'] }
    })
  return { ask, asked, bytes }
}

test('memory is bounded in bytes, however many questions are asked and however large their rows are', async () => {
  for (const row_length of [0, 1_000, 5_000]) {
    const { ask, bytes } = small(row_length)
    for (let i = 0; i < 5_000; i++) {
      await ask(`id ${i}`)
      assert.ok(bytes() <= 200_000, `${bytes()} bytes`)
    }
    assert.ok(bytes() > 50_000, `${bytes()} bytes`)
  }
})

test('a row that would take an eighth of the memory, or a value longer than any key, is not remembered', async () => {
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

test('a question that is asked again and again is remembered while thousands of others are forgotten', async () => {
  const { ask, asked } = small(100)
  for (let i = 0; i < 5_000; i++) {
    await ask('known')
    await ask(`stranger ${i}`)
  }
  await ask('stranger 0')
  assert.deepEqual([asked.filter((id) => id === 'known').length, asked.filter((id) => id === 'stranger 0').length], [1, 2])
})
