import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, codeAt, matchingStep, otpauthUrl, stepAt, typedCode } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 4226, appendix D.
const hotp = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
for (const [counter, code] of hotp.entries())
  test(`RFC 4226: the code of counter ${counter} is ${code}`, () => assert.equal(codeAt(secret, counter), code))

// RFC 6238, appendix B, the last six digits of eight.
const totp: [seconds: number, code: string][] = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
]
for (const [seconds, code] of totp)
  test(`RFC 6238: the code at ${seconds} s is ${code}`, () => {
    const now = new Date(seconds * 1_000)
    assert.equal(codeAt(secret, stepAt(now)), code)
    assert.equal(matchingStep(secret, code, { last_step: -1, now }), stepAt(now))
  })

const now = new Date(1_000_000 * 30_000 + 29_999)
const step = 1_000_000
const cases: { rule: string; code: string; last_step?: number; found: number | null }[] = [
  { rule: 'the code of this step is right', code: codeAt(secret, step), found: step },
  { rule: 'the code of the step before is right', code: codeAt(secret, step - 1), found: step - 1 },
  { rule: 'the code of the next step is right', code: codeAt(secret, step + 1), found: step + 1 },
  { rule: 'the code of two steps before is wrong', code: codeAt(secret, step - 2), found: null },
  { rule: 'the code of two steps later is wrong', code: codeAt(secret, step + 2), found: null },
  { rule: 'the code of the last used step is wrong', code: codeAt(secret, step), last_step: step, found: null },
  { rule: 'an unused code before the last used step is wrong', code: codeAt(secret, step - 1), last_step: step, found: null },
  { rule: 'the next code after the last used step is right', code: codeAt(secret, step + 1), last_step: step, found: step + 1 },
  { rule: 'an empty code is wrong', code: '', found: null },
  { rule: 'five digits are wrong', code: codeAt(secret, step).slice(1), found: null },
  { rule: 'the digits with one more are wrong', code: `${codeAt(secret, step)}0`, found: null },
  { rule: 'letters are wrong', code: 'abcdef', found: null },
]
for (const { rule, code, last_step = 0, found } of cases)
  test(rule, () => assert.equal(matchingStep(secret, code, { last_step, now }), found))

test('at the beginning of time no step is negative', () =>
  assert.equal(matchingStep(secret, '000000', { last_step: -1, now: new Date(0) }), null))

const typed: [text: string, code: string][] = [
  ['123 456', '123456'],
  [' 123-456\n', '123456'],
  ['123\u00a0456', '123456'],
  ['123456', '123456'],
]
for (const [text, code] of typed) test(`${JSON.stringify(text)} is typed for ${code}`, () => assert.equal(typedCode(text), code))

// RFC 4648 §10, without padding.
for (const [text, encoded] of Object.entries({
  '': '',
  f: 'MY',
  fo: 'MZXQ',
  foo: 'MZXW6',
  foob: 'MZXW6YQ',
  fooba: 'MZXW6YTB',
  foobar: 'MZXW6YTBOI',
}))
  test(`RFC 4648: base32 of "${text}" is ${encoded}`, () => assert.equal(base32(Buffer.from(text)), encoded))

test('the link names issuer and account, with the parameters that every app supports', () => {
  const url = otpauthUrl({ issuer: 'Acme: Shop & Co', account: 'ada+x@example.com', secret })
  assert.equal(
    url,
    'otpauth://totp/Acme%20%20Shop%20%26%20Co:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Acme%20%20Shop%20%26%20Co&algorithm=SHA1&digits=6&period=30',
  )
})
