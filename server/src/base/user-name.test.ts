import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUserName, userNameKey } from './user-name.ts'

// biome-ignore format: this table is read by column
const names: [what: string, name: string, is_usable: boolean][] = [
  ['of letters',                         'pat',                     true],
  ['with punctuation and digits',        'pat.o-neill_2',           true],
  ['in another script',                  'パット',                  true],
  ['of a letter and a mark',             'e\u0301mile',             true],
  ['of 100 characters',                  'x'.repeat(100),           true],
  ['of 100 characters beyond 16 bits',   '\u{1f600}'.repeat(100),   true],
  ['of 101 characters',                  'x'.repeat(101),           false],
  ['of nothing',                         '',                        false],
  ['with a blank',                       'pat smith',               false],
  ['with a no-break space',              'pat\u00a0smith',          false],
  ['with a control character',           'pat\u0007',               false],
  ['with a zero-width space',            'p\u200bat',               false],
  ['with a soft hyphen',                 'p\u00adat',               false],
  ['that turns the direction',           'pat\u202e',               false],
  ['with a letter that is not seen',     'pat\u3164',               false],
  ['with a variation selector',          'pat\ufe0f',               false],
  ['that reads as an address',           'pat@example.com',         false],
  ['that reads as an address, in full width', 'pat\uff20example.com', false],
]
for (const [what, name, is_usable] of names)
  test(`a name ${what} is ${is_usable ? 'a' : 'no'} user name`, () => assert.equal(isUserName(name), is_usable))

// Names that products or people take for the same: they differ in case, width, style or invisible characters.
const unseen = [
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u202a', '\u202e'],
  ...[
    '\u2060',
    '\u2066',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\ufeff',
    '\uffa0',
    '\u{1d159}',
    '\u{e0061}',
    ' ',
    '\u00a0',
    '\u3000',
    '\t',
    '\n',
    '\0',
  ],
]
const tries = [
  ...['PAT', 'Pat', 'pAt', 'paT', 'ｐａｔ', '𝐩𝐚𝐭', '𝖕𝖆𝖙', 'ⓟⓐⓣ', 'ᵖᵃᵗ', 'p\u200bA\u200bt', 'pat@pat.example', '@pat'],
  ...unseen.map((character) => `p${character}at`),
]
test(`a person does not become pat in ${tries.length} tries`, () => {
  assert.ok(tries.length >= 40)
  for (const name of tries) assert.ok(!isUserName(name) || userNameKey(name) === userNameKey('pat'), JSON.stringify(name))
})

for (const other of ['PAT', 'ｐａｔ', 'p\u200bat', 'pat ', 'P\u00adat'])
  test(`${JSON.stringify(other)} is the same user name as "pat"`, () => assert.equal(userNameKey(other), userNameKey('pat')))
