import assert from 'node:assert/strict'
import { test } from 'node:test'
import { native, spa, web } from './client.example.ts'
import { readCodeChallenge, readMaxAge, readPrompt, readSignedInSince } from './requested.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const legacy = { ...web, require_pkce: false }

const challenges: { why: string; challenge?: string; method?: string; client?: typeof web }[] = [
  { why: 'the method is missing, which would mean plain', challenge },
  { why: 'the method is missing, even where PKCE is not required', challenge, client: legacy },
  { why: 'the method is plain', challenge, method: 'plain' },
  { why: 'the method is plain, even where PKCE is not required', challenge, method: 'plain', client: legacy },
  { why: 'the method is in lower case', challenge, method: 's256' },
  { why: 'the method is unknown', challenge, method: 'S512' },
  { why: 'a method is sent without challenge', method: 'S256', client: legacy },
  { why: 'the challenge has 42 characters', challenge: challenge.slice(1), method: 'S256' },
  { why: 'the challenge has 44 characters', challenge: `${challenge}A`, method: 'S256' },
  { why: 'the challenge is padded', challenge: `${challenge}=`, method: 'S256' },
  { why: 'the challenge is base64, not base64url', challenge: challenge.replace('-', '+'), method: 'S256' },
  { why: 'the challenge ends in a line break', challenge: `${challenge}\n`, method: 'S256' },
  { why: 'a web application with require_pkce sends no challenge' },
  { why: 'a spa sends no challenge', client: { ...spa, require_pkce: false } },
  { why: 'a native application sends no challenge', client: { ...native, require_pkce: false } },
]
for (const { why, challenge, method, client = web } of challenges) {
  test(`PKCE is refused with invalid_request when ${why}`, () => {
    assert.throws(() => readCodeChallenge(challenge, method, client), { name: 'OAuthError', code: 'invalid_request' })
  })
}

test('an S256 challenge is kept, even where PKCE is not required', () => {
  assert.equal(readCodeChallenge(challenge, 'S256', web), challenge)
  assert.equal(readCodeChallenge(challenge, 'S256', legacy), challenge)
  assert.equal(readCodeChallenge(undefined, undefined, legacy), undefined)
})

const prompts: [string | undefined, string[] | 'refused'][] = [
  [undefined, []],
  ['none', ['none']],
  ['login consent', ['login', 'consent']],
  ['select_account  select_account', ['select_account']],
  ['create', ['create']],
  ['none login', 'refused'],
  ['consent none', 'refused'],
  ['None', 'refused'],
  ['login,consent', 'refused'],
  ['login nonsense', 'refused'],
]
for (const [prompt, expected] of prompts) {
  test(`prompt ${prompt ?? 'not sent'} is ${JSON.stringify(expected)}`, () => {
    if (expected === 'refused') assert.throws(() => readPrompt(prompt), { code: 'invalid_request' })
    else assert.deepEqual(readPrompt(prompt), expected)
  })
}

const ages: [string | undefined, number | undefined | 'refused'][] = [
  [undefined, undefined],
  ['0', 0],
  ['3600', 3_600],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['-1', 'refused'],
  ['+1', 'refused'],
  ['1.5', 'refused'],
  ['1e3', 'refused'],
  [' 1', 'refused'],
  ['0x10', 'refused'],
  ['١', 'refused'],
]
for (const [max_age, expected] of ages) {
  test(`max_age ${max_age?.slice(0, 20) ?? 'not sent'} is ${expected}`, () => {
    if (expected === 'refused') assert.throws(() => readMaxAge(max_age), { code: 'invalid_request' })
    else assert.equal(readMaxAge(max_age), expected)
  })
}

test('signed_in_since is a number of milliseconds; any other text is ignored', () => {
  assert.deepEqual(readSignedInSince('1795210833000'), new Date(1_795_210_833_000))
  for (const text of [undefined, '', 'x', '-1', '1.5', '1e3', ' 1', '9'.repeat(16)]) assert.equal(readSignedInSince(text), undefined)
})
