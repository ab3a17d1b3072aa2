import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { commonPasswords } from './common-passwords.ts'
import { type PasswordPolicy, passwordProblem } from './password-policy.ts'

const policy: PasswordPolicy = { min_length: 8, reject_common: true }
const problemOf = (password: string, names: readonly (string | null | undefined)[], rules = policy) =>
  passwordProblem(password, names, rules, commonPasswords)
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
  ['acme-acme-acme',            'the tenant, repeated'],
  ['AcmeCorp2026!',             'the tenant with a year'],
  ['Acme12345678',              'the tenant with digits'],
  ['12345678-acme!!!',          'the tenant after digits'],
  ['4cm3c0rp!',                 'the tenant, with digits for letters'],
  ['@CME_$hop_1',               'signs for letters'],
  ['a.c.m.e-c.o.r.p',           'the tenant, with signs between the letters'],
  ['ａｃｍｅｃｏｒｐ１',           'the tenant in full-width letters'],
  ['demoshop',                  'the project'],
  ['shop shop shop',            'a word of the project'],
  ['AcmeDemoShop#1',            'tenant and project'],
  ['cafe-zurich-1',             'a name without its diacritics'],
  ['Café Zürich',               'a name with its diacritics'],
  ['grace.hopper',              'the local part of the email'],
  ['hopper1906',                'a word of the email'],
  ['navy.example.com',          'the domain of the email'],
  ['navynavy99',                'a label of the domain'],
  ['GraceHopper1!',             'the person'],
  ['Amazing-Grace',             'the nickname'],
  ['Welcome1Acme',              'the tenant with another common password'],
  ['acmepassword1',             'the tenant with the most common password'],
]
for (const [password, why] of refused) {
  test(`the password "${password}" is refused as common: ${why}`, () => {
    assert.equal(problemOf(password, own, policy), 'common')
    assert.equal(problemOf(password, own, { ...policy, reject_common: false }), null)
  })
}

// biome-ignore format: this table is read by column
const accepted: [password: string, why: string][] = [
  ['correct horse battery staple',    'it contains no name'],
  ['acme correct horse battery',      'most of it is not a name'],
  ['placement test for geese',        'it contains the letters of a name within other words'],
  ['k7#Qz!m2vXp9',                    'it is random'],
  ['acme829104775203',                'more digits than a date has'],
  ['gracefully yours',                'a longer word'],
]
for (const [password, why] of accepted) {
  test(`the password "${password}" is accepted: ${why}`, () => assert.equal(problemOf(password, own, policy), null))
}

test('a password of a name with digits and signs around it is refused', () => {
  const name = fc.stringMatching(/^[a-z]{3,20}$/)
  const around = fc.stringMatching(/^[0-9 .,#?-]{0,4}$/)
  fc.assert(
    fc.property(name, around, around, (word, before, after) => {
      const password = `${before}${word}${word}${word}${after}`
      assert.equal(problemOf(password, [word], policy), 'common')
    }),
  )
})

test('an accepted password of letters is accepted with a name before it', () => {
  // Letters that no digit or sign stands for, so that the name does not occur in the rest.
  const name = fc.stringMatching(/^[acd]{4,10}$/)
  const rest = fc.stringMatching(/^[hjkmnqrvwxy]{8,20}$/)
  fc.assert(
    fc.property(name, rest, (word, letters) => {
      fc.pre(problemOf(letters, []) === null)
      assert.equal(problemOf(word + letters, [word]), null)
    }),
  )
})

test('passwordProblem returns a known result for any password and any names', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 5_000 }),
      fc.array(fc.string({ unit: 'binary', maxLength: 500 })),
      (password, names) => {
        assert.ok([null, 'too_short', 'too_long', 'common'].includes(problemOf(password, names, policy)))
      },
    ),
    { numRuns: 50 },
  )
})

// biome-ignore format: this table is read by column
const lengths: [what: string, password: string, problem: string | null][] = [
  ['seven characters',                          'abc1x_z',                       'too_short'],
  ['seven characters of two code units each',   '🔑🧮🎈🚀🌍🍀🎲',                'too_short'],
  ['1,000 characters, not monotonous',          'abcdefghij'.repeat(100),        null],
  ['1,001 characters',                          `${'abcdefghij'.repeat(100)}k`,  'too_long'],
  ['more bytes than 1,000 characters have',     '🔑'.repeat(1_001),              'too_long'],
  ['60 characters that NFKC expands to 18 each','\uFDFA'.repeat(60),             'too_long'],
  ['a million combining marks',                 '\u0301'.repeat(1_000_000),      'too_long'],
]
for (const [what, password, problem] of lengths) {
  test(`a password of ${what} is ${problem ?? 'accepted'}`, () => assert.equal(problemOf(password, [], policy), problem))
}
