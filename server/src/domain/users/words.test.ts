import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import fc from 'fast-check'
import { lookedAt } from './findable.ts'
import { gramsOf, numberOf, partOf, queriedGrams, queriedWords, wordsOf } from './words.ts'

const id = 'usr_1'

test('the words of a user are folded, each once, and between line feeds', () => {
  const user = { id, email: 'Ada@Example.com', name: 'Ada  Lovelace', given_name: 'ADA', family_name: null, phone_number: '+41' }
  assert.equal(wordsOf(user), '\nusr_1\nada@example.com\nada\nlovelace\n+41\n')
})

const cases: [query: string, name: string, finds: boolean][] = [
  ['lace', 'Ada Lovelace', true],
  ['ADA LOVE', 'Ada Lovelace', true],
  ['love ada', 'Ada Lovelace', true],
  ['lo', 'Ada Lovelace', true],
  ['l', 'Ada Lovelace', true],
  ['ce', 'Ada Lovelace', false],
  ['e', 'Ada Lovelace', false],
  ['adalove', 'Ada Lovelace', false],
  ['ａｄａ', 'Ada', true],
  ['çelik', 'Çelik', true],
  ['celik', 'Çelik', false],
  ['田中', '田中 太郎', true],
  ['中', '田中 太郎', false],
  ['中太郎', '田中太郎', true],
  ['a%b', 'a%b', true],
  ['a%c', 'abc', false],
  ['a_c', 'abc', false],
  ['a!c', 'a!c', true],
  ['😀a😀', 'x😀a😀y', true],
]
for (const [query, name, finds] of cases)
  test(`"${query}" ${finds ? 'finds' : 'does not find'} "${name}"`, () => {
    const words = wordsOf({ id: 'u', name })
    const asked = queriedWords(query)
    assert.equal(
      asked.every((word) => words.includes(partOf(word))),
      finds,
    )
    if (finds) for (const gram of queriedGrams(asked)) assert.ok(gramsOf(words).includes(gram), JSON.stringify(gram))
  })

test('a user whom a query finds has all its grams', () => {
  const part = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.nat(30), fc.integer({ min: 1, max: 10 }))
  fc.assert(
    fc.property(part, ([name, from, length]) => {
      const words = wordsOf({ id, name })
      const [word = ''] = queriedWords([...name].slice(from, from + length).join(''))
      if (word === '' || !words.includes(partOf(word))) return
      const grams = gramsOf(words)
      for (const gram of queriedGrams([word])) assert.ok(grams.includes(gram), JSON.stringify([word, gram]))
    }),
  )
})

test('the number of a gram is its own in each environment, and fits into a row', () => {
  const [one, other] = ['env_1', 'env_2'] as EnvironmentId[] // as: ids of this test
  if (!one || !other) throw new Error('There are two.')
  const numbers = [numberOf(one, 'ada'), numberOf(other, 'ada'), numberOf(one, 'adb')]
  assert.equal(new Set(numbers).size, 3)
  for (const number of numbers) assert.ok(BigInt(number) >= 0n && BigInt(number) < 2n ** 63n)
  assert.equal(numberOf(one, 'ada'), numbers[0])
})

test('a call compares the words of a query with at most 40,000 users, and looks at no more than 4,000', () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`)
  assert.deepEqual(
    [0, 1, 10, 11, 40, 100].map((count) => lookedAt(words(count))),
    [4_000, 4_000, 4_000, 3_636, 1_000, 400],
  )
})
