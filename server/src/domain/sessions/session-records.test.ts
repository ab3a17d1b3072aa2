import assert from 'node:assert/strict'
import test from 'node:test'
import { methodOfSession } from './session-records.ts'

const id = '01jbnq6zt8e2m9w4x7c5v3k1ha'
const user_id = `usr_${id}` as const
const [one_factor, two_factors, by_passkey] = ['urn:ostiary:1fa', 'urn:ostiary:2fa', 'urn:ostiary:passkey']

// biome-ignore format: this table is read by column
const sessions: [what: string, began_with: string, acr: string | undefined, method: string][] = [
  ['a password',                          `mth_${id}`,   one_factor,  'password'],
  ['a password, then a code of an app',   `mth_${id}`,   two_factors, 'password'],
  ['an emailed code',                     'email_code',  one_factor,  'email_code'],
  ['an emailed code, then one of an app', 'email_code',  two_factors, 'email_code'],
  ['a passkey',                           'mth_passkey', by_passkey,  'passkey'],
  ['a provider',                          'mth_other',   one_factor,  'provider'],
  ['a provider, then a passkey',          'mth_other',   two_factors, 'provider'],
]
for (const [what, began_with, acr = '', method] of sessions)
  test(`a session that began with ${what} has the method ${method}`, () => {
    assert.equal(methodOfSession({ began_with, acr, user_id }), method)
  })
