import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutEnds } from './typed.ts'

// biome-ignore format: this table is read by column
const taken_off: [what: string, character: string][] = [
  ['a blank',                        ' '],
  ['a tab',                          '\t'],
  ['a line break',                   '\r\n'],
  ['a no-break space',               '\u00a0'],
  ['an ideographic space',           '\u3000'],
  ['a line separator',               '\u2028'],
  ['a byte order mark',              '\ufeff'],
  ['a zero-width space',             '\u200b'],
  ['a joiner',                       '\u200d'],
  ['a word joiner',                  '\u2060'],
  ['a soft hyphen',                  '\u00ad'],
  ['a mark of direction',            '\u200f'],
  ['an embedding of a direction',    '\u202a'],
  ['an isolate',                     '\u2068'],
  ['two of them and blanks',         ' \u200b \u2060\t'],
]
for (const [what, character] of taken_off) {
  test(`${what} is taken off at both ends`, () => assert.equal(withoutEnds(`${character}Ada${character}`), 'Ada'))
  test(`${what} within a text stays`, () => assert.equal(withoutEnds(`Ada${character}Example`), `Ada${character}Example`))
  test(`nothing is left of ${what} alone`, () => assert.equal(withoutEnds(character), ''))
}

// biome-ignore format: this table is read by column
const kept: [what: string, text: string][] = [
  ['a letter that is not seen',             '\u3164Ada'],
  ['a pattern of braille without dots',     'Ada\u2800'],
  ['a control character',                   'Ada\u0007'],
  ['the form of an emoji',                  'Ada \u2764\ufe0f'],
  ['the flag of a country within another',  'Ada \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
  ['a lone surrogate',                      'Ada\ud83d'],
  ['an Arabic sign before a number',        '\u06001'],
  ['a combining mark',                      'Ade\u0301'],
]
for (const [what, text] of kept) test(`${what} stays`, () => assert.equal(withoutEnds(text), text))

test('a megabyte of blanks takes linear time', () => {
  const [blanks, letters] = [' '.repeat(500_000), 'x'.repeat(500_000)]
  assert.equal(withoutEnds(`${letters}${blanks}${letters}${blanks}`).length, 1_500_000)
})
