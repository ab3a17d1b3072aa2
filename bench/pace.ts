/** Requests by a schedule that does not wait for answers (open loop). The time of each begins at the moment it was due. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Connection, openConnection } from './connection.ts'
import { percentile } from './load.ts'

/** Calls at a steady pace until the returned function is called, which waits for the calls that are under way. */
export function atPace(a_second: number, call: (n: number) => Promise<void>) {
  const outcome = { calls: 0, failed: 0, ms: [] as number[], why: null as string | null }
  const running = new Set<Promise<void>>()
  let is_over = false
  const pacing = (async () => {
    const began = performance.now()
    for (let n = 0; !is_over; n++) {
      const due = began + (n * 1_000) / a_second
      const one = call(n)
        .then(() => void outcome.ms.push(performance.now() - due))
        .catch((error) => {
          outcome.failed++
          outcome.why ??= String(error)
        })
        .finally(() => running.delete(one))
      running.add(one)
      outcome.calls++
      await sleep(Math.max(0, began + ((n + 1) * 1_000) / a_second - performance.now()))
    }
  })()
  return async () => {
    is_over = true
    await pacing
    await Promise.all(running)
    const { calls, failed, why } = outcome
    const ms = outcome.ms.sort((a, b) => a - b)
    return { calls, failed, why, ms, p50_ms: percentile(ms, 0.5), p99_ms: percentile(ms, 0.99), most_ms: ms.at(-1) ?? Number.NaN }
  }
}

/** A connection for each call that is under way. One whose call failed is closed. */
export function createPool(address: Address) {
  const idle: Connection[] = []
  async function within<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let connection = idle.pop()
    while (connection && !connection.isOpen()) connection = idle.pop()
    const own = connection ?? (await openConnection(address))
    try {
      const result = await work(own)
      idle.push(own)
      return result
    } catch (error) {
      own.close()
      throw error
    }
  }
  const close = () => {
    for (const connection of idle.splice(0)) connection.close()
  }
  return { within, close }
}
