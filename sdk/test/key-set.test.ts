/** The keys of an issuer: how long they are cached, and how often they are read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeySet, type KeySetOptions, TokenError, verifyAccessToken } from '@ostiary/sdk/verify'
import { audience, now as began, claimsOf, makeKey, type SigningKey } from './portable/signing-key.ts'
import { startIssuer } from './support/issuer.ts'

const [first, second] = [await makeKey('first'), await makeKey('second')]

async function setUp(keys: SigningKey[] = [first], headers?: Record<string, string>, options: Partial<KeySetOptions> = {}) {
  const { issuer, received, state } = await startIssuer(keys, headers)
  let ahead_ms = 0
  const now = () => new Date(began.getTime() + ahead_ms)
  const set = createKeySet({ issuer, now, ...options })
  return {
    received,
    state,
    advance(seconds: number) {
      ahead_ms += seconds * 1000
    },
    async verify(key: SigningKey, header: object = {}) {
      const token = await key.sign(header, claimsOf(issuer))
      // The clock of the claims stands still: these tests are about the age of keys.
      return verifyAccessToken(token, { keys: set, issuer, audience, now: () => began }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof TokenError ? error.code : error),
      )
    },
  }
}

test('keys are read once for many tokens, even when they arrive together', async () => {
  const { verify, received } = await setUp()
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => verify(first)))), new Set(['accepted']))
  assert.equal(await verify(first), 'accepted')
  assert.equal(received.length, 1)
  assert.equal(received[0]?.url, '/v1/oauth/jwks.json')
})

// biome-ignore format: this table is read by column
const lifetimes: [string, Record<string, string>, number][] = [
  ['max-age=600',                     { 'cache-control': 'public, max-age=600' },                 600],
  ['max-age=600 and an Age of 100',   { 'cache-control': 'public, max-age=600', age: '100' },     500],
  ['no header',                       {},                                                         300],
  ['max-age=1',                       { 'cache-control': 'max-age=1' },                            30],
  ['no-store',                        { 'cache-control': 'no-store' },                             30],
  ['a max-age of a year',             { 'cache-control': 'max-age=31536000' },                 86_400],
  ['s-maxage only',                   { 'cache-control': 's-maxage=5' },                          300],
]
for (const [what, headers, seconds] of lifetimes) {
  test(`keys with ${what} are read again after ${seconds} s`, async () => {
    const { verify, advance, received } = await setUp([first], headers)
    await verify(first)
    advance(seconds - 1)
    await verify(first)
    assert.equal(received.length, 1)
    advance(1)
    await verify(first)
    assert.equal(received.length, 2)
  })
}

test('a document that has not changed is confirmed by its ETag', async () => {
  const { verify, advance, received, state } = await setUp([first], { 'cache-control': 'max-age=600', etag: '"a"' })
  await verify(first)
  advance(600)
  state.answer = { status: 304, headers: { 'cache-control': 'max-age=600' } }
  assert.equal(await verify(first), 'accepted')
  assert.equal(received[1]?.headers['if-none-match'], '"a"')
  advance(599)
  await verify(first)
  assert.equal(received.length, 2)
})

test('a new key is found after the cooldown, without waiting for the cache', async () => {
  const { verify, advance, state, received } = await setUp()
  await verify(first)
  state.keys = [first, second]
  assert.equal(await verify(second), 'unknown_key')
  assert.equal(received.length, 1)
  advance(30)
  assert.equal(await verify(second), 'accepted')
  assert.equal(received.length, 2)
})

test('a thousand tokens with unknown kids cause one request in each cooldown', async () => {
  const { verify, advance, received } = await setUp()
  await verify(first)
  for (const round of [1, 2]) {
    advance(30)
    const outcomes = await Promise.all(Array.from({ length: 500 }, (_, i) => verify(first, { kid: `unknown-${round}-${i}` })))
    assert.deepEqual(new Set(outcomes), new Set(['unknown_key']))
    assert.equal(received.length, 1 + round)
  }
})

test('a key that is no longer published verifies nothing', async () => {
  const { verify, advance, state } = await setUp([first, second])
  assert.equal(await verify(first), 'accepted')
  state.keys = [second]
  advance(600)
  assert.equal(await verify(first), 'unknown_key')
  assert.equal(await verify(second), 'accepted')
})

// biome-ignore format: this table is read by column
const failures = {
  'is not reachable':           'reset',
  'answers 500':                { status: 500 },
  'redirects':                  { status: 302, headers: { location: 'https://evil.example/jwks.json' } },
  'answers a page':             { status: 200, body: '<h1>Hello</h1>' },
  'answers null':               { status: 200, body: 'null' },
  'answers no list of keys':    { status: 200, body: { keys: 'none' } },
  'answers a megabyte':         { status: 200, body: { keys: [], filler: 'a'.repeat(1_000_000) } },
  'answers 304 without reason': { status: 304 },
} as const
for (const [what, answer] of Object.entries(failures)) {
  test(`while the issuer ${what}, nothing is accepted at first, and a second attempt comes after a second`, async () => {
    const { verify, advance, received, state } = await setUp()
    state.answer = answer
    assert.equal(await verify(first), 'keys_unavailable')
    assert.equal(await verify(first), 'keys_unavailable')
    assert.equal(received.length, 1)
    state.answer = null
    advance(1)
    assert.equal(await verify(first), 'accepted')
  })
  if (what === 'answers 304 without reason') continue
  test(`while the issuer ${what}, expired keys are used for an hour, and the issuer is asked twice a minute`, async () => {
    const { verify, advance, received, state } = await setUp()
    await verify(first)
    state.answer = answer
    advance(600)
    for (const _ of [1, 2, 3]) assert.equal(await verify(first), 'accepted')
    assert.equal(received.length, 2)
    advance(30)
    assert.equal(await verify(first), 'accepted')
    assert.equal(received.length, 3)
    advance(3_569)
    assert.equal(await verify(first), 'accepted')
    advance(1)
    assert.equal(await verify(first), 'keys_unavailable')
  })
}

test('an issuer that does not answer is given up after timeout_ms', async () => {
  const { verify, state } = await setUp([first], {}, { timeout_ms: 50 })
  state.answer = 'silence'
  assert.equal(await verify(first), 'keys_unavailable')
})
