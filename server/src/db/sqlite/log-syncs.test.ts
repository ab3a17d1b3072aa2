import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '../db.ts'
import { createLogSyncs } from './log-syncs.ts'

/** A disk whose syncs end when the test says so. */
function setUp(limit_ms?: number) {
  const begun: PromiseWithResolvers<void>[] = []
  const failures: Error[] = []
  const sync = () => {
    begun.push(Promise.withResolvers<void>())
    return begun.at(-1)?.promise ?? Promise.resolve()
  }
  const syncs = createLogSyncs(sync, (error) => failures.push(error), limit_ms)
  return { syncs, begun, failures }
}

const turn = () => new Promise(setImmediate)

/** Reports whether a commit is on the disk by now. */
const isReached = (reached: Promise<void> | null): Promise<boolean> =>
  Promise.race([Promise.resolve(reached).then(() => true), turn().then(() => false)])

test('a commit has reached the disk when a sync has ended that began after it', async () => {
  const { syncs, begun } = setUp()
  syncs.committed()
  const first = syncs.reached(1)
  syncs.committed()
  const second = syncs.reached(2)
  assert.equal(begun.length, 1, 'one sync at a time')
  begun[0]?.resolve()
  assert.deepEqual([await isReached(first), await isReached(second)], [true, false])
  assert.equal(syncs.reached(1), null)
  assert.equal(begun.length, 2, 'the next sync begins by itself')
  begun[1]?.resolve()
  assert.equal(await isReached(second), true)
  assert.equal(begun.length, 2, 'no sync begins without a commit')
})

test('all commits of one sync share the next one', async () => {
  const { syncs, begun } = setUp()
  for (let i = 0; i < 50; i++) syncs.committed()
  begun[0]?.resolve()
  await turn()
  begun[1]?.resolve()
  await turn()
  assert.equal(syncs.reached(50), null)
  assert.equal(begun.length, 2)
})

test('those who wait for a slow sync are refused, and it goes on', async () => {
  const { syncs, begun, failures } = setUp(1)
  syncs.committed()
  const for_running = syncs.reached(1)
  syncs.committed()
  const for_next = syncs.reached(2)
  await assert.rejects(for_running ?? Promise.resolve(), DatabaseUnavailable)
  await assert.rejects(for_next ?? Promise.resolve(), DatabaseUnavailable)
  assert.equal(syncs.isStuck(), true)
  const refused = syncs.reached(2)?.catch((error) => error)
  assert.ok((await Promise.race([refused, turn()])) instanceof DatabaseUnavailable, 'who comes later is refused at once')
  begun[0]?.resolve()
  await turn()
  const later = syncs.reached(2)
  begun[1]?.resolve()
  await later
  assert.deepEqual([syncs.isStuck(), syncs.reached(2), failures], [false, null, []])
})

test('nothing is synced after a sync that failed, and nobody is answered', async () => {
  const { syncs, begun, failures } = setUp()
  syncs.committed()
  const waiting = syncs.reached(1)
  const failure = new Error('EIO')
  begun[0]?.reject(failure)
  await turn()
  syncs.committed()
  assert.deepEqual([failures, begun.length, await isReached(waiting)], [[failure], 1, false])
})

test('an end waits for the last commit, however long its sync takes', async () => {
  const { syncs, begun } = setUp(1)
  syncs.committed()
  syncs.committed()
  const ended = syncs.end()
  begun[0]?.resolve()
  assert.equal(await isReached(ended), false)
  begun[1]?.resolve()
  await ended
})
