import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { passwordProblem } from './password-policy.ts'

const policy = { min_length: 8, reject_common: true }
const own = [
  'grace.hopper@navy.example.com',
  'Grace Hopper',
  null,
  undefined,
  'Amazing Grace',
  'Acme Corp',
  'acme',
  'Demo Shop',
  'Café Zürich',
]

// biome-ignore format: this table is read by column
const refused: [password: string, why: string][] = [
  ['acme-acme-acme',            'the tenant, again and again'],
  ['AcmeCorp2026!',             'the tenant with a year'],
  ['Acme12345678',              'the tenant with digits'],
  ['12345678-acme!!!',          'the tenant after digits'],
  ['4cm3c0rp!',                 'the tenant in digits that look like letters'],
  ['@CME_$hop_1',               'signs that look like letters'],
  ['a.c.m.e-c.o.r.p',           'the tenant, spelt out'],
  ['ａｃｍｅｃｏｒｐ１',           'the tenant in wide letters'],
  ['demoshop',                  'the project'],
  ['shop shop shop',            'a word of the project'],
  ['AcmeDemoShop#1',            'tenant and project'],
  ['cafe-zurich-1',             'a name without its marks'],
  ['Café Zürich',               'a name with its marks'],
  ['grace.hopper',              'the local part of the address'],
  ['hopper1906',                'a word of the address'],
  ['navy.example.com',          'the domain of the address'],
  ['navynavy99',                'a label of the domain'],
  ['GraceHopper1!',             'the person'],
  ['Amazing-Grace',             'the nickname'],
  ['Welcome1Acme',              'the tenant with another common password'],
  ['acmepassword1',             'the tenant with the most common password'],
]
for (const [password, why] of refused) {
  test(`"${password}" is refused: ${why}`, () => {
    assert.equal(passwordProblem(password, own, policy), 'common')
    assert.equal(passwordProblem(password, own, { ...policy, reject_common: false }), null)
  })
}

// biome-ignore format: this table is read by column
const accepted: [password: string, why: string][] = [
  ['correct horse battery staple',    'nothing of it is ours'],
  ['acme correct horse battery',      'most of it is not ours'],
  ['placement test for geese',        'it holds our letters within other words'],
  ['k7#Qz!m2vXp9',                    'it is random'],
  ['acme829104775203',                'more digits than a date has'],
  ['gracefully yours',                'a longer word'],
]
for (const [password, why] of accepted) {
  test(`"${password}" is accepted: ${why}`, () => assert.equal(passwordProblem(password, own, policy), null))
}

test('a name with digits and signs around it is refused, whatever the name', () => {
  const name = fc.stringMatching(/^[a-z]{3,20}$/)
  const around = fc.stringMatching(/^[0-9 .,#?-]{0,4}$/)
  fc.assert(
    fc.property(name, around, around, (word, before, after) => {
      const password = `${before}${word}${word}${word}${after}`
      assert.equal(passwordProblem(password, [word], policy), 'common')
    }),
  )
})

test('letters of others beside the name make a password of one’s own, from four on', () => {
  // Letters that look like nothing else, and words that hold none of them.
  const name = fc.stringMatching(/^[acd]{4,10}$/)
  const rest = fc.stringMatching(/^[hjkmnqrvwxy]{4,20}$/)
  fc.assert(
    fc.property(name, rest, (word, letters) => {
      assert.equal(passwordProblem(word + letters, [word], policy), null)
    }),
  )
})

test('any password and any names are judged within a moment and without an error', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 5_000 }),
      fc.array(fc.string({ unit: 'binary', maxLength: 500 })),
      (password, names) => {
        assert.ok([null, 'too_short', 'too_long', 'common'].includes(passwordProblem(password, names, policy)))
      },
    ),
    { numRuns: 50 },
  )
})

// biome-ignore format: this table is read by column
const lengths: [what: string, password: string, problem: string | null][] = [
  ['seven characters',                          'abc1x_z',                       'too_short'],
  ['seven characters of two code units each',   '🔑🧮🎈🚀🌍🍀🎲',                'too_short'],
  ['1,000 different enough characters',         'abcdefghij'.repeat(100),        null],
  ['1,001 characters',                          `${'abcdefghij'.repeat(100)}k`,  'too_long'],
  ['more bytes than 1,000 characters have',     '🔑'.repeat(1_001),              'too_long'],
  ['characters that become 18 each',            '\uFDFA'.repeat(60),             'too_long'],
  ['a million combining marks',                 '\u0301'.repeat(1_000_000),      'too_long'],
]
for (const [what, password, problem] of lengths) {
  test(`a password of ${what} is ${problem ?? 'accepted'}`, () => assert.equal(passwordProblem(password, [], policy), problem))
}
