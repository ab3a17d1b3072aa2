import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { digestOf } from '../../base/digest.ts'
import { makeApiKey, recogniseKey } from './format.ts'

// The checksums come from another implementation: secret scanners must compute the same ones.
// biome-ignore format: this table is read by column
const known = [
  { type: 'auth_publishable', environment_type: 'test', prefix: 'svc_auth_pk_test_', random: '00000000000000000000000000000000', checksum: '0dPMXY' },
  { type: 'auth_publishable', environment_type: 'live', prefix: 'svc_auth_pk_live_', random: '00000000000000000000000000000000', checksum: '2gpcU1' },
  { type: 'auth_secret',      environment_type: 'test', prefix: 'svc_auth_sk_test_', random: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', checksum: '1j1Kwk' },
  { type: 'auth_secret',      environment_type: 'live', prefix: 'svc_auth_sk_live_', random: '0123456789ABCDEFGHIJKLMNOPQRSTUV', checksum: '1Fr5Qs' },
  { type: 'platform_secret',  environment_type: null,   prefix: 'svc_platform_sk_',  random: 'abcdefghijklmnopqrstuvwxyz012345', checksum: '4aPx1a' },
] as const

for (const { type, environment_type, prefix, random, checksum } of known) {
  test(`${prefix}… with a valid checksum is recognised`, () => {
    assert.deepEqual(recogniseKey(prefix + random + checksum), { type, environment_type })
  })
  test(`makeApiKey(${type}, ${environment_type}) makes a key that begins with ${prefix} and is recognised`, () => {
    const made = makeApiKey(type, environment_type, randomBytes)
    assert.match(made.key, new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
    assert.deepEqual(recogniseKey(made.key), { type, environment_type })
    assert.equal(made.digest, createHash('sha256').update(made.key).digest('hex'))
    assert.equal(made.start, made.key.slice(0, prefix.length + 4))
    assert.equal(made.last4, made.key.slice(-4))
  })
}

const good = 'svc_auth_sk_live_0123456789ABCDEFGHIJKLMNOPQRSTUV1Fr5Qs'
const refusals = [
  { why: 'it is empty', text: '' },
  { why: 'it is only a prefix', text: 'svc_auth_sk_live_' },
  { why: 'its prefix names the other environment type', text: good.replace('live', 'test') },
  { why: 'its prefix names another key type', text: good.replace('_sk_', '_pk_') },
  { why: 'its prefix is in upper case', text: good.replace('svc', 'SVC') },
  { why: 'its last digit is missing', text: good.slice(0, -1) },
  { why: 'it has an extra digit', text: `${good}0` },
  { why: 'a space follows', text: `${good} ` },
  { why: 'a line feed follows', text: `${good}\n` },
  { why: 'a space precedes', text: ` ${good}` },
  { why: 'its checksum is in lower case', text: good.slice(0, -6) + good.slice(-6).toLowerCase() },
  { why: 'two digits are swapped', text: good.replace('0123', '0132') },
  { why: 'a digit is not base62', text: good.replace('0123', '01-3') },
  { why: 'a digit is full-width', text: good.replace('0123', '01２3') },
  { why: 'its prefix is unknown', text: good.replace('svc_auth_sk_live_', 'svc_auth_sk_') },
]
for (const { why, text } of refusals) {
  test(`a key is not recognised when ${why}`, () => assert.equal(recogniseKey(text), null))
}

test('a key with one wrong character is not recognised', () => {
  const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. é')
  fc.assert(
    fc.property(fc.nat(good.length - 1), character, (at, other) => {
      fc.pre(good[at] !== other)
      assert.equal(recogniseKey(good.slice(0, at) + other + good.slice(at + 1)), null)
    }),
  )
})

test('recogniseKey returns null for any text that is not a key, and never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => assert.equal(recogniseKey(text), null)))
})

test('makeKey uses every base62 digit with equal probability', () => {
  const counts = new Map<string, number>()
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  let next = 0
  const cycle = (n: number) => Uint8Array.from({ length: n }, () => everyByte[next++ % 256] ?? 0)
  for (let key = 0; key < 31; key++) {
    for (const digit of makeApiKey('platform_secret', null, cycle).key.slice(16, 48)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  assert.equal(counts.size, 62)
  assert.deepEqual([...new Set(counts.values())], [16]) // 31 keys of 32 digits use up the 248 accepted bytes four times
})

test('makeKey asks for more random bytes when it rejected some', () => {
  let asked = 0
  const { key } = makeApiKey('auth_secret', 'live', (n) => new Uint8Array(n).fill(asked++ === 0 ? 255 : 1))
  assert.equal(key.slice(17, 49), '1'.repeat(32))
})

test('makeKey throws for an auth key without an environment type and for a platform key with one', () => {
  assert.throws(() => makeApiKey('auth_secret', null, randomBytes), TypeError)
  assert.throws(() => makeApiKey('platform_secret', 'live', randomBytes), TypeError)
})

test('digestOf returns SHA-256 in hexadecimal (FIPS 180-4, test vector "abc")', () => {
  assert.equal(digestOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
