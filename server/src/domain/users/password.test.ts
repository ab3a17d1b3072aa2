import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import type { HashOrigin } from './hashing-turns.ts'
import { createPasswords, HashingRefused, lanesOf, type Turn } from './password.ts'

/** An Argon2 whose calls stay pending until the test ends them. */
function heldArgon2() {
  const pending: (() => void)[] = []
  const held = <T>(result: T) => new Promise<T>((resolve) => pending.push(() => resolve(result)))
  return { pending, argon2: { hash: () => held('hash'), verify: () => held(true) } }
}

const lanes = 2
const from = (source: string, change: Partial<HashOrigin> = {}): Turn => ({
  place: { tenant_id: 'ten_1', environment_id: 'env_1', network: source, source, marked_account: null, ...change },
})
const one = from('192.0.2.1')
const other = from('198.51.100.1')

function setUp() {
  const { pending, argon2 } = heldArgon2()
  let clock_ms = 0
  const passwords = createPasswords(lanes, argon2, () => clock_ms)
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
  /** Ends the pending calls and every call that starts because of it. Each takes this long. */
  async function finish(ms = 0) {
    for (let end = pending.shift(); end; end = pending.shift()) {
      clock_ms += ms
      end()
      await nextTurn()
    }
  }
  return { passwords, pending, outcomes, verify, count, finish }
}

/** Lets the passwords measure hashes of this length: two run at a time, so each begins when the one before the last ends. */
async function measure({ verify, finish }: ReturnType<typeof setUp>, ms: number, hashes = 20) {
  for (let i = 0; i < hashes; i++) {
    void verify(one)
    await finish(ms)
  }
}

test('one hash per core runs, and the cores are divided among the processes, at least one each', async () => {
  const { pending, verify, finish, passwords } = setUp()
  for (let i = 0; i < 20; i++) void verify(one)
  await nextTurn()
  assert.equal(pending.length, lanes)
  assert.deepEqual(passwords.load(), { running: lanes, waiting: 18, refused: { busy: 0, gone: 0 } })
  await finish()
  assert.deepEqual(passwords.load(), { running: 0, waiting: 0, refused: { busy: 0, gone: 0 } })
  const cores = availableParallelism()
  assert.deepEqual([1, 2, cores, 64].map(lanesOf), [cores, Math.max(1, cores >> 1), 1, 1])
})

test('with a thousand waiting the newest of the source with the most gives way, and the newcomer where none has more', async () => {
  const queue = setUp()
  const { verify, outcomes, count, finish } = queue
  await measure(queue, 1) // so short that only the number is decisive
  outcomes.length = 0
  for (let i = 0; i < lanes + 998; i++) void verify(one)
  void verify(other)
  void verify(other)
  await nextTurn()
  assert.equal(count('waiting'), lanes + 1_000)
  void verify(one)
  await nextTurn()
  assert.equal(outcomes.at(-1), 'busy', 'no source has more than that of the newcomer')
  void verify(other)
  await nextTurn()
  assert.equal(outcomes.at(-1), 'waiting')
  assert.equal(outcomes[lanes + 997], 'busy', 'the newest of the source with the most')
  assert.equal(count('busy'), 2)
  await finish()
  assert.equal(count('checked'), lanes + 1_000)
})

test('a hash whose turn would come after more than three seconds, by the mean of the last twenty, is refused', async () => {
  const queue = setUp()
  const { verify, outcomes, count, finish } = queue
  await measure(queue, 5_000)
  await measure(queue, 100)
  outcomes.length = 0
  for (let i = 0; i < 100; i++) void verify(one)
  await nextTurn()
  // 60 turns of 100 ms on two cores take 3 s, so that many may be ahead.
  assert.equal(count('waiting'), lanes + 61)
  assert.deepEqual(outcomes.slice(lanes + 60, lanes + 63), ['waiting', 'busy', 'busy'])
  void verify(other)
  await nextTurn()
  assert.equal(outcomes.at(-1), 'waiting', 'the next turn is that of the other source')
  assert.equal(count('busy'), 100 - lanes - 61, 'and no hash was given up for it')
  await finish()
  assert.equal(count('checked'), lanes + 62)
})

test('until a hash has been measured, a rush of sixty-four on one core is admitted', async () => {
  const { argon2, pending } = heldArgon2()
  const passwords = createPasswords(1, argon2)
  const checked = Promise.all(Array.from({ length: 64 }, () => passwords.verify('hash', 'a password', one)))
  await nextTurn()
  assert.equal(passwords.load().waiting, 63)
  for (let end = pending.shift(); end; end = pending.shift()) {
    end()
    await nextTurn()
  }
  assert.equal((await checked).length, 64)
})

test('the hash of a disconnected client is not computed and leaves the queue', async () => {
  const { pending, verify, count, finish, passwords } = setUp()
  const clients = Array.from({ length: lanes + 8 }, () => new AbortController())
  for (const { signal } of clients) void verify({ ...one, signal })
  await nextTurn()
  for (const client of clients) client.abort()
  await nextTurn()
  assert.equal(count('gone'), 8)
  assert.equal(passwords.load().waiting, 0)
  void verify({ ...one, signal: AbortSignal.abort() })
  void verify(one)
  await nextTurn()
  assert.equal(count('gone'), 9)
  assert.equal(pending.length, lanes)
  await finish()
  assert.equal(count('checked'), lanes + 1)
})

test('a client that disconnects after its hash gave way, or during its turn, changes nothing', async () => {
  const queue = setUp()
  const { verify, outcomes, finish, passwords } = queue
  await measure(queue, 1)
  outcomes.length = 0
  const clients = Array.from({ length: lanes + 1_000 }, () => new AbortController())
  for (const { signal } of clients) void verify({ ...one, signal })
  void verify(other)
  await nextTurn()
  clients[0]?.abort()
  clients.at(-1)?.abort()
  await nextTurn()
  assert.equal(outcomes[lanes + 999], 'busy')
  assert.equal(passwords.load().waiting, 1_000)
  await finish()
  assert.deepEqual(passwords.load(), { running: 0, waiting: 0, refused: { busy: 1, gone: 0 } })
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

const foreign_hash = 'foreign:$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'

/** Passwords on so many lanes whose hashes of ours and of other systems stay pending until the test ends them. */
function heldBoth(lanes: number) {
  const { pending: ours, argon2 } = heldArgon2()
  const foreign: (() => void)[] = []
  let clock_ms = 0
  const passwords = createPasswords(
    lanes,
    argon2,
    () => clock_ms,
    () => new Promise<boolean>((resolve) => foreign.push(() => resolve(true))),
  )
  const end = async (pending: (() => void)[], ms: number) => {
    await nextTurn()
    clock_ms += ms
    pending.shift()?.()
    await nextTurn()
  }
  const outcomes: string[] = []
  const begin = (is_foreign: boolean, turn = one) => {
    const at = outcomes.push('waiting') - 1
    const set = (outcome: string) => {
      outcomes[at] = outcome
    }
    passwords.verify(is_foreign ? foreign_hash : 'hash', 'a password', turn).then(
      () => set('checked'),
      (error) => set(error.reason),
    )
    return at
  }
  const runs = () => [ours.length, foreign.length]
  return { passwords, begin, outcomes, runs, endOurs: (ms = 0) => end(ours, ms), endForeign: (ms = 0) => end(foreign, ms) }
}

test('of foreign hashes one runs at a time, in a lane of ours, and ours have the other lanes', async () => {
  const { begin, runs, endOurs, endForeign, passwords } = heldBoth(2)
  for (let i = 0; i < 3; i++) begin(true, from(`198.51.100.${i}`))
  await nextTurn()
  assert.deepEqual(runs(), [0, 1])
  for (let i = 0; i < 3; i++) begin(false, from(`192.0.2.${i}`))
  await nextTurn()
  assert.deepEqual(runs(), [1, 1])
  await endOurs()
  await endOurs()
  assert.deepEqual(runs(), [1, 1])
  await endOurs()
  assert.deepEqual(runs(), [0, 1], 'the other lane waits for no foreign hash')
  begin(false)
  await nextTurn()
  assert.deepEqual(runs(), [1, 1], 'and runs a hash of ours at once')
  await endForeign()
  await endForeign()
  await endForeign()
  await endOurs()
  assert.deepEqual(passwords.load(), { running: 0, waiting: 0, refused: { busy: 0, gone: 0 } })
})

test('on one core foreign hashes and ours take turns', async () => {
  const { begin, runs, endOurs, endForeign } = heldBoth(1)
  for (let i = 0; i < 3; i++) begin(true, other)
  for (let i = 0; i < 3; i++) begin(false, one)
  await nextTurn()
  const order: string[] = []
  while (runs().some((count) => count > 0)) {
    const [ours = 0] = runs()
    order.push(ours > 0 ? 'ours' : 'foreign')
    await (ours > 0 ? endOurs() : endForeign())
  }
  assert.deepEqual(order, ['foreign', 'ours', 'foreign', 'ours', 'foreign', 'ours'])
})

test('long foreign hashes make nobody else wait for longer, and a foreign one is refused whose turn is more than three seconds away', async () => {
  const { begin, outcomes, endForeign, endOurs } = heldBoth(2)
  for (let i = 0; i < 20; i++) {
    begin(true)
    await endForeign(1_000)
    begin(false)
    await endOurs(10)
  }
  const foreign = Array.from({ length: 6 }, () => begin(true))
  const ours = Array.from({ length: 250 }, () => begin(false, other))
  await nextTurn()
  assert.deepEqual(
    foreign.map((at) => outcomes[at]),
    ['waiting', 'waiting', 'waiting', 'waiting', 'waiting', 'busy'],
    'one runs, and the last one that waits has its turn in three seconds',
  )
  assert.ok(ours.every((at) => outcomes[at] === 'waiting'))
})

test('an unknown account takes as long as the hash in its place, and matches nothing', async () => {
  const checked: string[] = []
  const passwords = createPasswords(lanes, { hash, verify }, undefined, async (_, password) => {
    checked.push(password)
    return password === 'right'
  })
  assert.equal(await passwords.verify(null, 'wrong', one, foreign_hash), null)
  assert.equal(await passwords.verify(null, 'right', one, foreign_hash), null)
  assert.deepEqual(checked, ['wrong', 'right'])
  assert.equal(await passwords.verify(foreign_hash, 'right', one, null), 'foreign')
})

test('a foreign hash is compared with what was typed, then with the normalised form where that differs', async () => {
  for (const [right, compared] of [
    ['\uff12', ['\uff12']],
    ['2', ['\uff12', '2']],
  ] as const) {
    const checked: string[] = []
    const passwords = createPasswords(lanes, { hash, verify }, undefined, async (_, password) => {
      checked.push(password)
      return password === right
    })
    assert.equal(await passwords.verify(foreign_hash, '\uff12', one), 'foreign')
    assert.deepEqual(checked, compared)
  }
})
