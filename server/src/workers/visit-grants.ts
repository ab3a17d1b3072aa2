/**
 * Visits grants in the background (`domain/sessions/grant-visits.ts`): one whose code was never redeemed goes ten minutes after the code,
 * one whose tokens have expired unless it is the newest of its session and application, which stays as long as the session.
 * A visit that was cut short is made again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { unused_kept_ms } from '../domain/sessions/authorization-codes.ts'
import { removeGrants } from '../domain/sessions/grant-bounds.ts'
import { canGo, type DueGrant, findDueGrants, rows_at_once, visitAgain } from '../domain/sessions/grant-visits.ts'

/** After a slice the worker rests for as long as the slice took, at least this. */
const shortest_rest_ms = 2

type Visited = Pick<Deployment, 'db' | 'now'>

/** Visits all that is due. `stopping` ends it early. */
export async function visitGrants(
  deployment: Visited,
  stopping: () => boolean = () => false,
  rest: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  while (!stopping()) {
    const begun = performance.now()
    if (!(await visitSome(deployment))) break
    await rest(Math.max(shortest_rest_ms, performance.now() - begun))
  }
}

/** One slice of grants whose visit is due. `false` where none is left. */
async function visitSome({ db, now }: Visited): Promise<boolean> {
  const at = now()
  const visited = await findDueGrants(db, at)
  // Removals come first, in every environment: codes precede grants in `lock_order`.
  const gone = visited.filter((grant) => canGo(grant, at))
  const stay = visited.filter((grant) => !canGo(grant, at))
  if (visited.length > 0)
    await db.many.batch([
      ...ofEach(gone, (environment_id, some: DueGrant[]) => removeGrants(environment_id, some)),
      ...ofEach(stay, (environment_id, some: DueGrant[]) => [visitAgain(environment_id, some, unused_kept_ms, at)]),
    ])
  return visited.length === rows_at_once
}

/** The statements for the rows of each environment. */
const ofEach = <T extends { environment_id: EnvironmentId }, S>(
  rows: readonly T[],
  of: (environment_id: EnvironmentId, some: T[]) => S[],
): S[] =>
  [...Map.groupBy(rows, ({ environment_id }) => environment_id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([environment_id, some]) => of(environment_id, some))
