import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asLine, isText } from './text.ts'

// biome-ignore format: this table is read by column
const texts: [text: string, line: boolean, lines: boolean][] = [
  ['',                      true,  true],
  ['Ünïcode 🧺 ａ\u200d',   true,  true],
  ['\ufffd\u202e',          true,  true],
  ['a\nb\r\n\tc',           false, true],
  ['a\0',                   false, false],
  ['\x07',                  false, false],
  ['\x0b',                  false, false],
  ['\x7f',                  false, false],
  ['\u0085',                false, false],
  ['\u009f',                false, false],
  ['\u2028',                false, false],
  ['\u2029',                false, false],
  ['\ud800',                false, false],
  ['\udc00\ud800',          false, false],
]
for (const [text, line, lines] of texts) {
  test(`${JSON.stringify(text)} is ${line ? 'a line of text' : lines ? 'several lines of text' : 'refused'}`, () => {
    assert.deepEqual([isText(text), isText(text, true)], [line, lines])
  })
}

test('asLine makes one line of at most max characters from any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\0', '\u202e', '🧺', '\n'))),
      fc.integer({ min: 1, max: 20 }),
      (parts, max) => {
        const line = asLine(parts.join(''), max)
        assert.ok(isText(line) && [...line].length <= max && !/[\u202A-\u202E\u2066-\u2069]/.test(line))
      },
    ),
  )
  assert.equal(asLine('  Ada\r\n Löve🧺lace ', 8), 'Ada Löve')
  assert.equal(asLine('🧺🧺🧺', 2), '🧺🧺')
})
