import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { inOrderOf } from './field-order.ts'

const Inner = z.strictObject({ x: z.int(), y: z.int() })
const Outer = z.strictObject({
  id: z.string(),
  inner: Inner.nullable(),
  list: z.array(Inner).default([]),
  optional: z.string().optional(),
  free: z.record(z.string(), z.int()),
  loose: z.looseObject({ a: z.int() }),
  either: z.union([z.string(), z.strictObject({ p: z.int(), q: z.int() }), z.strictObject({ r: z.int(), p: z.int() })]),
})

// biome-ignore format: this table is read by column
const cases: [rule: string, schema: z.ZodType, value: unknown, json: string][] = [
  ['members follow the schema',                     Inner,            { y: 1, x: 2 },                        '{"x":2,"y":1}'],
  ['an absent member stays absent',                 Inner,            { y: 1 },                              '{"y":1}'],
  ['a member that the schema lacks comes last',     Inner,            { z: 0, y: 1, x: 2 },                  '{"x":2,"y":1,"z":0}'],
  ['members of members follow their schema',        Outer,            { inner: { y: 1, x: 2 }, id: 'a' },    '{"id":"a","inner":{"x":2,"y":1}}'],
  ['null stays null',                               Outer,            { inner: null, id: 'a' },              '{"id":"a","inner":null}'],
  ['objects in lists follow their schema',          Outer,            { list: [{ y: 1, x: 2 }, { y: 3 }] },  '{"list":[{"x":2,"y":1},{"y":3}]}'],
  ['a record keeps its order',                      Outer,            { free: { z: 1, a: 2 } },              '{"free":{"z":1,"a":2}}'],
  ['other members of a loose object keep theirs',   Outer,            { loose: { z: 1, b: 2, a: 3 } },       '{"loose":{"a":3,"z":1,"b":2}}'],
  ['an object of a union follows its own schema',   Outer,            { either: { q: 1, p: 2 } },            '{"either":{"p":2,"q":1}}'],
  ['the last object of a union does too',           Outer,            { either: { p: 1, r: 2 } },            '{"either":{"r":2,"p":1}}'],
  ['a text in a union stays a text',                Outer,            { either: 'text' },                    '{"either":"text"}'],
  ['a list of objects follows the schema of each',  z.array(Inner),   [{ y: 1, x: 2 }],                      '[{"x":2,"y":1}]'],
]
for (const [rule, schema, value, json] of cases) {
  test(rule, () => assert.equal(JSON.stringify(inOrderOf(schema, value)), json))
}

test('a member with the name of an inherited one is not a member of the answer', () => {
  const schema = z.strictObject({ constructor: z.string().optional(), a: z.int() })
  assert.equal(JSON.stringify(inOrderOf(schema, { a: 1 })), '{"a":1}')
})

test('the same value is not changed', () => {
  const value = { y: 1, x: 2 }
  inOrderOf(Inner, value)
  assert.deepEqual(Object.keys(value), ['y', 'x'])
})
