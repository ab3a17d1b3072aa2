/**
 * Writes a change of the management API in one batch with its event, its audit entry and the response for repeats of the
 * Idempotency-Key. Handlers change data only through this file, so none of these can be missing.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type AuditedObject, describeChange } from '../domain/audit/entry.ts'
import { insertAuditEntry } from '../domain/audit/store.ts'
import { originOf } from '../domain/events/origin.ts'
import { insertEvent, type NewEvent } from '../domain/events/store.ts'
import { raiseConfigVersion } from '../domain/tenancy/store.ts'
import type { Caller } from './authenticate.ts'
import type { FreshSignIn } from './fresh.ts'
import { type IdempotentRequest, recordAnswer } from './idempotency.ts'

export interface Change {
  /** The statements before the row of the environment in `lock_order`. */
  first?: readonly Statement[]
  /** The change itself. At least one statement is a guard, unless there is nothing to change. */
  statements: readonly Statement[]
  /** The response body, with `version` if the object has one. It is recorded without the secret that is shown once. */
  answer: Record<string, unknown> | null
  /** The text of the answer for repeats (`recordedText`), where it takes long to write. It has no secret that is shown once. */
  answer_text?: string
  /** The object before the change, in the shape of `answer`, for the audit log; `null` if the change creates it. */
  before: object | null
  /** The object after the change, if `answer` does not show it. */
  after?: object
  /** The states by which a fresh sign-in is judged, in place of `before` and the object after. */
  judged?: { readonly before: object; readonly after: object }
  /** The object of the audit entry, if the `id` of `answer` or `before` is not its id. */
  object?: AuditedObject
  event?: RaisedEvent
  /** Whose rows the batch changes, where the path does not say it. */
  owner?: EnvironmentId
  /** Further objects that the same batch changes: each has its own audit entry and its own event. */
  also?: readonly Also[]
}

type RaisedEvent = { environment_id: EnvironmentId; id?: string } & NewEvent

export interface Also {
  before: object | null
  after: object | null
  event: RaisedEvent | null
}

/** False means that a guard failed and nothing happened. */
export type Commit = (change: Change, now: Date) => Promise<boolean>

interface About {
  name: string
  route: Route
  caller: Caller
  request_id: string
  ip: string | null
  idempotent: IdempotentRequest | null
  /** The ids in the path. The handler has looked up its environment for this caller. */
  params: Readonly<Record<string, string>>
  /** `null` where the row or the credential needs none. */
  sign_in: FreshSignIn | null
}

export function createCommit({ db, newId }: Deployment, about: About): Commit {
  const { name, route, caller, request_id, ip, idempotent, params } = about
  const environment_id = params.environment_id as EnvironmentId | undefined // as: an id of the path, which was found
  const origin = { action: name, actor: caller.actor, actor_label: labelOf(caller), request_id, ip }
  return async ({ first = [], statements, answer, answer_text, before, after, judged, object, event, also = [], ...change }, now) => {
    const owner = change.owner ?? environment_id ?? caller.environment?.id
    const own = owner === undefined ? db.many : db.of(owner)
    const recorded = { status: route.returns[0], answer: answer_text ?? withoutSecret(route, answer ?? {}) }
    const record = idempotent ? recordAnswer(idempotent, recorded, now) : []
    // Without a change, as when a blocked user is blocked again, only the response is recorded.
    if (statements.length === 0) return (await own.batch(record)) !== null
    const result = after ?? answer
    if (before && result) await about.sign_in?.forChange(judged?.before ?? before, judged?.after ?? result)
    const described = describeChange(before, result, object)
    // Some answers do not name where the object is. The path does, or the secret key.
    const entry = {
      ...described,
      project_id: described.project_id ?? params.project_id ?? caller.environment?.project_id ?? null,
      environment_id: described.environment_id ?? environment_id ?? caller.environment?.id ?? null,
    }
    // Creating a tenant has no tenant context: the entry is the first one in the log of the new tenant.
    const tenant_id = entry.object.type === 'tenant' ? (entry.object.id as Caller['tenant_id']) : caller.tenant_id // as: the type was read from the prefix of the id
    const written = await own.batch([
      ...first,
      ...(route.configures && environment_id ? [raiseConfigVersion(environment_id, now)] : []),
      ...statements,
      insertAuditEntry(tenant_id, { id: newId('aud'), ...origin }, entry, now),
      ...also.map(({ before, after }) => insertAuditEntry(tenant_id, { id: newId('aud'), ...origin }, describeChange(before, after), now)),
      ...[event, ...also.map(({ event }) => event)].flatMap((raised) =>
        raised ? [insertEvent(raised.environment_id, originOf({ newId }, caller.actor, request_id, raised.id), raised, now)] : [],
      ),
      ...record,
    ])
    return written !== null
  }
}

/** The label of the key or the email of the administrator. */
export function labelOf({ key, administrator }: Caller): string | null {
  return key?.label ?? administrator?.email ?? null
}

/** The secret that is shown once is never stored, so it is `null` in a repeated response. */
function withoutSecret({ shown_once }: Route, answer: Record<string, unknown>): Record<string, unknown> {
  return shown_once === undefined ? answer : { ...answer, [shown_once]: null }
}
