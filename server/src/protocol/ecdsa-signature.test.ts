import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { derOfJose, joseOfDer } from './ecdsa-signature.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The kinds of numbers whose forms differ: a zero byte before the first bit, none, and zero bytes of the 32 that DER leaves out. */
const kindOf = (bytes: Buffer) => ((bytes[0] ?? 0) >= 0x80 ? 'high bit' : bytes[0] === 0 ? 'led by zero' : 'plain')

test('20,000 signatures convert to 64 bytes and back, and verify in both forms', () => {
  const seen = new Map<string, number>()
  for (let n = 0; n < 20_000; n++) {
    const signed = Buffer.from(`token ${n}`)
    const der = sign('sha256', signed, privateKey)
    const jose = joseOfDer(der)
    assert.equal(jose.length, 64)
    // The conversion of node:crypto is the other opinion. Equal DER verifies as the signature did when it was made.
    assert.ok(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jose))
    assert.deepEqual(derOfJose(jose), der)
    for (const [name, bytes] of Object.entries({ r: jose.subarray(0, 32), s: jose.subarray(32) })) {
      const kind = `${name}, ${kindOf(bytes)}`
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }
  }
  for (const name of ['r', 's'])
    for (const kind of ['high bit', 'led by zero', 'plain']) assert.ok((seen.get(`${name}, ${kind}`) ?? 0) > 20, `${name}, ${kind}`)
  assert.ok(verify('sha256', Buffer.from('token 0'), publicKey, derOfJose(joseOfDer(sign('sha256', Buffer.from('token 0'), privateKey)))))
})

/** A number of 32 bytes that begins with up to 31 zero bytes. */
const number = fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer({ min: 0, max: 31 })).map(([bytes, zeros]) => {
  const cut = Uint8Array.from(bytes)
  cut.fill(0, 0, zeros)
  return cut
})

test('numbers of every length come back as they were', () => {
  const property = fc.property(number, number, (r, s) => {
    const jose = Buffer.concat([r, s])
    assert.deepEqual(joseOfDer(derOfJose(jose)), jose)
  })
  fc.assert(property, { numRuns: 2_000 })
})

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const padded = (r: string, s: string) => Buffer.concat([r, s].map((text) => hex(text.padStart(64, '0'))))
const top = `80${'00'.repeat(31)}`
// biome-ignore format: this table is read by column
const forms: [what: string, der: string, jose: Buffer][] = [
  ['one byte each',                '3006 020101 020102',               padded('01', '02')],
  ['a first bit that is set',      '3008 02020080 0202 00ff',          padded('80', 'ff')],
  ['a zero byte inside',           '3008 02020100 02020200',           padded('0100', '0200')],
  ['32 bytes whose first bit is set', `3046 022100${top} 022100${top}`, padded(top, top)],
]
for (const [what, der, jose] of forms)
  test(`the forms of ${what} are as X.690 and RFC 7518 say`, () => {
    assert.deepEqual(joseOfDer(hex(der)), jose)
    assert.deepEqual(derOfJose(jose), hex(der))
  })

for (const length of [0, 1, 32, 63, 65, 70, 72, 128])
  test(`a signature of ${length} bytes has no DER`, () => assert.throws(() => derOfJose(Buffer.alloc(length, 1))))

// biome-ignore format: this table is read by column
const broken: [what: string, der: string][] = [
  ['nothing',                        ''],
  ['another type',                   '3106 020101 020102'],
  ['a longer length of the whole',   '3007 020101 020102'],
  ['a byte at the end',              '3006 020101 020102 00'],
  ['another type of a number',       '3006 030101 020102'],
  ['an empty number',                '3005 0200 020102'],
  ['a number that ends too late',    '3006 020101 020202'],
  ['a number of 33 bytes',           `3026 022101${top} 020101`],
]
for (const [what, der] of broken) test(`DER with ${what} is not converted`, () => assert.throws(() => joseOfDer(hex(der))))
