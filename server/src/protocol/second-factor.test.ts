import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrolmentNeedsMailedCode, missingAfterFirstFactor, withSecondFactor } from './second-factor.ts'

const modes = ['off', 'optional', 'required'] as const
const one = 'urn:ostiary:1fa'

for (const mode of modes) {
  test(`an enrolled second factor is asked for after one factor (mfa ${mode})`, () =>
    assert.equal(missingAfterFirstFactor(one, { mode, has_second_factor: true }), 'ask'))
  test(`a trusted browser stands for an enrolled second factor (mfa ${mode})`, () =>
    assert.equal(missingAfterFirstFactor(one, { mode, has_second_factor: true, is_trusted: true }), 'nothing'))
  for (const acr of ['urn:ostiary:passkey', 'urn:ostiary:2fa'])
    for (const has_second_factor of [true, false])
      test(`${acr} needs no second factor (mfa ${mode}, ${has_second_factor ? '' : 'not '}enrolled)`, () =>
        assert.equal(missingAfterFirstFactor(acr, { mode, has_second_factor }), 'nothing'))
}

for (const [mode, missing] of [
  ['off', 'nothing'],
  ['optional', 'nothing'],
  ['required', 'enrol'],
] as const)
  test(`a person without a second factor is asked for ${missing} (mfa ${mode})`, () =>
    assert.equal(missingAfterFirstFactor(one, { mode, has_second_factor: false }), missing))

test('a trusted browser enrols nobody, and stands for no factor that is missing', () =>
  assert.equal(missingAfterFirstFactor(one, { mode: 'required', has_second_factor: false, is_trusted: true }), 'enrol'))

const together: [first: string[], second: string[], amr: string[]][] = [
  [['pwd'], ['otp'], ['pwd', 'otp', 'mfa']],
  [['otp'], ['otp'], ['otp', 'mfa']],
  [[], ['otp'], ['otp', 'mfa']],
  [['pwd'], ['hwk', 'user'], ['pwd', 'hwk', 'user', 'mfa']],
  [['pwd', 'otp', 'mfa'], ['otp'], ['pwd', 'otp', 'mfa']],
]
for (const [first, second, amr] of together)
  test(`${first.join(', ') || 'a provider'} and then ${second.join(', ')} is ${amr.join(', ')}`, () =>
    assert.deepEqual(withSecondFactor(first, second, []), amr))

const aims: [acr_values: string[], second: string[], amr: string[]][] = [
  [['urn:ostiary:passkey'], ['hwk', 'user'], ['pwd', 'otp', 'hwk', 'user']],
  [
    ['phr', 'urn:ostiary:passkey', 'urn:ostiary:2fa'],
    ['swk', 'user'],
    ['pwd', 'otp', 'swk', 'user'],
  ],
  [
    ['urn:ostiary:2fa', 'urn:ostiary:passkey'],
    ['hwk', 'user'],
    ['pwd', 'otp', 'hwk', 'user', 'mfa'],
  ],
  [['urn:ostiary:passkey'], ['otp'], ['pwd', 'otp', 'mfa']],
]
for (const [acr_values, second, amr] of aims)
  test(`two factors and then ${second.join(', ')} for ${acr_values.join(' ')} is ${amr.join(', ')}`, () =>
    assert.deepEqual(withSecondFactor(['pwd', 'otp', 'mfa'], second, acr_values), amr))

test('the first enrolment needs a mailed code where there is mail, unless the sign-in began with one', () => {
  const needs = (sends_mail: boolean, proved_by_code: boolean) => enrolmentNeedsMailedCode({ sends_mail, proved_by_code })
  assert.deepEqual([needs(true, false), needs(true, true), needs(false, false), needs(false, true)], [true, false, false, false])
})
