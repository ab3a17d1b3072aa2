import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reason } from '../base/reason.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'

const statuses: [OAuthErrorCode, number][] = [
  ['invalid_request', 400],
  ['invalid_grant', 400],
  ['invalid_scope', 400],
  ['unsupported_grant_type', 400],
  ['login_required', 400],
  ['invalid_client', 401],
  ['invalid_token', 401],
  ['insufficient_scope', 403],
  ['server_error', 500],
  ['temporarily_unavailable', 503],
]
for (const [code, status] of statuses) {
  test(`${code} is answered with ${status}`, () => assert.equal(new OAuthError(code, 'Why.').status, status))
}

test('the JSON of an error has its code and description, and not its cause', () => {
  const error = new OAuthError('invalid_grant', 'The code has expired.', { cause: new Error('secret') })
  assert.equal(JSON.stringify(error), '{"error":"invalid_grant","error_description":"The code has expired."}')
})

test('an error records whether the client used the Authorization header', () => {
  assert.equal(new OAuthError('invalid_client', 'No.').used_header, false)
  assert.equal(new OAuthError('invalid_client', 'No.', { used_header: true }).used_header, true)
})

test('error_description has only the characters of RFC 6749 §5.2, for any text that it quotes', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
    assert.match(
      new OAuthError('invalid_scope', `The scope ${text} is not known.`, { reason: reason`Unknown.` }).message,
      /^[\x20-\x21\x23-\x5B\x5D-\x7E]{1,500}$/,
    )
  })
  fc.assert(property)
})
