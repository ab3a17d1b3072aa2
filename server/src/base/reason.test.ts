/** The type checker runs these rules: an expected error that does not occur is an error of `npm run check`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, badField } from '../http/problem.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { idIn, oneOf, reason } from './reason.ts'

const typed: string = 'typed by a person'
const id = 'key_01m7wwr5ftevtv5yxb47hmb4ht' as const
const role: 'viewer' | 'owner' = 'owner'

test('a text without values is its own reason', () => {
  assert.equal(new ApiError('not_found', 'There is none.').reason, 'There is none.')
  assert.equal(new OAuthError('invalid_grant', 'The code has expired.').reason, 'The code has expired.')
  assert.equal(new ApiError('insufficient_role', `This needs the role ${role}.`).reason, 'This needs the role owner.')
})

test('a text with a value of the request does not compile without a reason', () => {
  // @ts-expect-error: the detail contains what a person typed
  new ApiError('slug_taken', `There is a project ${typed}.`)
  // @ts-expect-error: the description contains what a client sent
  new OAuthError('invalid_scope', `The scope ${typed} is unknown.`)
  // @ts-expect-error: so does a text that is nothing else
  new OAuthError('invalid_scope', typed)
  const explained = new ApiError('slug_taken', `There is a project ${typed}.`, { reason: reason`Another project has the slug.` })
  assert.equal(explained.reason, 'Another project has the slug.')
})

test('a reason takes ids, numbers and words of ours, and no other text', () => {
  assert.equal(reason`The key ${id} has ${3} calls.`, `The key ${id} has 3 calls.`)
  assert.equal(reason`The role is ${role}.`, 'The role is owner.')
  // @ts-expect-error: the value is any text
  reason`The name is ${typed}.`
  assert.equal(reason`It is ${idIn(typed)}.`, 'It is of another form.')
  assert.equal(reason`It is ${idIn(id)}.`, `It is ${id}.`)
  assert.equal(reason`It is ${oneOf(['email', 'name'], typed, 'unknown')}.`, 'It is unknown.')
  assert.equal(reason`It is ${oneOf(['email', 'name'], 'email', 'unknown')}.`, 'It is email.')
})

// biome-ignore format: this table is read by column
const fields: [string, readonly (string | number)[], string][] = [
  ['a field of a schema is named',               ['redirect_uris', 0], 'The field /redirect_uris/0 is not accepted: not_allowed.'],
  ['a name that no schema has is not repeated',  ['metadata', typed],  'The field /metadata/… is not accepted: not_allowed.'],
  ['nor is one that looks like a path',          ['a/b~c'],            'The field /… is not accepted: not_allowed.'],
]
for (const [rule, path, expected] of fields)
  test(`in the reason for a field, ${rule}`, () => assert.equal(badField(path, `You sent ${typed}.`).reason, expected))
