/**
 * The record of refused calls, for the developers of an environment or a tenant. The folder owns it from the answered request to the
 * queries of the routes that read it:
 *
 *   refused-calls.ts  gathers what the service refuses, and writes it twice a second
 *   gather.ts         the buffer: bounded, and fair between sources
 *   owners.ts         finds the environment or tenant that a call belongs to
 *   store.ts          the table, and its limits
 *
 * `base/refusal.ts` and `base/reason.ts` describe a refusal, where it happens. A call waits for nothing here and never fails because of it.
 */
import type { Refusal, Subject } from '../../base/refusal.ts'
import { sourceOf } from '../../base/source.ts'
import { asLine } from '../../base/text.ts'
import { Unavailable } from '../../base/unavailable.ts'
import type { Db } from '../../db/db.ts'
import { createGathering, type GatherLimits } from './gather.ts'
import { type Claim, findOwners } from './owners.ts'
import { default_record_limits, insertCalls, type NewCall, type RecordLimits, trim } from './store.ts'

/** A call that was answered with a refusal. */
export interface AnsweredCall {
  readonly id: string
  readonly method: string
  readonly route: string | null
  readonly status: number
  readonly refusal: Refusal
  readonly subject: Subject
  readonly ip: string | null
  readonly user_agent: string | undefined
  /** Who the call may belong to; `null` if it belongs to nobody, and is only in the log. */
  readonly claim: Claim | null
}

interface Waiting {
  readonly sender: string
  readonly kind: string
  readonly claim: Claim
  readonly record: Omit<NewCall, 'scope_id' | 'key_id' | 'key_start'>
}

/** One write has at most `most` records, so the next one is never far. */
const gather_limits: GatherLimits = { most: 500, most_per_sender: 50 }
const longest_user_agent = 200

export type RefusedCalls = ReturnType<typeof createRefusedCalls>

export interface RefusedCallOptions {
  gather?: GatherLimits
  record?: RecordLimits
  /** Learns of each recorded call, for the statistics. */
  recorded?: (scope_id: string, code: string) => void
}

export function createRefusedCalls(db: Db, now: () => Date, limits: RefusedCallOptions = {}) {
  const record_limits = limits.record ?? default_record_limits
  let dropped = new Map<string, number>()
  const countDropped = (scope_id: string | null, count = 1) => {
    if (scope_id !== null && count > 0) dropped.set(scope_id, (dropped.get(scope_id) ?? 0) + count)
  }
  const gathering = createGathering<Waiting>(limits.gather ?? gather_limits, ({ claim }) => countDropped(claim.certain_scope))

  async function writeOnce(): Promise<void> {
    const waiting = gathering.take()
    const counts = dropped
    dropped = new Map()
    if (waiting.length === 0 && counts.size === 0) return
    try {
      const owners = await findOwners(
        db,
        waiting.map(({ claim }) => claim),
      )
      const calls = waiting.flatMap(({ record }, i): NewCall[] => {
        const owner = owners[i]
        if (!owner) return []
        const { reason, ...of_owner } = owner
        return [{ ...record, ...of_owner, reason: (record.code === 'invalid_key' && reason) || record.reason }]
      })
      for (const [scope_id, count] of await insertCalls(db, { calls, dropped: counts }, record_limits, now())) countDropped(scope_id, count)
      for (const { scope_id, code } of calls) limits.recorded?.(scope_id, code)
      const scopes = new Set(calls.map((call) => call.scope_id))
      for (const [scope_id, count] of await trim(db, scopes, record_limits)) countDropped(scope_id, count)
    } catch (error) {
      // Records are kept while the database is out of reach. Any other failure would repeat with the same records.
      if (error instanceof Unavailable) for (const one of waiting) gathering.add(one)
      else for (const { claim } of waiting) countDropped(claim.certain_scope)
      for (const [scope_id, count] of counts) countDropped(scope_id, count)
      throw error
    }
  }

  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  /** Writes what was noted before. Calls that overlap share a write. */
  function write(): Promise<void> {
    if (running) {
      next ??= running
        .catch(() => {})
        .then(() => {
          // its own caller gets the error
          next = null
          return write()
        })
      return next
    }
    running = writeOnce().finally(() => {
      running = null
    })
    return running
  }

  return {
    /** Notes a refused call, in memory. 412 is the normal course of a concurrent change and not recorded (decision 0032). */
    note({ refusal, subject, user_agent, claim, ...call }: AnsweredCall): void {
      if (claim === null || call.status === 412) return
      const source = sourceOf(call.ip)
      const record = {
        ...call,
        ...subject,
        at: now(),
        code: refusal.code,
        reason: refusal.reason,
        refused: refusal.refused ?? null,
        remedy: refusal.remedy ?? null,
        user_agent: user_agent === undefined ? null : asLine(user_agent, longest_user_agent) || null,
        source,
      }
      gathering.add({
        sender: source,
        kind: `${claim.certain_scope ?? ''} ${refusal.code} ${subject.client_id ?? ''}`,
        claim,
        record,
      })
    },

    write,
  }
}
