import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkRefresh, refreshLifetimes } from './refresh-grant.ts'
import type { PresentedToken } from './token-place.ts'

const now = new Date('2026-11-20T16:31:00.000Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

const scope = 'openid email offline_access'
const grant = { client_id: 'app_1', scope, grant_created_at: at(-999), has_ended: false, blocked_at: null }
const chain = { number: 7, digest: 'seventh', salt: 'salt', issued_at: at(-9), expires_at: at(1) }
const live: PresentedToken = { number: 7, digest: 'seventh', successor_digest: null, chain }
/** The token before the live one, which was derived from it. */
const before: PresentedToken = { number: 6, digest: 'sixth', successor_digest: 'seventh', chain }
const tokens = { refresh_token_idle_ttl_seconds: 100, refresh_token_absolute_ttl_seconds: 1_000 }

interface Asked {
  token?: PresentedToken
  change?: object
  requested?: string | undefined
  window?: number
  may_stay?: boolean
}
const check = ({ token = live, change = {}, requested, window = 0, may_stay = true }: Asked = {}) =>
  checkRefresh(
    token,
    { ...grant, ...change },
    { client_id: 'app_1', scope: requested },
    { now, tokens: { ...tokens, refresh_retry_window_seconds: window }, may_stay },
  )

// biome-ignore format: this table is read by column
const places: { what: string; token: PresentedToken; window?: number; kind: string }[] = [
  { what: 'the number and digest of the row',                       token: live,                                                              kind: 'rotate' },
  { what: 'the token before, within the window',                    token: before, window: 10,                                                kind: 'repeat' },
  { what: 'the token before, when the window has just passed',      token: before, window: 9,                                                 kind: 'reuse' },
  { what: 'the token before, without a window',                     token: before,                                                            kind: 'reuse' },
  { what: 'the token before, whose successor was random',           token: { ...before, successor_digest: null }, window: 10,                 kind: 'reuse' },
  { what: 'the token before, of another copy of the database',      token: { ...before, successor_digest: 'another' }, window: 10,            kind: 'reuse' },
  { what: 'two less, within the window',                            token: { ...before, number: 5 }, window: 10,                              kind: 'reuse' },
  { what: 'the first token',                                        token: { ...before, number: 1 },                                          kind: 'reuse' },
  { what: 'the number of the row with another digest',              token: { ...live, digest: 'another', successor_digest: 'seventh' }, window: 10, kind: 'reuse' },
  { what: 'one more',                                               token: { ...live, number: 8 },                                            kind: 'ahead' },
  { what: 'ten more, with the digest of the row',                   token: { ...live, number: 17 }, window: 10,                               kind: 'ahead' },
]
for (const { what, token, window = 0, kind } of places)
  test(`a refresh with ${what} is ${kind}`, () => assert.equal(check({ token, window }).kind, kind))

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
    assert.deepEqual(check({ requested }), { kind: 'rotate', scope: granted }))
}

/** These are refused first, whatever the token is. */
const refused_first: { why: string; change: object }[] = [
  { why: 'it was issued to another client', change: { client_id: 'app_2' } },
  { why: 'its grant has ended', change: { has_ended: true } },
  { why: 'the user is blocked', change: { blocked_at: at(-1) } },
]
for (const { why, change } of refused_first)
  for (const { what, token } of places)
    test(`${what} is refused without effect when ${why}`, () =>
      assert.throws(() => check({ token, change, window: 10 }), { name: 'OAuthError', code: 'invalid_grant' }))

const refusals: { why: string; asked: Asked; error?: string }[] = [
  { why: 'it expires at this moment', asked: { token: { ...live, chain: { ...chain, expires_at: now } } } },
  {
    why: 'its grant is as old as the absolute lifetime, which was longer when it was issued',
    asked: { change: { grant_created_at: at(-1_000) } },
  },
  { why: 'a scope was not granted', asked: { requested: 'openid phone' }, error: 'invalid_scope' },
  { why: 'a scope differs in case', asked: { requested: 'OpenID' }, error: 'invalid_scope' },
]
for (const { why, asked, error = 'invalid_grant' } of refusals) {
  test(`a refresh token is refused with ${error} when ${why}`, () => assert.throws(() => check(asked), { name: 'OAuthError', code: error }))
}

test('a refresh token is refused with invalid_grant after offline_access was withdrawn, and a spent one is still reuse', () => {
  assert.throws(() => check({ may_stay: false }), { name: 'OAuthError', code: 'invalid_grant' })
  assert.throws(() => check({ token: before, window: 10, may_stay: false }), { name: 'OAuthError', code: 'invalid_grant' })
  assert.equal(check({ token: before, window: 9, may_stay: false }).kind, 'reuse')
})

test('a spent refresh token is reuse even where the live one has expired or the request has too much scope', () =>
  assert.deepEqual(check({ token: { ...before, chain: { ...chain, expires_at: at(-5) } }, requested: 'phone' }), { kind: 'reuse' }))

test('a refresh token expires at the end of its idle time', () =>
  assert.deepEqual(refreshLifetimes(now, at(-800), tokens), { expires_at: at(100), renewable_until: at(200) }))
test('a refresh token expires with its grant at the latest', () =>
  assert.deepEqual(refreshLifetimes(now, at(-950), tokens), { expires_at: at(50), renewable_until: at(50) }))

test('a refresh never gives a scope that was not granted', () => {
  const names = fc.array(fc.constantFrom<string>('openid', 'email', 'phone', 'profile', 'meals:read'))
  const property = fc.property(names, names, (granted, requested) => {
    const run = () => check({ change: { scope: granted.join(' ') }, requested: requested.join(' ') })
    if (requested.every((name) => granted.includes(name))) {
      const verdict = run()
      assert.ok(verdict.kind === 'rotate' && verdict.scope.split(' ').every((name) => name === '' || granted.includes(name)))
    } else assert.throws(run, { code: 'invalid_scope' })
  })
  fc.assert(property)
})
