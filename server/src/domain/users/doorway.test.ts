import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createDoorway } from './doorway.ts'
import type { HashOrigin } from './hashing-turns.ts'

const lanes = 2
const from = (source: string): HashOrigin => ({
  tenant_id: 'ten_1',
  environment_id: 'env_1',
  network: source,
  source,
  marked_account: null,
})

/** A doorway, and the names of those that were let in. Its time does not move until the test moves it. */
function open(t: TestContext, waiting_hashes = 0) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const load = { waiting: waiting_hashes }
  const doorway = createDoorway({ lanes, waiting: () => load.waiting, most_waiting: 30, refusal: (why) => new Error(why) })
  const inside: string[] = []
  const outside: string[] = []
  const leaves: (() => void)[] = []
  return {
    load,
    inside,
    outside,
    leaves,
    async enter(name: string, { source = '192.0.2.1', signal = new AbortController().signal } = {}) {
      doorway
        .enter(from(source), () => signal)
        .then(
          (leave) => {
            inside.push(name)
            leaves.push(leave)
          },
          (error: Error) => outside.push(`${name}: ${error.message}`),
        )
      await nextTurn()
    },
  }
}

const cases: [when: string, waiting_hashes: number, places: number][] = [
  ['no hash waits', 0, 16],
  ['a core has no hash waiting', 1, 16],
  ['each core has a hash waiting', 2, 2],
]
for (const [when, waiting_hashes, places] of cases) {
  test(`while ${when}, ${places} forms are worked on at a time on two cores, and the next enters when one leaves`, async (t) => {
    const { enter, inside, leaves } = open(t, waiting_hashes)
    for (let i = 1; i <= places + 2; i++) await enter(`${i}`)
    assert.equal(inside.length, places)
    leaves[0]?.()
    leaves[0]?.()
    await nextTurn()
    assert.equal(inside.length, places + 1, 'leaving twice frees one place')
    assert.equal(inside.at(-1), String(places + 1))
  })
}

test('a form of another source enters before those of a flood', async (t) => {
  const { enter, inside, leaves } = open(t, lanes)
  for (let i = 1; i <= 20; i++) await enter(`flood ${i}`)
  await enter('other', { source: '198.51.100.1' })
  leaves[0]?.()
  await nextTurn()
  assert.deepEqual(inside, ['flood 1', 'flood 2', 'other'])
})

test('when the waiting hashes have had their turns, more forms enter', async (t) => {
  const { enter, inside, leaves, load } = open(t, lanes)
  for (let i = 1; i <= 30; i++) await enter(`${i}`)
  load.waiting = 0
  leaves[0]?.()
  await nextTurn()
  assert.equal(inside.length, 1 + 16)
})

test('a form gives its place away after 50 ms, so that a database that does not answer closes no doorway', async (t) => {
  const { enter, inside } = open(t, lanes)
  for (let i = 1; i <= 4; i++) await enter(`${i}`)
  t.mock.timers.tick(49)
  await nextTurn()
  assert.equal(inside.length, 2)
  t.mock.timers.tick(1)
  await nextTurn()
  assert.equal(inside.length, 4)
})

test('a form whose client disconnects leaves the doorway, and takes no place', async (t) => {
  const { enter, inside, outside, leaves } = open(t, lanes)
  const clients = Array.from({ length: 5 }, () => new AbortController())
  for (const [i, { signal }] of clients.entries()) await enter(`${i}`, { signal })
  clients[2]?.abort()
  clients[0]?.abort()
  await nextTurn()
  assert.deepEqual(outside, ['2: gone'], 'a form that is worked on goes on')
  leaves[0]?.()
  await nextTurn()
  assert.deepEqual(inside, ['0', '1', '3'])
  clients[3]?.abort()
  leaves[1]?.()
  await nextTurn()
  assert.deepEqual(inside, ['0', '1', '3', '4'])
})

test('beyond the limit the newest form of the source with the most waiting is refused, or else the newcomer', async (t) => {
  const { enter, outside } = open(t, lanes)
  for (let i = 1; i <= lanes + 30; i++) await enter(`${i}`)
  assert.deepEqual(outside, [])
  await enter('of the flood')
  await enter('honest', { source: '198.51.100.1' })
  assert.deepEqual(outside, ['of the flood: busy', '32: busy'])
})
