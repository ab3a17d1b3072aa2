import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { outsideRequests, restartLimit, withDeadline, withinRequest } from './database-time.ts'

const limit_ms = 1_000
let clock_ms = 0
mock.method(performance, 'now', () => clock_ms)
beforeEach(() => {
  clock_ms = 5_000
})

/** Runs work as the handling of a request. */
const inRequest = <T>(work: () => Promise<T>, isAnswered = () => false) =>
  new Promise<T>((resolve, reject) => withinRequest(isAnswered, () => void work().then(resolve, reject)))

/** A call that takes this long. Returns how long it had. */
const call = (takes_ms: number) => {
  const began = clock_ms
  return withDeadline(limit_ms, async (deadline) => {
    clock_ms += takes_ms
    return deadline - began
  })
}

/** A call that stays open until the returned function is called. */
function openCall() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const began = clock_ms
  let had_ms = 0
  const done = withDeadline(limit_ms, async (deadline) => {
    had_ms = deadline - began
    await promise
  })
  const end = () => {
    resolve()
    return done
  }
  return { had: () => had_ms, end }
}

test('what one request waits for in all its calls ends together: each has what is left of the limit', () =>
  inRequest(async () => {
    assert.deepEqual([await call(300), await call(500), await call(250), await call(0)], [1_000, 700, 200, -50])
  }))

test('time between the calls, such as that of a password hash, does not count', () =>
  inRequest(async () => {
    await call(300)
    clock_ms += 30_000
    assert.equal(await call(100), 700)
    clock_ms += 30_000
    assert.equal(await call(0), 600)
  }))

test('calls at the same time share their time, and end at the same moment', () =>
  inRequest(async () => {
    const first = openCall()
    clock_ms += 400
    const second = openCall()
    assert.deepEqual([first.had(), second.had()], [1_000, 600])
    await first.end()
    clock_ms += 100
    await second.end()
    assert.equal(await call(0), 500)
  }))

test('a call that fails counts like any other', () =>
  inRequest(async () => {
    const failing = withDeadline(limit_ms, async () => {
      clock_ms += 600
      throw new Error('failed')
    })
    await assert.rejects(failing, /failed/)
    assert.equal(await call(0), 400)
  }))

test('the next page of a stream has the whole limit again', () =>
  inRequest(async () => {
    await call(900)
    restartLimit()
    assert.equal(await call(900), 1_000)
    restartLimit()
    assert.equal(await call(0), 1_000)
  }))

test('each request has its own time, and background work that it woke has a limit for each call', () =>
  inRequest(async () => {
    await call(900)
    await inRequest(async () => assert.deepEqual([await call(400), await call(0)], [1_000, 600]))
    await outsideRequests(async () => assert.deepEqual([await call(900), await call(900), await call(0)], [1_000, 1_000, 1_000]))
    assert.equal(await call(0), 100)
  }))

test('what goes on after the response has a limit for each call', async () => {
  let is_answered = false
  await inRequest(
    async () => {
      await call(900)
      is_answered = true
      assert.deepEqual([await call(900), await call(0)], [1_000, 1_000])
    },
    () => is_answered,
  )
})

test('outside of requests each call has the whole limit', async () => {
  restartLimit()
  assert.deepEqual([await call(900), await call(900)], [1_000, 1_000])
})
