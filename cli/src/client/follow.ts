/** Follows what happens in an environment: events by their sequence, refused calls by their time. Ends at Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises'
import { OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import type { Connection, Request } from './connection.ts'
import type { Row } from './derive.ts'
import type { Io } from './io.ts'
import { Unreachable } from './refused.ts'
import { readList } from './run-command.ts'
import { visible } from './show.ts'

const interval_ms = 1_000
const longest_interval_ms = 15_000
const page_size = 100

const Sequence = z.looseObject({ id: z.string(), sequence: z.int() })
export type FollowedEvent = z.infer<typeof Sequence>

/** The sequence of the newest event; 0 if there is none. */
export async function newestSequence(connection: Connection, row: Row, request: Request): Promise<number> {
  const { data } = await readList(connection, row, request, 1)
  return data[0] === undefined ? 0 : Sequence.parse(data[0]).sequence
}

/** The events after a sequence, oldest first, then each new one. */
export async function* followEvents(
  io: Io,
  connection: Connection,
  row: Row,
  { after, ...request }: Request & { after: number },
): AsyncGenerator<FollowedEvent, void, undefined> {
  let last = after
  while (!io.signal.aborted) {
    const from = last
    const page = await patiently(io, () => readList(connection, row, { ...request, params: { ...request.params, after: from } }, page_size))
    for (const event of page?.data ?? []) {
      const parsed = Sequence.parse(event)
      yield parsed
      last = parsed.sequence
    }
    if (!page?.has_more) await pause(io, interval_ms)
  }
}

/** Records are stored up to a second after their time, and gathered by several processes. */
const overlap_ms = 10_000

const Refusal = z.looseObject({ id: z.string(), at: z.string() })
export type FollowedCall = z.infer<typeof Refusal>

/** The refused calls from now on, oldest first. */
export async function* followCalls(
  io: Io,
  connection: Connection,
  row: Row,
  request: Request,
): AsyncGenerator<FollowedCall, void, undefined> {
  const [newest] = (await readList(connection, row, request, 1)).data
  const begun = newest === undefined ? null : Date.parse(Refusal.parse(newest).at)
  let from = begun === null ? undefined : new Date(begun - overlap_ms).toISOString()
  const seen = new Map<string, number>()
  for (let is_first = true; !io.signal.aborted; is_first = false) {
    const params = { ...request.params, from }
    const page = await patiently(io, () => readList(connection, row, { ...request, params }, Number.POSITIVE_INFINITY))
    const calls = (page?.data ?? []).map((each) => Refusal.parse(each)).reverse()
    for (const call of calls) {
      if (seen.has(call.id)) continue
      seen.set(call.id, Date.parse(call.at))
      const is_old = is_first && begun !== null && Date.parse(call.at) <= begun
      if (!is_old) yield call
    }
    const latest = Math.max(0, ...seen.values())
    if (latest > 0) from = new Date(latest - overlap_ms).toISOString()
    for (const [id, at] of seen) if (at < latest - overlap_ms) seen.delete(id)
    await pause(io, interval_ms)
  }
}

/** Waits, unless Ctrl-C ends the wait. */
export async function pause(io: Io, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: io.signal }).catch(() => {}) // only an abort rejects
}

/** Repeats a call while the service cannot be reached. `null` after Ctrl-C. */
async function patiently<T>(io: Io, work: () => Promise<T>): Promise<T | null> {
  for (let wait_ms = interval_ms; ; wait_ms = Math.min(wait_ms * 2, longest_interval_ms)) {
    try {
      return await work()
    } catch (error) {
      if (io.signal.aborted) return null
      const is_temporary = error instanceof Unreachable || (error instanceof OstiaryError && error.status >= 500)
      if (!is_temporary) throw error
      io.err(`${visible(error.message)} Trying again in ${wait_ms / 1000} s.\n`)
      await pause(io, wait_ms)
    }
  }
}
