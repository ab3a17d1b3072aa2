/**
 * Idempotency-Key: the first answer to a POST is recorded in the batch of its change, so neither exists without the
 * other, and the same request gets it again for 24 hours. A duplicate that comes while the first still runs waits for
 * it here; on another process it waits at the primary key of the record, and its own change is undone.
 */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Db, type Statement, sql } from '../db/db.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'

const kept_ms = 86_400_000
const patience_ms = 5_000

/** What makes two requests the same one. */
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

/** `null` where the request carries no Idempotency-Key. One path is another one for each tenant or environment it is meant for. */
export function idempotentRequest(request: FastifyRequest, body: Buffer, caller: Caller, path: string): IdempotentRequest | null {
  const idempotency_key = request.headers['idempotency-key']
  if (idempotency_key === undefined) return null
  if (typeof idempotency_key !== 'string' || idempotency_key.length < 1 || idempotency_key.length > 255) {
    throw new ApiError('malformed_request', 'Idempotency-Key must have 1 to 255 characters.')
  }
  return {
    credential_id: caller.actor.id ?? '',
    method: request.method,
    path: `${caller.environment?.id ?? caller.tenant_id}${path}`,
    idempotency_key,
    body_hash: hash('sha256', body, 'hex'),
  }
}

const Row = z.object({ body_hash: z.string(), status: z.int(), answer: z.record(z.string(), z.unknown()) })

/** The answer of the first request; 422 where that one had other bytes; `null` where there was none. */
export async function findAnswer(db: Db, request: IdempotentRequest, now: Date): Promise<RecordedAnswer | null> {
  const row = await db.maybeOne(
    Row,
    sql`select body_hash, status, answer from idempotency_records
         where credential_id = ${request.credential_id} and method = ${request.method} and path = ${request.path}
           and idempotency_key = ${request.idempotency_key} and expires_at > ${now}`,
  )
  if (row && row.body_hash !== request.body_hash)
    throw new ApiError('idempotency_mismatch', 'This Idempotency-Key came with another body before. Use a fresh key for a new request.')
  return row
}

/** For the batch of the change. Replaces an expired record of the same key. */
export function recordAnswer(request: IdempotentRequest, { status, answer }: RecordedAnswer, now: Date): Statement[] {
  const { credential_id, method, path, idempotency_key, body_hash } = request
  const expires_at = new Date(now.getTime() + kept_ms)
  return [
    sql`delete from idempotency_records where credential_id = ${credential_id} and method = ${method} and path = ${path}
          and idempotency_key = ${idempotency_key} and expires_at <= ${now}`,
    sql`insert into idempotency_records (credential_id, method, path, idempotency_key, body_hash, status, answer, expires_at)
        values (${credential_id}, ${method}, ${path}, ${idempotency_key}, ${body_hash}, ${status}, ${answer}, ${expires_at})`,
  ]
}

export type InFlight = ReturnType<typeof createInFlight>

/** The requests with an Idempotency-Key that this process is working on. */
export function createInFlight() {
  const running = new Map<string, Promise<void>>()
  return {
    /** Runs alone among its duplicates. Waits for the one that runs already, for 5 s; then 409. */
    async alone<T>(request: IdempotentRequest, work: () => Promise<T>): Promise<T> {
      const name = JSON.stringify([request.credential_id, request.method, request.path, request.idempotency_key])
      for (let first = running.get(name); first; first = running.get(name)) await patiently(first)
      const result = work()
      const settled = result.then(nothing, nothing)
      running.set(name, settled)
      try {
        return await result
      } finally {
        running.delete(name)
      }
    },
  }
}

/** The outcome is the first request's own to tell; whoever waits only wants to know when. */
const nothing = () => {}

async function patiently(first: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const too_long = new Promise<'too long'>((resolve) => {
    timer = setTimeout(resolve, patience_ms, 'too long')
  })
  const outcome = await Promise.race([first, too_long])
  clearTimeout(timer)
  if (outcome === 'too long')
    throw new ApiError(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key still runs. Try again in a moment, with the same key.',
    )
}
