import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCodeRedemption } from './code-grant.ts'

/** RFC 7636 appendix B */
const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const now = new Date('2026-11-20T16:31:00.000Z')
const code = { client_id: 'app_1', redirect_uri: 'https://a.test/cb', code_challenge, expires_at: new Date(now.getTime() + 1) }
const request = { redirect_uri: 'https://a.test/cb', code_verifier }
type Change = { why: string; client_id?: string; code?: object; request?: object; error?: string }

test('a code is redeemed by its client with its redirect_uri and its verifier', () => checkCodeRedemption(code, 'app_1', request, now))

test('a code without challenge is redeemed without verifier', () => {
  checkCodeRedemption({ ...code, code_challenge: null }, 'app_1', { ...request, code_verifier: undefined }, now)
})

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

// biome-ignore format: this table is read by line
const refusals: Change[] = [
  { why: 'it belongs to another client', code: { client_id: 'app_2' } },
  { why: 'another client presents it', client_id: 'app_2' },
  { why: 'it expires at this moment', code: { expires_at: now } },
  { why: 'redirect_uri has an additional slash', request: { redirect_uri: 'https://a.test/cb/' } },
  { why: 'redirect_uri has another case', request: { redirect_uri: 'https://A.test/cb' } },
  { why: 'redirect_uri is missing', request: { redirect_uri: undefined }, error: 'invalid_request' },
  { why: 'the verifier is missing', request: { code_verifier: undefined } },
  { why: 'the verifier is the challenge', request: { code_verifier: code_challenge } },
  { why: 'the verifier is wrong', request: { code_verifier: code_verifier.replace('d', 'e') } },
  { why: 'the verifier is 42 characters', request: { code_verifier: code_verifier.slice(1) }, code: { code_challenge: challengeOf(code_verifier.slice(1)) } },
  { why: 'the verifier is 129 characters', request: { code_verifier: 'a'.repeat(129) }, code: { code_challenge: challengeOf('a'.repeat(129)) } },
  { why: 'the verifier holds other characters', request: { code_verifier: `${code_verifier}+` }, code: { code_challenge: challengeOf(`${code_verifier}+`) } },
  { why: 'the verifier ends in a line break', request: { code_verifier: `${code_verifier}\n` }, code: { code_challenge: challengeOf(`${code_verifier}\n`) } },
  { why: 'a verifier is sent for a code without challenge', code: { code_challenge: null } },
  { why: 'the challenge is the plain verifier', code: { code_challenge: code_verifier } },
  { why: 'the challenge is empty', code: { code_challenge: '' } },
]
for (const refusal of refusals) {
  const error = refusal.error ?? 'invalid_grant'
  test(`a code is refused with ${error} when ${refusal.why}`, () => {
    const redeem = () =>
      checkCodeRedemption({ ...code, ...refusal.code }, refusal.client_id ?? 'app_1', { ...request, ...refusal.request }, now)
    assert.throws(redeem, { name: 'OAuthError', code: error })
  })
}

test('every verifier of 43 to 128 unreserved characters matches its own challenge only', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
  const verifier = fc.string({ unit: fc.constantFrom(...letters), minLength: 43, maxLength: 128 })
  const property = fc.property(verifier, verifier, (own, other) => {
    const redeem = (sent: string) => () =>
      checkCodeRedemption({ ...code, code_challenge: challengeOf(own) }, 'app_1', { ...request, code_verifier: sent }, now)
    redeem(own)()
    if (other !== own) assert.throws(redeem(other), { code: 'invalid_grant' })
  })
  fc.assert(property)
})
