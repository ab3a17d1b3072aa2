/** Which addresses people can have, and which of them are one account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Email } from '@ostiary/contract/values.ts'
import fc from 'fast-check'
import { emailKey } from './email.ts'
import { longest_email } from './normalisation.ts'

// biome-ignore format: this table is read by column
const accepted: [address: string, key: string][] = [
  ['Ada@Example.COM',                  'ada@example.com'],
  ["o'hara+shop@mail.example.com",     "o'hara+shop@mail.example.com"],
  ['jörg@exämple.de',                  'jörg@xn--exmple-cua.de'],
  ['JÖRG@EXÄMPLE.DE',                  'jörg@xn--exmple-cua.de'],
  ['jörg@XN--EXMPLE-CUA.de',           'jörg@xn--exmple-cua.de'],
  ['ada@faß.de',                       'ada@xn--fa-hia.de'],
  ['ada@fass.de',                      'ada@fass.de'],
  ['ada@ΟΔΟΣ.gr',                      'ada@xn--pxavbq.gr'],
  ['ada@οδος.gr',                      'ada@xn--pxavbm.gr'],
  ['иван@почта.рф',                    'иван@xn--80a1acny.xn--p1ai'],
  ['иван@xn--80a1acny.xn--p1ai',       'иван@xn--80a1acny.xn--p1ai'],
  ['ada@xn--80a1acny.xn--p1ai',        'ada@xn--80a1acny.xn--p1ai'],
  ['用户@例子.广告',                      '用户@xn--fsqu00a.xn--4rr70v'],
  ['taro山田@example.jp',               'taro山田@example.jp'],
  ['संपर्क@डाटामेल.भारत',                     'संपर्क@xn--c2bd4bq1db8d.xn--h2brj9c'],
  [`${'ö'.repeat(32)}@example.com`,    `${'ö'.repeat(32)}@example.com`],
]
for (const [address, key] of accepted)
  test(`${address} is an address with the key ${key}`, () => {
    assert.ok(Email.safeParse(address).success)
    assert.equal(emailKey(address), key)
  })

// biome-ignore format: this table is read by column
const refused: [what: string, address: string][] = [
  ['full-width letters',                       'ａｄａ@example.com'],
  ['a full-width letter in the domain',        'ada@ｅxample.com'],
  ['a ligature',                               'ﬁnn@example.com'],
  ['a letter that only looks different',       '\u212Aim@example.com'],
  ['a decomposed letter',                      'jo\u0308rg@example.com'],
  ['an ideographic full stop',                 'ada@例子。广告'],
  ['a soft hyphen',                            'a\u00ADda@example.com'],
  ['a joiner',                                 'ad\u200Da@example.com'],
  ['a variation selector',                     'ö\uFE0F@example.com'],
  ['an invisible mark in the domain',          'ada@exä\u034Fmple.de'],
  ['a Hangul filler',                          'ada\u3164@example.com'],
  ['a directional override',                   'ö\u202Eada@example.com'],
  ['a directional mark',                       'ö\u200Fada@example.com'],
  ['a control character',                      'ö\u0000@example.com'],
  ['a line break',                             'ö\r\n@example.com'],
  ['a lone surrogate',                         '\uD800@example.com'],
  ['an emoji',                                 '🧺@example.com'],
  ['a Cyrillic a among Latin letters',         '\u0430da@example.com'],
  ['a Greek o among Latin letters',            'b\u03BFb@example.com'],
  ['Latin among letters from right to left',   'adaשלום@example.com'],
  ['a mark at the start',                      '\u0301ö@example.com'],
  ['a dot at the end',                         'ö.@example.com'],
  ['two dots',                                 'ö..a@example.com'],
  ['two at signs',                             'ö@a@example.com'],
  ['a local part of 65 octets',                `${'ö'.repeat(32)}a@example.com`],
  ['a label of 64 characters as it travels',   `ada@${'ü'.repeat(60)}.de`],
  ['a domain of one label',                    'ö@localhost'],
  ['a domain that is a network address',       'ö@1.0x1'],
  ['a domain with an empty label',             'ada@exä..de'],
  ['a domain with a hyphen at the end',        'ada@exä-.de'],
  ['a domain with a percent sign',             'ada@ex%61ä.de'],
  ['a domain that begins with a mark',         'ada@\u0301ä.de'],
  ['a top-level domain of digits',             'ö@example.123'],
  ['nothing before the at sign',               '@exämple.de'],
  ['an address over 254 octets as it travels', `${'ö'.repeat(32)}@${`${'a'.repeat(60)}.`.repeat(3)}example.com`],
]
for (const [what, address] of refused)
  test(`no address has ${what}`, () => {
    assert.equal(Email.safeParse(address).success, false)
  })

const ascii = fc
  .stringMatching(/^[A-Za-z0-9_'+.-]{1,40}@[A-Za-z0-9.-]{1,60}\.[A-Za-z]{2,8}$/)
  .filter((text) => Email.safeParse(text).success)

test('the key of an ASCII address is the address in lower case, as it was before international addresses', () => {
  fc.assert(fc.property(ascii, (address) => assert.equal(emailKey(address), address.toLowerCase())))
})

test('a key is its own key, and case changes none', () => {
  const local = fc.string({ unit: fc.constantFrom(...'aäßéøłñ.-+_'), minLength: 1, maxLength: 20 })
  const domain = fc.string({ unit: fc.constantFrom(...'aäßéøłñ'), minLength: 1, maxLength: 20 })
  const address = fc.tuple(local, domain).map(([before, after]) => `${before}@${after}.de`)
  fc.assert(
    fc.property(address, (text) => {
      const key = emailKey(text)
      assert.equal(emailKey(key), key)
      if (!text.includes('ß')) assert.equal(emailKey(text.toUpperCase()), key)
      if (Email.safeParse(text).success) assert.ok(Email.safeParse(key).success)
    }),
  )
})

test('any text up to the longest address has a key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: longest_email }), (text) =>
      assert.ok(emailKey(text.slice(0, longest_email)) !== null),
    ),
  )
})
