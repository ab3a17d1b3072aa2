import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkRefresh, expiryOfRefreshToken } from './refresh-grant.ts'

const now = new Date('2026-11-20T16:31:00.000Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

const scope = 'openid email offline_access'
const token = {
  client_id: 'app_1',
  scope,
  expires_at: at(1),
  grant_created_at: at(-999),
  spent_at: null,
  has_ended: false,
  blocked_at: null,
}
const tokens = { refresh_token_idle_ttl_seconds: 100, refresh_token_absolute_ttl_seconds: 1_000 }
const check = (change: object = {}, requested?: string, refresh_retry_window_seconds = 0, may_stay = true) =>
  checkRefresh(
    { ...token, ...change },
    'app_1',
    { scope: requested },
    { now, tokens: { ...tokens, refresh_retry_window_seconds }, may_stay },
  )

const scopes: { requested: string | undefined; granted: string }[] = [
  { requested: undefined, granted: scope },
  { requested: scope, granted: scope },
  { requested: 'email openid', granted: 'email openid' },
  { requested: 'email', granted: 'email' },
  { requested: ' openid  openid ', granted: 'openid' },
  { requested: ' ', granted: scope },
]
for (const { requested, granted } of scopes) {
  test(`scope ${requested ?? 'not sent'} of "${scope}" gives "${granted}"`, () =>
    assert.deepEqual(check({}, requested), { kind: 'rotate', scope: granted }))
}

const refusals: { why: string; change?: object; requested?: string; error?: string }[] = [
  { why: 'it was issued to another client', change: { client_id: 'app_2' } },
  { why: 'another client sends a spent token, which is not reuse', change: { client_id: 'app_2', spent_at: at(-9) } },
  { why: 'its grant has ended', change: { has_ended: true } },
  { why: 'its grant has ended and it is spent, which raises no second event', change: { has_ended: true, spent_at: at(-9) } },
  { why: 'the user is blocked', change: { blocked_at: at(-1) } },
  { why: 'it expires at this moment', change: { expires_at: now } },
  { why: 'its grant is as old as the absolute lifetime, which was longer when it was issued', change: { grant_created_at: at(-1_000) } },
  { why: 'a scope was not granted', requested: 'openid phone', error: 'invalid_scope' },
  { why: 'a scope differs in case', requested: 'OpenID', error: 'invalid_scope' },
]
for (const { why, change, requested, error = 'invalid_grant' } of refusals) {
  test(`a refresh token is refused with ${error} when ${why}`, () =>
    assert.throws(() => check(change, requested), { name: 'OAuthError', code: error }))
}

test('a refresh token is refused with invalid_grant after offline_access was withdrawn, and a spent one is still reuse', () => {
  assert.throws(() => check({}, undefined, 0, false), { name: 'OAuthError', code: 'invalid_grant' })
  assert.throws(() => check({ spent_at: at(-1) }, undefined, 30, false), { name: 'OAuthError', code: 'invalid_grant' })
  assert.equal(check({ spent_at: at(-30) }, undefined, 30, false).kind, 'reuse')
})

const spent: { why: string; spent_at: Date; window: number; kind: string }[] = [
  { why: 'without a retry window, at once', spent_at: now, window: 0, kind: 'reuse' },
  { why: 'without a retry window, later', spent_at: at(-100), window: 0, kind: 'reuse' },
  { why: 'within the retry window', spent_at: at(-29), window: 30, kind: 'repeat' },
  { why: 'when the retry window has just passed', spent_at: at(-30), window: 30, kind: 'reuse' },
]
for (const { why, spent_at, window, kind } of spent) {
  test(`a spent refresh token is ${kind} ${why}`, () => assert.equal(check({ spent_at }, undefined, window).kind, kind))
}

test('a spent refresh token is reuse even where it has expired or the request has too much scope', () =>
  assert.deepEqual(check({ spent_at: at(-9), expires_at: at(-5) }, 'phone'), { kind: 'reuse' }))

test('a refresh token expires at the end of its idle time', () => assert.deepEqual(expiryOfRefreshToken(now, at(-800), tokens), at(100)))
test('a refresh token expires with its grant at the latest', () => assert.deepEqual(expiryOfRefreshToken(now, at(-950), tokens), at(50)))

test('a refresh never gives a scope that was not granted', () => {
  const names = fc.array(fc.constantFrom<string>('openid', 'email', 'phone', 'profile', 'meals:read'))
  const property = fc.property(names, names, (granted, requested) => {
    const run = () => check({ scope: granted.join(' ') }, requested.join(' '))
    if (requested.every((name) => granted.includes(name))) {
      const verdict = run()
      assert.ok(verdict.kind === 'rotate' && verdict.scope.split(' ').every((name) => name === '' || granted.includes(name)))
    } else assert.throws(run, { code: 'invalid_scope' })
  })
  fc.assert(property)
})
