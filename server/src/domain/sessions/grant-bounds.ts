/**
 * The bounds of grants (decision 0067): those with `offline_access` of a user for one application, and those without it of a session for
 * one application. A new grant takes the place of the one that was unused longest, or is oldest; those that nothing can use go first.
 *
 * Most people have fewer grants than the bound, which the rows that a batch writes anyway tell: `sessions.grant_count` is no less than the
 * grants of the session without `offline_access`, `users.grant_count` no less than the others of the user.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { holdPerson, most_others } from './bounds.ts'
import {
  bringInTurn,
  type Found,
  type GivingWay,
  type GrantGroup,
  openOfPerson,
  openOfSession,
  rows,
  usedAt,
  windowOf,
} from './grant-search.ts'
import { removeChains } from './refresh-chains.ts'

/** `grants_per_person` bounds the grants with `offline_access`. Without it a session has half as many for each application. */
const mostOfSession = (grants_per_person: number): number => Math.max(1, Math.ceil(grants_per_person / 2))

export const limitOf = ({ is_offline }: Pick<GrantGroup, 'is_offline'>, grants_per_person: number): number =>
  is_offline ? Math.max(1, grants_per_person) : mostOfSession(grants_per_person)

/** The statements of a batch that adds a grant, beside the grant itself. */
export interface Replacement {
  /** Come first. */
  hold: readonly Statement[]
  /** The new value of `grant_count` of the session, and a condition on its row. */
  grant_count: Statement
  only_if: Statement
  /** Come last. */
  replace: readonly Statement[]
}

const counting = (place: GrantGroup, change: Statement, only_if: Statement, replace: readonly Statement[]): Replacement =>
  place.is_offline
    ? {
        hold: [holdPerson(place.environment_id, place.user_id, sql`grant_count = ${change}`, only_if)],
        grant_count: sql`grant_count`,
        only_if: sql``,
        replace,
      }
    : { hold: [], grant_count: change, only_if, replace }

/** Where there are fewer than the bound, nothing is replaced. The batch fails if there are more by now. */
export const replacingNone = (place: GrantGroup, limit: number): Replacement =>
  counting(place, sql`grant_count + 1`, sql`and grant_count < ${limit}`, [])

/** Ends the grants that a search has found. The batch fails if another was faster, or added a grant. */
export const replacingThese = (place: GrantGroup, count: number, { replaced, passed }: GivingWay, now: Date): Replacement =>
  counting(
    place,
    sql`${count + 1 - replaced.filter(({ is_offline }) => is_offline === place.is_offline).length}`,
    sql`and grant_count = ${count}`,
    [...endReplaced(place, replaced, now), ...bringInTurn(place, passed, now)],
  )

/**
 * Ends one grant if there are too many, found by the batch itself: of any number of parallel batches each keeps the bound. Removes these
 * ended ones, and counts what is left.
 */
export function replacingOne(
  place: GrantGroup,
  limit: number,
  { except, ended }: { except: string; ended: readonly Ended[] },
  now: Date,
): Replacement {
  const { environment_id } = place
  const window = heldBy(place, limit, now)
  const replaced = sql`(
    select id from (select held.*, sum(1 - is_over) over () as live from (${window}) held
                     where is_offline = ${place.is_offline} or is_over = 1) counted
     where id <> ${except} and (is_over = 1 or live > ${limit}) order by is_over desc, used_at, id limit 1)`
  const replace = place.is_offline
    ? [
        sql`update grants set ended_at = ${now}, ended_by = 'replaced'
            where environment_id = ${environment_id} and id = ${replaced} and ended_at is null`,
      ]
    : [
        sql`delete from authorization_codes where environment_id = ${environment_id}
               and code_hash = (select code_hash from grants where environment_id = ${environment_id} and id = ${replaced})`,
        sql`delete from grants where environment_id = ${environment_id} and id = ${replaced}`,
      ]
  return counting(place, sql`grant_count + 1`, sql``, [...replace, ...removeGrants(environment_id, ended), recounted(place, limit)])
}

/**
 * Whether a new grant counts the others again (`replacingOne`). The number falls by nothing else, and what it counts may have ended or be at
 * other applications. The count reads all of them, so of those who have many at other applications one in many does it.
 */
export const isRecounted = (count: number, found: number, limit: number): boolean => found < limit / 2 && count % Math.ceil(limit / 4) === 0

/** With very many the number stays that of the bound, and each further grant is added by `replacingThese`. */
function recounted({ environment_id, user_id, session_id, is_offline }: GrantGroup, limit: number): Statement {
  const most = 10 * limit
  const [table, id, which, one] = is_offline
    ? [sql`users`, user_id, sql`user_id = ${user_id} and coalesce(ended_at, -2) = -2`, sql`offline`]
    : [sql`sessions`, session_id, sql`session_id = ${session_id}`, sql`1 - offline`]
  return sql`update ${table} set grant_count = (
      select case when count(*) < ${most} then coalesce(sum(${one}), 0) else ${limit} end
        from (select offline from grants where ${which} and ${inEnvironment(environment_id)} limit ${rows(most)}) held)
    where environment_id = ${environment_id} and id = ${id}`
}

const grantsOf = ({ environment_id, session_id, application_id }: GrantGroup) =>
  sql`session_id = ${session_id} and application_id = ${application_id} and ${inEnvironment(environment_id)}`

/** The window of grants that a new one can replace, in one statement. */
function heldBy(place: GrantGroup, limit: number, now: Date): Statement {
  const columns = sql`id, offline as is_offline, case when expires_at <= ${now} then 1 else 0 end as is_over`
  const most = rows(windowOf(place, limit, most_others))
  return place.is_offline
    ? sql`select ${columns}, ${usedAt(place.environment_id, sql`grants`)} as used_at ${openOfPerson(place)} limit ${most}`
    : sql`select ${columns}, 0 as used_at ${openOfSession(place)} limit ${most}`
}

/** Ends these grants. Guards: fail where another batch was faster with one of them. Those of the session go, others may be needed there. */
function endReplaced({ environment_id, session_id }: GrantGroup, replaced: readonly Found[], now: Date): Statement[] {
  const gone = replaced.filter((grant) => grant.session_id === session_id)
  const elsewhere = replaced.filter((grant) => grant.session_id !== session_id)
  return [
    ...removeGrants(environment_id, gone, sql`and ended_at is null`).map((statement, at, all) =>
      at === all.length - 1 ? guard(statement, gone.length) : statement,
    ),
    ...(elsewhere.length === 0 ? [] : [guard(endThese(environment_id, elsewhere, now), elsewhere.length)]),
  ]
}

const Ended = z.object({ id: z.string(), code_hash: z.string().nullable() })
type Ended = z.infer<typeof Ended>

/** Finds grants of the session at the application that have ended. A new one takes their place. */
export const findEnded = (db: Db, place: GrantGroup, limit: number) =>
  db.many.all(
    Ended,
    sql`select id, code_hash from grants where ${grantsOf(place)} and ended_at > 0 order by ended_at, id limit ${rows(limit)}`,
  )

const idsOf = (grants: readonly Ended[]) => list(grants.map(({ id }) => id).sort())

/** Ends these grants. */
const endThese = (environment_id: EnvironmentId, grants: readonly Ended[], now: Date): Statement =>
  sql`update grants set ended_at = ${now}, ended_by = 'replaced'
    where environment_id = ${environment_id} and id in (${idsOf(grants)}) and ended_at is null`

/** Removes the codes and chains of these grants, and the grants last. */
export function removeGrants(environment_id: EnvironmentId, grants: readonly Ended[], only_if = sql``): Statement[] {
  if (grants.length === 0) return []
  const codes = list(grants.map(({ code_hash }) => code_hash ?? '').sort())
  return [
    sql`delete from authorization_codes where environment_id = ${environment_id} and code_hash in (${codes})`,
    removeChains(environment_id, grants.map(({ id }) => id).sort()),
    sql`delete from grants where environment_id = ${environment_id} and id in (${idsOf(grants)}) ${only_if}`,
  ]
}
