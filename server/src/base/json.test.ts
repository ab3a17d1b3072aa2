import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startCpuTimer } from '../../test/support/cpu-time.ts'
import { JsonError, parseJson } from './json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const refusals = [
  { why: 'a name occurs twice', text: '{"a":1,"a":1}', message: /"a" occurs twice/ },
  { why: 'a name occurs twice after unescaping', text: '{"a":1,"\\u0061":2}', message: /"a" occurs twice/ },
  { why: 'a name occurs twice after two ways of escaping', text: '{"\\/":1,"\\u002F":2}', message: /occurs twice/ },
  { why: 'the empty name occurs twice', text: '{"":1,"":2}', message: /occurs twice/ },
  { why: 'a name occurs twice deep within', text: '{"a":[{"b":{"c":1,"d":[],"c":2}}]}', message: /"c" occurs twice/ },
  { why: 'a name occurs again after a nested object', text: '{"a":{"b":1},"a":2}', message: /"a" occurs twice/ },
  { why: 'a name occurs again after an array of objects', text: '{"a":[{"b":1},{"b":1}],"a":2}', message: /"a" occurs twice/ },
  { why: 'a name occurs twice, with white space', text: '{ "a" : 1 ,\n\t"a"\r: 2 }', message: /occurs twice/ },
  { why: 'it is nested 65 levels of arrays deep', text: nested('[', ']', 65), message: /64 levels/ },
  { why: 'it is nested 65 levels of objects deep', text: `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, message: /64 levels/ },
  { why: 'it begins with a byte order mark', text: '\ufeff{}', message: /byte order mark/ },
  { why: 'it is white space alone', text: ' \n', message: /well-formed/ },
  { why: 'a comma is left over', text: '{"a":1,}', message: /well-formed JSON \(line 1, column 8\)/ },
  { why: 'two values follow each other', text: '{}{}', message: /well-formed/ },
  { why: 'it is cut off', text: '{"a":"b', message: /well-formed/ },
  { why: 'it is cut off within an escape', text: '{"a":"b\\', message: /well-formed/ },
  { why: 'a bracket is closed by a brace', text: '[}', message: /well-formed/ },
  { why: 'it closes more than it opens', text: '{}]', message: /well-formed/ },
  { why: 'an escape is unknown', text: '["\\x41"]', message: /well-formed/ },
  { why: 'a control character is not escaped', text: '["\u0000"]', message: /well-formed/ },
  { why: 'a number begins with zero', text: '[01]', message: /well-formed/ },
  { why: 'it has a comment', text: '{} // none', message: /well-formed/ },
  { why: 'it has single quotes', text: "{'a':1}", message: /well-formed/ },
  { why: 'a value is NaN', text: '[NaN]', message: /well-formed/ },
  { why: 'white space is not of the four kinds', text: '\u00a0{}', message: /well-formed/ },
]
for (const { why, text, message } of refusals) {
  test(`a body is refused when ${why}`, () => assert.throws(() => parse(text), { name: 'JsonError', message }))
}

const broken_utf8 = [
  { what: 'a lone continuation byte', bytes: [0x22, 0x80, 0x22] },
  { what: 'an overlong slash', bytes: [0x22, 0xc0, 0xaf, 0x22] },
  { what: 'an encoded surrogate', bytes: [0x22, 0xed, 0xa0, 0x80, 0x22] },
  { what: 'a code point beyond Unicode', bytes: [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22] },
  { what: 'Latin-1', bytes: [0x22, 0xe9, 0x22] },
  { what: 'UTF-16 with its mark', bytes: [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00] },
]
for (const { what, bytes } of broken_utf8) {
  test(`a body is refused when it has ${what}`, () => {
    assert.throws(() => parseJson(Buffer.from(bytes)), { name: 'JsonError', message: 'The body is not UTF-8.' })
  })
}

const accepted = [
  { what: 'the same name in different objects', text: '{"a":{"a":1},"b":[{"a":1},{"a":2}]}' },
  { what: 'a value that looks like a name before it', text: '{"a":"a","b":"a"}' },
  { what: 'a repeated string in an array', text: '["a","a",["a","a"]]' },
  { what: 'names that differ in case', text: '{"a":1,"A":2}' },
  { what: 'names of every prototype', text: '{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3}' },
  { what: 'structure within strings', text: '{"a":"{\\"a\\":1,\\"a\\":2}","b":"[[[[}}}},,"}' },
  { what: 'backslashes before a quote', text: '{"a\\\\":"\\\\","b":"\\\\\\""}' },
  { what: 'a whole surrogate pair, escaped', text: '["\\ud83d\\ude00"]' },
  { what: '64 levels', text: nested('[', ']', 64) },
  { what: 'many brackets side by side', text: `[${'[],'.repeat(1000)}{}]` },
  { what: 'a value that is not an object', text: 'null' },
  { what: 'a mark within a string', text: '"\\ufeff"' },
]
for (const { what, text } of accepted) {
  test(`a body is read with ${what}`, () => assert.deepEqual(parse(text), JSON.parse(text)))
}

test('an empty body is undefined, which no JSON text is', () => assert.equal(parseJson(Buffer.alloc(0)), undefined))

test('the message of an error never repeats a value', () => {
  for (const text of [
    '{"password":"hunter2"',
    '{"password":"hunter2\\x"}',
    '{"password":hunter2}',
    '{"password":"hunter2","password":"hunter2"}',
  ]) {
    assert.throws(
      () => parse(text),
      (error) => error instanceof JsonError && !error.message.includes('hunter'),
    )
  }
})

test('parseJson returns the value that JSON.stringify wrote', () => {
  const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }).filter((each) => !JSON.stringify(each).includes('__proto__'))
  fc.assert(
    fc.property(value, fc.nat(3), (each, indent) =>
      assert.deepEqual(parse(JSON.stringify(each, null, indent)), JSON.parse(JSON.stringify(each))),
    ),
  )
})

test('every text is parsed like by JSON.parse or refused with JsonError', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"b":',
    '"a":1',
    '1',
    'null',
    ' ',
    '\\u0061',
    '"__proto__":',
    '{"a":1,"a":1}',
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const text = tokens.join('')
      let value: unknown
      try {
        value = parse(text)
      } catch (error) {
        return assert.ok(error instanceof JsonError)
      }
      if (text !== '') assert.deepEqual(value, JSON.parse(text))
    }),
    { numRuns: 2_000 },
  )
})

test('an object is refused exactly when two of its names are equal', () => {
  const names = fc.array(fc.string({ minLength: 0, maxLength: 2, unit: fc.constantFrom('a', 'é', '"', '\\', '/') }), { maxLength: 6 })
  const inEscapes = (name: string) => [...name].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  fc.assert(
    fc.property(names, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (list, escaped) => {
      const members = list.map((name, index) => `${escaped[index] ? `"${inEscapes(name)}"` : JSON.stringify(name)}:{}`)
      const read = () => parse(`{${members.join(',')}}`)
      if (new Set(list).size === list.length) assert.doesNotThrow(read)
      else assert.throws(read, JsonError)
    }),
  )
})

test('a body has at most 20,000 values', () => {
  assert.equal((parse(`[${'1,'.repeat(19_999)}1]`) as unknown[]).length, 20_000)
  assert.throws(() => parse(`[${'1,'.repeat(20_000)}1]`), JsonError)
  assert.throws(() => parse(`{"a":[${'1,'.repeat(10_000)}1],"b":[${'1,'.repeat(10_000)}1]}`), JsonError)
})

const mebibyte = 1_048_576
const hostile = [
  '[',
  '{"a":',
  '"',
  '\\',
  ',',
  '{},',
  '"\\n",',
  '"\\u00e9",',
  '\\"',
  '{"a":1},',
  '[[[[[[[]]]]]]],',
  '{"":1,"":',
  '1e9,',
  '\u{1f600}',
]
for (const unit of hostile) {
  test(`a mebibyte of ${unit} takes little time to parse or refuse`, () => {
    for (const text of [
      unit.repeat(mebibyte / unit.length),
      `["${unit.repeat(mebibyte / unit.length)}"]`,
      `[${unit.repeat(mebibyte / unit.length)}1]`,
    ]) {
      const usedCpuMs = startCpuTimer()
      try {
        parse(text)
      } catch (error) {
        assert.ok(error instanceof JsonError)
      }
      assert.ok(usedCpuMs() < 1_000)
    }
  })
}
test('names that are multiples of a power of two take little time to parse', () => {
  const usedCpuMs = startCpuTimer()
  parse(`{${Array.from({ length: 19_000 }, (_, index) => `"${(index + 1) * 16_777_216}":1`).join()}}`)
  assert.ok(usedCpuMs() < 1_000)
})
