import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { createPasswords, HashingRefused, type Turn } from './password.ts'

/** An Argon2 whose calls stay pending until the test ends them. */
function heldArgon2() {
  const pending: (() => void)[] = []
  const held = <T>(result: T) => new Promise<T>((resolve) => pending.push(() => resolve(result)))
  return { pending, argon2: { hash: () => held('hash'), verify: () => held(true) } }
}

const lanes = 2
const one = { environment_id: 'env_1' }
const other = { environment_id: 'env_2' }
const third = { environment_id: 'env_3' }

function setUp() {
  const { pending, argon2 } = heldArgon2()
  const passwords = createPasswords(lanes, argon2)
  const outcomes: string[] = []
  const verify = (turn: Turn) => {
    const at = outcomes.push('waiting') - 1
    return passwords.verify('hash', 'a password', turn).then(
      () => {
        outcomes[at] = 'checked'
      },
      (error) => {
        assert.ok(error instanceof HashingRefused)
        outcomes[at] = error.reason
      },
    )
  }
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
  /** Ends the pending calls and every call that starts because of it. */
  async function finish() {
    for (let end = pending.shift(); end; end = pending.shift()) {
      end()
      await nextTurn()
    }
  }
  return { pending, verify, count, finish }
}

test('one hash per core runs, and at most four per core wait for one environment', async () => {
  const { pending, verify, count, finish } = setUp()
  for (let i = 0; i < 50; i++) void verify(one)
  await nextTurn()
  assert.equal(pending.length, lanes)
  assert.equal(count('busy'), 50 - lanes - 4 * lanes)
  await finish()
  assert.equal(count('checked'), lanes + 4 * lanes)
})

test('at most eight hashes per core wait, and one environment has at most half of the queue', async () => {
  const { pending, verify, count, finish } = setUp()
  for (const turn of [one, other, third]) for (let i = 0; i < 50; i++) void verify(turn)
  await nextTurn()
  assert.equal(pending.length, lanes)
  assert.equal(count('waiting'), lanes + 8 * lanes)
  await finish()
  assert.equal(count('checked'), lanes + 8 * lanes)
  void verify(third)
  await nextTurn()
  assert.equal(pending.length, 1, 'an empty queue has room again')
  await finish()
})

test('the hash of a disconnected client is not computed and leaves the queue', async () => {
  const { pending, verify, count, finish } = setUp()
  const clients = Array.from({ length: lanes + 4 * lanes }, () => new AbortController())
  for (const { signal } of clients) void verify({ ...one, signal })
  await nextTurn()
  for (const client of clients) client.abort()
  await nextTurn()
  assert.equal(count('gone'), 4 * lanes)
  void verify({ ...one, signal: AbortSignal.abort() })
  void verify(one)
  await nextTurn()
  assert.equal(count('gone'), 4 * lanes + 1)
  assert.equal(pending.length, lanes)
  await finish()
  assert.equal(count('checked'), lanes + 1)
})

// biome-ignore format: this table is read by column
const oversized: [what: string, password: string][] = [
  ['a million letters',                'x'.repeat(1_000_000)],
  ['a million combining marks',        '\u0301'.repeat(1_000_000)],
  ['4,001 letters',                    'x'.repeat(4_001)],
  ['1,001 characters of four bytes',   '🔑'.repeat(1_001)],
]
for (const [what, password] of oversized) {
  test(`a password of ${what} is wrong for every account without hashing, and cannot be set`, async () => {
    const { pending, argon2 } = heldArgon2()
    const passwords = createPasswords(lanes, argon2)
    assert.equal(await passwords.verify('hash', password, one), null)
    assert.equal(await passwords.verify(null, password, one), null)
    await assert.rejects(passwords.hash(password, one), RangeError)
    assert.equal(pending.length, 0)
  })
}

test('a password is correct for its own hash only, in any Unicode spelling, and always wrong for an unknown account', async () => {
  const passwords = createPasswords(lanes)
  const hash = await passwords.hash('é'.repeat(500))
  assert.equal(await passwords.verify(hash, 'e\u0301'.repeat(500)), 'normalised')
  assert.equal(await passwords.verify(hash, 'é'.repeat(499)), null)
  assert.equal(await passwords.verify(null, 'é'.repeat(500)), null)
})

test('a hash from before normalisation matches the typed form only, and an unknown account costs as many hashes', async () => {
  const typed = 'cafe\u0301 ﬁrst ２０'
  const old = await hash(typed)
  const checked: string[] = []
  const passwords = createPasswords(lanes, {
    hash,
    verify: (stored, password, ...rest) => {
      checked.push(String(password))
      return verify(stored, password, ...rest)
    },
  })
  const hashesOf = async (stored: string | null, password: string) => {
    checked.length = 0
    return [await passwords.verify(stored, password), checked.length]
  }
  assert.deepEqual(await hashesOf(old, typed), ['typed', 2])
  assert.deepEqual(await hashesOf(await passwords.hash(typed), typed), ['normalised', 1])
  for (const [stored, name] of [
    [old, 'known'],
    [null, 'unknown'],
  ] as const) {
    // biome-ignore format: one line
    assert.deepEqual(await hashesOf(stored, `${typed}!`), [null, 2], name)
    assert.deepEqual(await hashesOf(stored, 'café first 20'), [null, 1], name)
  }
})
