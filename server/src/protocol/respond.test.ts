import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OAuthError } from './oauth-error.ts'
import { authorizationResponse, withQuery } from './respond.ts'

const issuer = 'https://id.example.com/e/env_1'
const iss = 'iss=https%3A%2F%2Fid.example.com%2Fe%2Fenv_1'
const to = { redirect_uri: 'https://app.example.com/callback', response_mode: 'query' as const, state: 'a b&c' }
const denied = new OAuthError('access_denied', 'The person said no.')

// biome-ignore format: this table is read by line
const redirects = [
  { rule: 'a code is sent in the query', to, answer: { code: 'c1' }, location: `https://app.example.com/callback?code=c1&state=a%20b%26c&${iss}` },
  { rule: 'a response has no state where the request has none', to: { ...to, state: undefined }, answer: { code: 'c1' }, location: `https://app.example.com/callback?code=c1&${iss}` },
  { rule: 'an error is sent with description, state and iss', to, answer: denied, location: `https://app.example.com/callback?error=access_denied&error_description=The%20person%20said%20no.&state=a%20b%26c&${iss}` },
  { rule: 'the query of the registered URI is kept', to: { ...to, redirect_uri: 'https://a.test/cb?x=%2f&y' }, answer: { code: 'c1' }, location: `https://a.test/cb?x=%2f&y&code=c1&state=a%20b%26c&${iss}` },
  { rule: 'an empty query of the registered URI gets no leading &', to: { ...to, redirect_uri: 'https://a.test/cb?' }, answer: { code: 'c1' }, location: `https://a.test/cb?code=c1&state=a%20b%26c&${iss}` },
  { rule: 'a private-use scheme is answered like https', to: { ...to, redirect_uri: 'com.example.app:/cb' }, answer: { code: 'c1' }, location: `com.example.app:/cb?code=c1&state=a%20b%26c&${iss}` },
  { rule: 'a code is sent in the fragment with response_mode=fragment', to: { ...to, redirect_uri: 'https://a.test/cb?x=1', response_mode: 'fragment' as const }, answer: { code: 'c1' }, location: `https://a.test/cb?x=1#code=c1&state=a%20b%26c&${iss}` },
]
for (const { rule, to, answer, location } of redirects) {
  test(rule, () => assert.deepEqual(authorizationResponse(to, issuer, answer), { kind: 'redirect', location }))
}

test('form_post sends the same fields to the unchanged registered URI', () => {
  assert.deepEqual(authorizationResponse({ ...to, response_mode: 'form_post' }, issuer, { code: 'c1' }), {
    kind: 'form_post',
    action: to.redirect_uri,
    fields: { code: 'c1', state: 'a b&c', iss: issuer },
  })
})

test('withQuery without fields does not change the URI', () => assert.equal(withQuery('https://a.test/bye', {}), 'https://a.test/bye'))

test('any state is returned unchanged, by form and by URI decoding, and adds no other field', () => {
  const state = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/[\p{Cc}\p{Cs}\uFFFD]/u.test(value))
  const property = fc.property(state, fc.constantFrom('query' as const, 'fragment' as const), (state, response_mode) => {
    const answer = authorizationResponse({ ...to, state, response_mode }, issuer, { code: 'c1' })
    assert.ok(answer.kind === 'redirect')
    assert.match(answer.location, /^[\x21-\x7E]+$/)
    const [, sent = ''] = answer.location.split(response_mode === 'query' ? '?' : '#')
    assert.equal(new URLSearchParams(sent).get('state'), state)
    assert.equal(decodeURIComponent(/&state=([^&]*)/.exec(sent)?.[1] ?? ''), state)
    assert.deepEqual([...new URLSearchParams(sent).keys()], ['code', 'state', 'iss'])
  })
  fc.assert(property)
})
