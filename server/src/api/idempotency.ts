/**
 * Idempotency-Key: the response of the first POST is recorded in the batch of its change, so both are written or neither is. The same
 * request gets it again for 24 hours. A duplicate in the same process waits for the first request; in another process a guard or the
 * primary key of the record refuses its batch, and it gets the recorded response.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sha256 } from '../base/digest.ts'
import { day_ms } from '../base/durations.ts'
import { type Db, type Statement, sql } from '../db/db.ts'
import { atCoordinator } from '../db/environment.ts'
import { insertInto } from '../db/rows.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'

const kept_ms = day_ms
const longest_wait_ms = 5_000

/** Two requests are the same if all these values are equal. */
export interface IdempotentRequest {
  credential_id: string
  method: string
  path: string
  idempotency_key: string
  body_hash: string
}

export interface RecordedAnswer {
  status: number
  answer: Record<string, unknown>
}

/**
 * `null` without an Idempotency-Key. The tenant or environment of the call is part of the path.
 * @param asked the body, and the parsed query of a row that reads one
 */
export function idempotentRequest(
  request: FastifyRequest,
  asked: { body: Buffer; query: unknown },
  caller: Caller,
  path: string,
): IdempotentRequest | 'malformed' | null {
  const idempotency_key = request.headers['idempotency-key']
  if (idempotency_key === undefined) return null
  if (typeof idempotency_key !== 'string' || idempotency_key.length < 1 || idempotency_key.length > 255) return 'malformed'
  return {
    credential_id: caller.actor.id ?? '',
    method: request.method,
    path: `${caller.environment?.id ?? caller.tenant_id}${path}`,
    idempotency_key,
    body_hash: hashOf(asked),
  }
}

/** The query follows the body, which is JSON or empty, so no two requests have the same bytes. */
const hashOf = ({ body, query }: { body: Buffer; query: unknown }): string =>
  sha256(query === undefined ? body : Buffer.concat([body, Buffer.from(`?${JSON.stringify(query)}`)]), 'hex')

const Row = z.object({ body_hash: z.string(), status: z.int(), answer: z.record(z.string(), z.unknown()) })

/** The recorded response; `null` if there is none, `mismatch` if the body or query of the first request was different. */
export async function findAnswer(db: Db, request: IdempotentRequest, now: Date): Promise<RecordedAnswer | 'mismatch' | null> {
  const row = await db.maybeOne(
    Row,
    sql`select body_hash, status, answer from idempotency_records
         where credential_id = ${request.credential_id} and method = ${request.method} and path = ${request.path}
           and idempotency_key = ${request.idempotency_key} and expires_at > ${now}`,
  )
  return row && row.body_hash !== request.body_hash ? 'mismatch' : row
}

export const malformedKey = () => new ApiError('malformed_request', 'Idempotency-Key must have 1 to 255 characters.')

export const mismatch = () =>
  new ApiError('idempotency_mismatch', 'This Idempotency-Key was used with another body or query. Use a new key for a new request.')

/**
 * Statements for the batch of the change. They replace an expired record of the same key.
 * @param recorded the answer as an object or as JSON
 */
export function recordAnswer(request: IdempotentRequest, recorded: { status: number; answer: object | string }, now: Date): Statement[] {
  const { credential_id, method, path, idempotency_key, body_hash } = request
  const { status } = recorded
  const answer = typeof recorded.answer === 'string' ? recorded.answer : JSON.stringify(recorded.answer)
  const expires_at = new Date(now.getTime() + kept_ms)
  return [
    atCoordinator`delete from idempotency_records where credential_id = ${credential_id} and method = ${method} and path = ${path}
          and idempotency_key = ${idempotency_key} and expires_at <= ${now}`,
    insertInto('idempotency_records', { credential_id, method, path, idempotency_key, body_hash, status, answer, expires_at }),
  ]
}

const noop = () => {}

export type InFlight = ReturnType<typeof createInFlight>

/** The requests with an Idempotency-Key that run in this process. */
export function createInFlight() {
  const running = new Map<string, Promise<void>>()
  return {
    /** Runs `work` when no duplicate runs. Waits up to 5 s, then throws 409. */
    async alone<T>(request: IdempotentRequest, work: () => Promise<T>): Promise<T> {
      const name = JSON.stringify([request.credential_id, request.method, request.path, request.idempotency_key])
      const deadline = startDeadline()
      try {
        // One of those that wait runs next; the others wait for it until the same deadline.
        for (let first = running.get(name); first; first = running.get(name)) await deadline.waitFor(first)
      } finally {
        deadline.clear()
      }
      const result = work()
      // A waiting duplicate needs the time at which the first request ends, not its outcome.
      const settled = result.then(noop, noop)
      running.set(name, settled)
      try {
        return await result
      } finally {
        running.delete(name)
      }
    },
  }
}

function startDeadline() {
  const { promise: timeout, resolve } = Promise.withResolvers<'timeout'>()
  const timer = setTimeout(resolve, longest_wait_ms, 'timeout')
  return {
    async waitFor(first: Promise<void>): Promise<void> {
      if ((await Promise.race([first, timeout])) !== 'timeout') return
      throw new ApiError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running. Try again shortly with the same key.',
      )
    },
    clear: () => clearTimeout(timer),
  }
}
