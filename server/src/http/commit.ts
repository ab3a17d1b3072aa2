/**
 * What every change of the management API leaves behind, in the batch of the change itself: its events, the answer for
 * a repeated Idempotency-Key, and the line of the audit log. One place, so that no handler can forget one of them.
 */

import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { type AuditedObject, describeChange } from '../audit/entry.ts'
import { insertAuditEntry } from '../audit/store.ts'
import { decides, type Result, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { insertEvent, type NewEvent } from '../events/store.ts'
import type { Caller } from './authenticate.ts'
import { type IdempotentRequest, recordAnswer } from './idempotency.ts'

export interface Change {
  /** The first decides whether anything happens at all, unless another one is marked as `decides`. */
  statements: readonly Statement[]
  /** True, within the batch, only where the change took place: an `exists (…)` over what the first statement wrote. */
  mark: Statement
  /** The answer to the caller, with `version` where the object has one. Recorded without what is told only once. */
  answer: Record<string, unknown> | null
  /** The object before the change, as the answer shows it after; `null` where it comes into being. For the audit log. */
  before: object | null
  /** The object after the change, where the answer does not show it. */
  after?: object
  /** What the audit log says was changed, where the `id` of `answer` or `before` does not tell. */
  object?: AuditedObject
  event?: { environment_id: EnvironmentId; id?: string } & NewEvent
}

/** Results of `statements`, in their order. */
export type Commit = (change: Change, now: Date) => Promise<readonly Result[]>

interface About {
  name: string
  route: Route
  caller: Caller
  request_id: string
  ip: string | null
  idempotent: IdempotentRequest | null
}

export function createCommit({ db, newId }: Deployment, { name, route, caller, request_id, ip, idempotent }: About): Commit {
  const origin = { action: name, actor: caller.actor, actor_label: labelOf(caller), request_id, ip }
  return async ({ statements, mark, answer, before, after, object, event }, now) => {
    // Nothing to change, as with blocking whoever is blocked: only a repeated request has to get the same answer.
    if (statements.length === 0)
      return idempotent ? db.batch(recordAnswer(idempotent, { status: route.returns[0], answer: answer ?? {} }, mark, now)) : []
    const entry = describeChange(before, after ?? answer, object)
    // Whoever makes a tenant acts in none; the log of a tenant begins with its making.
    const tenant_id = entry.object.type === 'tenant' ? (entry.object.id as Caller['tenant_id']) : caller.tenant_id // as: its type is read from the id
    const recorded = { status: route.returns[0], answer: withoutSecret(route, answer ?? {}) }
    const results = await db.batch([
      ...deciding(statements),
      insertAuditEntry(tenant_id, { id: newId('aud'), ...origin }, entry, now, mark),
      ...(event
        ? [insertEvent(event.environment_id, { id: event.id ?? newId('evt'), actor: caller.actor, request_id }, event, now, mark)]
        : []),
      ...(idempotent ? recordAnswer(idempotent, recorded, mark, now) : []),
    ])
    return results.slice(0, statements.length)
  }
}

/** Of two changes of the same version one happens, and only that one is told of and answered again. */
function deciding(statements: readonly Statement[]): readonly Statement[] {
  return statements.some((statement) => statement.decides)
    ? statements
    : statements.map((statement, i) => (i === 0 ? decides(statement) : statement))
}

/** What people know the caller by. */
function labelOf({ key, administrator }: Caller): string | null {
  return key?.label ?? administrator?.email ?? null
}

/** "Returned exactly once" holds for a repeated answer too, and nothing told once is ever stored. */
function withoutSecret({ told_once }: Route, answer: Record<string, unknown>): Record<string, unknown> {
  return told_once === undefined ? answer : { ...answer, [told_once]: null }
}

export const always = sql`1 = 1`
