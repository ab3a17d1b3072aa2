import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyOf, encodedAgain, hasTooMany, queryOf, readQuery, wellFormed } from './query.ts'

const parameters = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=b`).join('&')

// biome-ignore format: this table is read by column
const counted: [what: string, query: string, is_too_many: boolean][] = [
  ['an empty query',                 '',                      false],
  ['one long parameter',             'a='.padEnd(28_000, 'x'), false],
  ['200 parameters',                 parameters(200),         false],
  ['201 parameters',                 parameters(201),         true],
  ['200 ampersands',                 '&'.repeat(200),         false],
  ['201 ampersands',                 '&'.repeat(201),         true],
  ['14,000 parameters',              'a&'.repeat(14_000),     true],
]
for (const [what, query, is_too_many] of counted)
  test(`${what}: ${is_too_many ? 'too many' : 'not too many'}`, () => assert.equal(hasTooMany(query), is_too_many))

test('the query of a target follows its first question mark', () => {
  assert.deepEqual(['/a', '/a?', '/a?b=c', '/a?b=c?d'].map(queryOf), ['', '', 'b=c', 'b=c?d'])
})

// biome-ignore format: this table is read by column
const queries: [what: string, query: string][] = [
  ['no percent sign',               'a=b+c&a=d&e'],
  ['characters of UTF-8',           'a=%E2%82%AC&%CC%81=%20'],
  ['a percent sign alone',          'a=100%&b=%zz'],
  ['a percent sign at the end',     'a=%5B%5B%5'],
  ['half a character',              'a=%E2%82&b=%FF'],
  ['64 parameters that are cut',    Array.from({ length: 64 }, () => `a=${'%5B'.repeat(140)}%5`).join('&')],
]
for (const [what, query] of queries)
  test(`${what}: the well-formed query has the same parameters, and is decoded without an exception`, () => {
    const formed = wellFormed(query)
    assert.deepEqual([...new URLSearchParams(formed)], [...new URLSearchParams(query)])
    assert.doesNotThrow(() => decodeURIComponent(formed))
    assert.equal(wellFormed(formed), formed)
  })

test('a query that is well-formed stays as it was sent', () => {
  for (const query of ['', 'a=b%20c', 'a=b c&&=']) assert.equal(wellFormed(query), query)
})

const long = `b=${'[1]'.repeat(100)}`

test('the long query that was read last is parsed once, and a different one is parsed', () => {
  assert.equal(readQuery(`a=b&${long}`), readQuery(`a=b&${long}`))
  for (const query of [`a=c&${long}`, 'a=d', `a=b&${long}`]) assert.equal(readQuery(query).get('a'), query.charAt(2))
})

test('an encoded query has the same parameters, in one form, even if it is encoded twice', () => {
  for (const [what, query] of [...queries, ['a long query', long], ['a long query that is malformed', `${long}&c=%FF`]] as const) {
    const encoded = encodedAgain(query)
    assert.equal(encoded, new URLSearchParams(query).toString(), what)
    assert.equal(encodedAgain(encoded), encoded, what)
  }
})

test('a copy of a query can be changed, and the query that was read stays as it was', () => {
  const copy = copyOf(`a=b&${long}`)
  copy.delete('a')
  assert.equal(readQuery(`a=b&${long}`).get('a'), 'b')
  assert.equal(encodedAgain(`a=b&${long}`), new URLSearchParams(`a=b&${long}`).toString())
})
