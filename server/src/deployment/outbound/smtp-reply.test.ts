import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownReply } from './smtp-reply.ts'

// biome-ignore format: this table is read by column
const cases: [why: string, reply: string, shown: string | null][] = [
  ['one line',                          '250 2.0.0 OK queued as 4F2',              '250 2.0.0 OK queued as 4F2'],
  ['a code alone',                      '250',                                     '250'],
  ['several lines become one',          '550-5.1.1 No such\n550 5.1.1 user',       '550-5.1.1 No such 550 5.1.1 user'],
  ['letters of other scripts stay',     '550 Empfänger unbekannt 不明',             '550 Empfänger unbekannt 不明'],
  ['controls become spaces',            '550 a\u001b[31mb\u0007c\u202ed',          '550 a [31mb c d'],
  ['lines with different codes',        '550-a\n250 b',                            null],
  ['a continuation without an end',     '550-a\n550-b',                            null],
  ['an end before the last line',       '550 a\n550 b',                            null],
  ['no code',                           'internal secret',                         null],
  ['a code of four digits',             '2500 a',                                  null],
  ['a code that RFC 5321 does not know','199 a',                                   null],
  ['another protocol',                  'HTTP/1.1 400 Bad Request',                null],
  ['nothing',                           '',                                        null],
  ['a secret',                          '554 spam: 482913',                        null],
  ['a secret among other lines',        '554-spam\n554 482913',                    null],
]
for (const [why, reply, shown] of cases)
  test(`a reply is shown only if it is well formed and repeats no secret: ${why}`, () =>
    assert.equal(shownReply(reply, ['482913', '']), shown))

test('at most 500 characters are shown, and no character is cut in two', () => {
  assert.equal([...(shownReply(`250 ${'🧺'.repeat(600)}`, []) ?? '')].length, 500)
  assert.ok(shownReply(`250 ${'🧺'.repeat(600)}`, [])?.isWellFormed())
})
