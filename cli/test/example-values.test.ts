/** The helpers of the recorded examples: shapes, made-up values, and curl as a shell reads it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCurl } from './support/curl-text.ts'
import { answerAsExample, asExample, asReal, dictionaryOf, shapeDifferences } from './support/example-values.ts'

// biome-ignore format: this table is read by column
const shapes: [what: string, shown: unknown, real: unknown, differences: number][] = [
  ['other values',                     { a: 1, b: ['x'] },   { a: 2, b: ['y', 'z'] }, 0],
  ['a list that is empty',             { b: ['x'] },         { b: [] },               0],
  ['a missing member',                 { a: 1, b: 2 },       { a: 1 },                1],
  ['a member more',                    { a: 1 },             { a: 1, b: 2 },          1],
  ['another type',                     { a: 1 },             { a: '1' },              1],
  ['null in place of a text',          { a: 'x' },           { a: null },             1],
  ['another type in a list',           { b: [{ c: 1 }] },    { b: [{ c: 'x' }] },     1],
  ['what background work fills in',    { last_used_at: null }, { last_used_at: 'x' }, 0],
]
for (const [what, shown, real, differences] of shapes)
  test(`the shape with ${what} has ${differences} differences`, () => {
    assert.equal(shapeDifferences(shown, real).length, differences)
  })

test('ids get made-up ones by their order, which lead back to the real ones', () => {
  const [first, second] = ['app_01m7wwr5ftevtv5yxb47hmb4ht', 'app_01m7wwr5ftevtv5yxb47hmb4hv']
  const dictionary = dictionaryOf([])
  const text = asExample(`${first} ${second} ${first}`, dictionary)
  assert.equal(text, 'app_01jbnq6zt8e2m9w4x7c5v3k1ha app_01jbnq6zt8e2m9w4x7c5v3k1hb app_01jbnq6zt8e2m9w4x7c5v3k1ha')
  assert.equal(asReal(text, dictionary), `${first} ${second} ${first}`)
})

test('secrets are made up and keep their form', () => {
  const answer = {
    key: `svc_auth_sk_test_${'a1'.repeat(19)}`,
    start: 'svc_auth_sk_test_9aB3',
    last4: 'x7Qp',
    client_secret: 'A0-'.repeat(15),
    made_secret: `svc_client_${'A0-'.repeat(14)}A`,
    refresh_token: `svc_rt_01m8hn8sq9evxacc9bmm8r881h.1.${'Ab1_'.repeat(5)}Ab.${'-xY9'.repeat(5)}Ab`,
    at: '2026-11-25T21:00:00.123Z',
  }
  assert.deepEqual(answerAsExample(JSON.stringify(answer), dictionaryOf([])), {
    key: 'svc_auth_sk_test_ExampleExampleExampleExampleExam000000',
    start: 'svc_auth_sk_test_Exam',
    last4: '0000',
    client_secret: 'made-up-made-up-made-up-made-up-made-up-made-',
    made_secret: `svc_client_${'Example'.repeat(6)}E`,
    refresh_token: 'svc_rt_01jbnq6zt8e2m9w4x7c5v3k1ha.1.ExampleExampleExampleE.ExampleExampleExampleE',
    at: '2026-11-02T09:30:00.000Z',
  })
})

test('curl is read as a shell reads it', () => {
  const text = `curl -X PATCH "$BASE_URL/a?b=1" \\\n  -H "X-API-Key: $KEY" \\\n  -d '{\n  "name": "Ada'\\''s \\"shop\\""\n}'`
  const { method, url, headers, body } = readCurl(text, { BASE_URL: 'http://localhost', KEY: 'k' })
  assert.deepEqual([method, url, headers], ['PATCH', 'http://localhost/a?b=1', { 'x-api-key': 'k' }])
  assert.deepEqual(JSON.parse(body ?? ''), { name: `Ada's "shop"` })
  assert.throws(() => readCurl('curl "$OTHER"', {}), /unknown variable/)
})
