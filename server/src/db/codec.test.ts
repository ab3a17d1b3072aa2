import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { asObjects, decodeFirst, decodeRows, encodeValue, no_rows, type Rows, type Value } from './codec.ts'

const noon = 1_700_000_000_000
const noon_text = '2023-11-14T22:13:20.000Z'

// biome-ignore format: this table is read by column
const decoded: [what: string, type: z.ZodType, stored: unknown, expected: unknown][] = [
  ['text stays as it is',                       z.string(),                    'Ada',            'Ada'],
  ['text of digits stays text',                 z.string(),                    '0042',           '0042'],
  ['an id stays as it is',                      z.custom<string>(),            'usr_1',          'usr_1'],
  ['a word of a list stays as it is',           z.enum(['a', 'b']),            'b',              'b'],
  ['an integer becomes a number',               z.int(),                       42n,              42],
  ['a number stays a number',                   z.number(),                    1.5,              1.5],
  ['1 becomes true',                            z.boolean(),                   1,                true],
  ['0 becomes false',                           z.boolean(),                   0,                false],
  ['milliseconds become a Date',                z.date(),                      noon,             new Date(noon)],
  ['milliseconds become RFC 3339',              z.iso.datetime(),              noon,             noon_text],
  ['JSON becomes an object',                    z.object({ a: z.int() }),      '{"a":1}',        { a: 1 }],
  ['JSON becomes an array',                     z.array(z.string()),           '["a"]',          ['a']],
  ['JSON becomes a record',                     z.record(z.string(), z.any()), '{"a":[null]}',   { a: [null] }],
  ['a column that may be null has its type',    z.date().nullable(),           noon,             new Date(noon)],
  ['an optional column has its type',           z.boolean().optional(),        1,                true],
  ['a column with a default has its type',      z.array(z.int()).default([]),  '[1]',            [1]],
  ['a column with a prefault has its type',     z.iso.datetime().prefault(''), noon,             noon_text],
  ['types within types are found',              z.date().nullable().optional(), noon,            new Date(noon)],
]
for (const [what, type, stored, expected] of decoded)
  test(`${what}, null stays null, and a missing column is an error`, () => {
    const schema = z.object({ before: z.string(), value: type })
    const columns = ['value', 'before']
    const rows = [
      [stored, 'x'],
      [null, 'y'],
      [stored, null],
    ]
    const wanted = [
      { before: 'x', value: expected },
      { before: 'y', value: null },
      { before: null, value: expected },
    ]
    assert.deepEqual(decodeRows(schema, { columns, rows }), wanted)
    assert.deepEqual(decodeFirst(schema, { columns, rows: rows.slice(1) }), wanted[1])
    assert.throws(() => decodeFirst(schema, { columns: ['before'], rows: [['x']] }), /does not return the column value\./)
    assert.throws(() => decodeRows(schema, { columns: ['before'], rows: [['x']] }), /does not return the column value\./)
  })

const Named = z.object({ id: z.string(), at: z.date() })

test('a row has the columns of the schema in its order, whatever the query returns beside them', () => {
  const rows: Rows = { columns: ['secret', 'at', 'id'], rows: [['hidden', 5, 'a']] }
  assert.deepEqual(Object.entries(decodeFirst(Named, rows) ?? {}), [
    ['id', 'a'],
    ['at', new Date(5)],
  ])
})

test('of two columns of a name the last one counts', () =>
  assert.deepEqual(decodeFirst(Named, { columns: ['id', 'at', 'id'], rows: [['a', 5, 'b']] }), { id: 'b', at: new Date(5) }))

test('rows of one statement are decoded by each schema that asks', () => {
  const rows: Rows = { columns: ['id', 'at'], rows: [['1', 5]] }
  const Numbers = z.object({ id: z.int(), at: z.int() })
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(decodeRows(Named, rows), [{ id: '1', at: new Date(5) }])
    assert.deepEqual(decodeRows(Numbers, rows), [{ id: 1, at: 5 }])
  }
})

test('one schema decodes rows of each statement by the order of its columns', () => {
  assert.deepEqual(decodeFirst(Named, { columns: ['id', 'at'], rows: [['a', 5]] }), { id: 'a', at: new Date(5) })
  assert.deepEqual(decodeFirst(Named, { columns: ['at', 'id'], rows: [[6, 'b']] }), { id: 'b', at: new Date(6) })
})

test('without a row there is nothing to decode', () => {
  assert.equal(decodeFirst(Named, no_rows), null)
  assert.deepEqual(decodeRows(Named, no_rows), [])
})

test('rows without a schema become objects as they are', () =>
  assert.deepEqual(asObjects({ columns: ['a', 'b'], rows: [['x', 1], [null, 2]] }), [{ a: 'x', b: 1 }, { a: null, b: 2 }])) // biome-ignore format: as read

// biome-ignore format: this table is read by column
const encoded: [value: Value, expected: unknown][] = [
  ['Ada',          'Ada'],
  ['',             ''],
  [5,              5n],
  [5n,             5n],
  [true,           1n],
  [false,          0n],
  [null,           null],
  [new Date(noon), BigInt(noon)],
  [['a', 1],       '["a",1]'],
  [{ a: null },    '{"a":null}'],
]
test('values are text, integers or null for the engines', () => {
  for (const [value, expected] of encoded) assert.equal(encodeValue(value), expected)
})

// biome-ignore format: this table is read by column
const refused: [what: string, value: Value | undefined, error: ErrorConstructor][] = [
  ['U+0000 in a text',              'a\0b',          TypeError],
  ['a high surrogate on its own',   'a\ud800',       TypeError],
  ['a low surrogate on its own',    '\udc00a',       TypeError],
  ['undefined',                     undefined,       TypeError],
  ['a fraction',                    0.5,             RangeError],
]
for (const [what, value, error] of refused)
  test(`${what} is not a value of a statement`, () => assert.throws(() => encodeValue(value), error))
