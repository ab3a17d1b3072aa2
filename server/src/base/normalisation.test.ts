import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Application } from '@ostiary/contract/objects/application.ts'
import { NewResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { NewUser } from '@ostiary/contract/user.ts'
import { Email, Name, Origin, WebUrl } from '@ostiary/contract/values.ts'
import fc from 'fast-check'
import type { z } from 'zod'
import { commonPasswords } from '../domain/users/common-passwords.ts'
import { passwordProblem } from '../domain/users/password-policy.ts'
import { emailKey } from './email.ts'
import { folded, longest_email, longest_normalised, normalised } from './normalisation.ts'

const policy = { min_length: 12, reject_common: true }
const marks = (length: number) => 'a'.padEnd(length, '\u0301\u0316')

test('a text over the length limit is never normalised', () => {
  assert.equal(normalised('ﬁ'), 'fi')
  assert.equal(normalised(marks(longest_normalised)).length > 0, true)
  assert.throws(() => normalised(marks(longest_normalised + 1)), RangeError)
  assert.throws(() => folded(marks(longest_normalised + 1)), RangeError)
})

test('text of ASCII is folded as any other text', () => {
  const slow = (text: string) => text.normalize('NFKC').toLowerCase().normalize('NFKC')
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii', maxLength: 50 }), (text) => folded(text) === slow(text)))
})

test('the longest email address has a key, even if its normal form is longer', () => {
  for (const letter of ['\ufdfa', '\u0344', 'İ', 'a']) assert.ok(emailKey(letter.repeat(longest_email)).length >= longest_email)
})

test('a password over the limit is refused by its length, before any other check', () => {
  for (const length of [1_001, 100_000, 1_048_576]) {
    assert.equal(passwordProblem(marks(length), ['ada@example.com'], policy, commonPasswords), 'too_long')
    assert.equal(passwordProblem('a'.repeat(length), ['ada@example.com'], policy, commonPasswords), 'too_long')
  }
  assert.equal(passwordProblem('\ufdfa'.repeat(1_000), ['ada@example.com'], policy, commonPasswords), 'too_long')
})

// biome-ignore format: this table is read by column
const schemas: [name: string, schema: z.ZodType, longest: number][] = [
  ['Email', Email, 254], ['Name', Name, 100], ['Origin', Origin, 300], ['WebUrl', WebUrl, 2_000],
  ['the identifier of a resource server', NewResourceServer.shape.identifier, 500],
  ['the locale of a user', NewUser.shape.locale, 35], ['the logo of an application', Application.shape.logo_uri, 2_000],
]
for (const [name, schema, longest] of schemas) {
  test(`${name}: a text that is too long is refused only for its length, since no later check reads it`, () => {
    for (const text of [marks(longest + 1), marks(1_048_576), '@'.repeat(1_048_576), 'https://a.'.repeat(100_000)]) {
      const { error } = schema.safeParse(text)
      assert.deepEqual(
        error?.issues.map(({ code }) => code),
        ['too_big'],
      )
    }
  })
}
