import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPasswords, HashingRefused, type Turn } from './password.ts'

/** Argon2 whose work ends when the test says so; counts what was begun. */
function heldArgon2() {
  const begun: (() => void)[] = []
  const held = <T>(result: T) => new Promise<T>((resolve) => begun.push(() => resolve(result)))
  return { begun, argon2: { hash: () => held('hash'), verify: () => held(true) } }
}

const lanes = 2
const one = { environment_id: 'env_1' }
const other = { environment_id: 'env_2' }
const third = { environment_id: 'env_3' }

function setUp() {
  const { begun, argon2 } = heldArgon2()
  const passwords = createPasswords(lanes, argon2)
  const outcomes: string[] = []
  const ask = (turn: Turn) => {
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
  /** Lets all that was begun end, and what begins then. */
  async function finish() {
    for (let ended = begun.shift(); ended; ended = begun.shift()) {
      ended()
      await nextTurn()
    }
  }
  return { begun, ask, count, finish }
}

test('one hash per core runs, and at most four per core of one environment wait', async () => {
  const { begun, ask, count, finish } = setUp()
  for (let i = 0; i < 50; i++) void ask(one)
  await nextTurn()
  assert.equal(begun.length, lanes)
  assert.equal(count('busy'), 50 - lanes - 4 * lanes)
  await finish()
  assert.equal(count('checked'), lanes + 4 * lanes)
})

test('at most eight per core of all environments wait, and another environment finds room when one has used up its half', async () => {
  const { begun, ask, count, finish } = setUp()
  for (const turn of [one, other, third]) for (let i = 0; i < 50; i++) void ask(turn)
  await nextTurn()
  assert.equal(begun.length, lanes)
  assert.equal(count('waiting'), lanes + 8 * lanes)
  await finish()
  assert.equal(count('checked'), lanes + 8 * lanes)
  void ask(third)
  await nextTurn()
  assert.equal(begun.length, 1, 'and when the queue is empty there is room again')
  await finish()
})

test('what a client that disconnected waited for is never computed, and leaves its place to others', async () => {
  const { begun, ask, count, finish } = setUp()
  const clients = Array.from({ length: lanes + 4 * lanes }, () => new AbortController())
  for (const { signal } of clients) void ask({ ...one, signal })
  await nextTurn()
  for (const client of clients) client.abort()
  await nextTurn()
  assert.equal(count('gone'), 4 * lanes)
  void ask({ ...one, signal: AbortSignal.abort() })
  void ask(one)
  await nextTurn()
  assert.equal(count('gone'), 4 * lanes + 1)
  assert.equal(begun.length, lanes)
  await finish()
  assert.equal(count('checked'), lanes + 1)
})

// biome-ignore format: this table is read by column
const oversized: [what: string, password: string][] = [
  ['a million letters',                'x'.repeat(1_000_000)],
  ['a million combining marks',        '\u0301'.repeat(1_000_000)],
  ['one letter too many',              'x'.repeat(4_001)],
  ['1,001 characters of four bytes',   '🔑'.repeat(1_001)],
]
for (const [what, password] of oversized) {
  test(`${what} are a wrong password for every account, without a hash, and cannot be set`, async () => {
    const { begun, argon2 } = heldArgon2()
    const passwords = createPasswords(lanes, argon2)
    assert.equal(await passwords.verify('hash', password, one), false)
    assert.equal(await passwords.verify(null, password, one), false)
    await assert.rejects(passwords.hash(password, one), RangeError)
    assert.equal(begun.length, 0)
  })
}

test('a password is right for its own hash only, in any Unicode spelling, and for no account it is wrong', async () => {
  const passwords = createPasswords(lanes)
  const hash = await passwords.hash('é'.repeat(500))
  assert.equal(await passwords.verify(hash, 'e\u0301'.repeat(500)), true)
  assert.equal(await passwords.verify(hash, 'é'.repeat(499)), false)
  assert.equal(await passwords.verify(null, 'é'.repeat(500)), false)
})
