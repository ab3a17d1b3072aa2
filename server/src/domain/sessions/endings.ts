/**
 * Endings. Each is one small batch: it raises a number, after which nothing that began before is valid (`standing.ts`), and leaves a row in
 * `endings`. The worker (`../end-in-slices.ts`) ends the rows, raises the events and queues the back-channel logouts a slice at a time,
 * so an ending takes as long for a person with a million rows as for one with ten (decision 0065).
 *
 * Every batch that ends something of a user writes the row of the user first.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { currentTrace } from '../../base/trace.ts'
import type { Trace } from '../../base/trace-context.ts'
import { leavesWork, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { insertEvents, type Origin } from '../events/store.ts'

// biome-ignore format: this table is read by column
export const ending_kinds = [
  'user',               // sessions, grants and half sign-ins with a lower number
  'erased_user',        // everything of a user who is deleted
  'method',             // what began with a removed sign-in method
  'consents',           // consents with a lower number
  'session',            // grants and logouts of a session that ended
  'disconnection',      // grants of a person at one application
  'application',        // grants of an application that was disabled
  'erased_application', // grants and consents of an application that is deleted
  'provider',           // what began at a provider that was disabled
  'erased_provider',    // the same, and the identities of a provider that is deleted
  'organization',       // grants of an organization that was disabled
  'erased_organization', // the grants, members and invitations of an organization that is deleted
  'organization_member', // grants and consents of a member who was removed
] as const
export type EndingKind = (typeof ending_kinds)[number]

export type EndReason =
  | 'signed_out'
  | 'expired'
  | 'ended_by_api'
  | 'ended_by_person'
  | 'password_changed'
  | 'address_changed'
  | 'address_proven'
  | 'password_reset'
  | 'replaced'

/** The facts that the worker needs to report an ending. */
export const Cause = z.object({
  /** The actor and the request of the events; `null` where no event reports each row. */
  origin: z.custom<Origin>().nullable(),
  trace: z.custom<Trace>().nullable(),
})

interface Followed {
  kind: EndingKind
  /** Each is a column of `from`. */
  subject: Statement
  number: Statement
  user_id?: Statement
  ended_by: string
  origin?: Origin | null
  /** The reason in `session.ended`; without one the sessions end without an event. */
  reason?: EndReason | null
}

/** Leaves the rows of an ending to the worker. `from` is a query from `from` to its `where`. */
function rowsFollow(environment_id: EnvironmentId, followed: Followed, from: Statement, now: Date): Statement {
  const { kind, subject, number, user_id = sql`null`, ended_by, origin = null, reason = null } = followed
  const cause: z.infer<typeof Cause> = { origin, trace: currentTrace() }
  return leavesWork(
    sql`insert into endings (environment_id, kind, subject, number, user_id, ended_by, cause, reason, created_at, worked_at)
      select ${environment_id}, ${kind}, ${subject}, ${number}, ${user_id}, ${ended_by}, ${cause}, ${reason}, ${now}, ${now} ${from}
      on conflict (environment_id, kind, subject, number) do nothing`,
    'endings',
  )
}

const theUser = (environment_id: EnvironmentId, user_id: string) => sql`environment_id = ${environment_id} and id = ${user_id}`

/** Ends every session, half sign-in and grant of a user. With an event each session raises `session.ended`. */
export function endEverything(
  environment_id: EnvironmentId,
  user_id: string,
  { by, event = null }: { by: string; event?: { reason: EndReason; origin: Origin } | null },
  now: Date,
): Statement[] {
  const user = theUser(environment_id, user_id)
  return [
    sql`update users set ending = ending + 1 where ${user}`,
    rowsFollow(
      environment_id,
      { kind: 'user', subject: sql`id`, number: sql`ending`, user_id: sql`id`, ended_by: by, ...event },
      sql`from users where ${user}`,
      now,
    ),
  ]
}

/**
 * Ends all sessions of the user but one, all grants that did not begin in that one, and sign-ins that wait for a second factor. The
 * session that stays gets the new number, if it is valid.
 */
export function endEverythingElse(
  environment_id: EnvironmentId,
  { id, user_id }: { id: string; user_id: string },
  { by, origin }: { by: 'ended_by_person' | 'password_changed' | 'address_changed'; origin: Origin },
  now: Date,
): Statement[] {
  const [raise, follow] = endEverything(environment_id, user_id, { by, event: { reason: by, origin } }, now)
  const present = sql`(select ending from users where ${theUser(environment_id, user_id)})`
  return [
    ...(raise ? [raise] : []),
    sql`update sessions set ending = ${present}
         where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and ended_at is null and ending = ${present} - 1`,
    ...(follow ? [follow] : []),
  ]
}

/** Withdraws every consent of a user, without an event. */
export const endConsents = (environment_id: EnvironmentId, user_id: string, now: Date): Statement[] => {
  const user = theUser(environment_id, user_id)
  return [
    sql`update users set consents_ending = consents_ending + 1 where ${user}`,
    rowsFollow(
      environment_id,
      { kind: 'consents', subject: sql`id`, number: sql`consents_ending`, user_id: sql`id`, ended_by: 'withdrawn' },
      sql`from users where ${user}`,
      now,
    ),
  ]
}

/** For the batch that deletes the row of a user, after which nothing of the user is valid. */
export const followErasedUser = (environment_id: EnvironmentId, user_id: string, now: Date): Statement =>
  followErased(environment_id, { kind: 'erased_user', id: user_id }, { ended_by: 'user_deleted' }, now)

/** For a batch that deletes the row which everything of it is compared with. */
function followErased(
  environment_id: EnvironmentId,
  { kind, id }: { kind: EndingKind; id: string },
  { ended_by, origin = null }: { ended_by: string; origin?: Origin | null },
  now: Date,
): Statement {
  const followed = { kind, subject: sql`${id}`, number: sql`0`, user_id: kind === 'erased_user' ? sql`${id}` : sql`null`, ended_by, origin }
  return rowsFollow(environment_id, followed, sql`where 1 = 1`, now)
}

/**
 * Ends what began with a sign-in method that the batch removes: sessions with all their grants, other grants, and every half sign-in of
 * the user.
 */
export function endBegunWith(environment_id: EnvironmentId, user_id: string, method_id: string, now: Date): Statement[] {
  const user = theUser(environment_id, user_id)
  return [
    sql`update users set methods_ending = methods_ending + 1,
               password_ending = password_ending + case when ${method_id} = 'mth_' || substr(id, 5) then 1 else 0 end
         where ${user}`,
    rowsFollow(
      environment_id,
      { kind: 'method', subject: sql`${method_id}`, number: sql`methods_ending`, user_id: sql`id`, ended_by: 'method_removed' },
      sql`from users where ${user}`,
      now,
    ),
  ]
}

/**
 * Ends every grant of a user at an application, of those for no organization or of those for this one. It includes grants that a parallel
 * request is about to store.
 */
export function endAtApplication(environment_id: EnvironmentId, which: AtApplication, now: Date): Statement[] {
  const { user_id, application_id, organization_id } = which
  const row = { environment_id, user_id, application_id, ending: 1 }
  const theRow = sql`environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id}`
  const follow = (subject: Statement, from: Statement) =>
    rowsFollow(
      environment_id,
      { kind: 'disconnection', subject, number: sql`ending`, user_id: sql`user_id`, ended_by: 'disconnected' },
      from,
      now,
    )
  if (organization_id === null)
    return [
      insertInto(
        'disconnections',
        row,
        sql`on conflict (environment_id, user_id, application_id) do update set ending = disconnections.ending + 1`,
      ),
      follow(sql`user_id || ' ' || application_id`, sql`from disconnections where ${theRow}`),
    ]
  return [
    insertInto(
      'organization_disconnections',
      { ...row, organization_id },
      sql`on conflict (user_id, organization_id, application_id, environment_id)
          do update set ending = organization_disconnections.ending + 1`,
    ),
    follow(
      sql`user_id || ' ' || application_id || ' ' || organization_id`,
      sql`from organization_disconnections where ${theRow} and organization_id = ${organization_id}`,
    ),
  ]
}

/** A person with an application, for no organization or for one. */
export interface AtApplication {
  readonly user_id: string
  readonly application_id: string
  readonly organization_id: string | null
}

/** Raises the number of an application or a provider that the batch disables, and ends what it was for. */
export function endDisabled(
  environment_id: EnvironmentId,
  kind: 'application' | 'metadata_client' | 'provider',
  id: string,
  now: Date,
): Statement[] {
  const table = { application: sql`applications`, metadata_client: sql`metadata_clients`, provider: sql`providers` }[kind]
  return [
    sql`update ${table} set ending = ending + 1 where environment_id = ${environment_id} and id = ${id}`,
    rowsFollow(
      environment_id,
      { kind: kind === 'metadata_client' ? 'application' : kind, subject: sql`id`, number: sql`ending`, ended_by: `${kind}_disabled` },
      sql`from ${table} where environment_id = ${environment_id} and id = ${id}`,
      now,
    ),
  ]
}

/** For a batch that raised the numbers of these metadata clients. */
export const followUnadmitted = (environment_id: EnvironmentId, which: Statement, now: Date): Statement =>
  rowsFollow(
    environment_id,
    { kind: 'application', subject: sql`id`, number: sql`ending`, ended_by: 'metadata_client_not_admitted' },
    sql`from metadata_clients where environment_id = ${environment_id} and ${which}`,
    now,
  )

/** For a batch that raises the number of an organization, which it disables. */
export const followDisabledOrganization = (environment_id: EnvironmentId, id: string, now: Date): Statement =>
  rowsFollow(
    environment_id,
    { kind: 'organization', subject: sql`id`, number: sql`ending`, ended_by: 'organization_disabled' },
    sql`from organizations where environment_id = ${environment_id} and id = ${id}`,
    now,
  )

/** For a batch that deletes the row of a member afterwards. */
export const followRemovedMember = (
  environment_id: EnvironmentId,
  { organization_id, user_id }: { organization_id: string; user_id: string },
  now: Date,
): Statement =>
  rowsFollow(
    environment_id,
    {
      kind: 'organization_member',
      subject: sql`organization_id`,
      number: sql`membership`,
      user_id: sql`user_id`,
      ended_by: 'member_removed',
    },
    sql`from organization_members
         where organization_id = ${organization_id} and user_id = ${user_id} and ${inEnvironment(environment_id)}`,
    now,
  )

/** For the batch that deletes the row of an application. */
export const followErasedApplication = (environment_id: EnvironmentId, id: string, now: Date): Statement =>
  followErased(environment_id, { kind: 'erased_application', id }, { ended_by: 'application_deleted' }, now)

/** For the batch that deletes the row of an organization. */
export const followErasedOrganization = (environment_id: EnvironmentId, id: string, now: Date): Statement =>
  followErased(environment_id, { kind: 'erased_organization', id }, { ended_by: 'organization_deleted' }, now)

/** For the batch that deletes the row of a provider. Each identity that goes is an event of `origin`. */
export const followErasedProvider = (environment_id: EnvironmentId, id: string, origin: Origin, now: Date): Statement =>
  followErased(environment_id, { kind: 'erased_provider', id }, { ended_by: 'provider_deleted', origin }, now)

/** For a batch that ended a session with `now`: its grants and back-channel logouts follow. */
export const followSession = (environment_id: EnvironmentId, session_id: string, by: string, now: Date): Statement =>
  followSessions(environment_id, sql`id = ${session_id} and ended_at = ${now}`, by, now)

/** The same for these sessions. */
export const followSessions = (environment_id: EnvironmentId, which: Statement, by: string, now: Date): Statement =>
  rowsFollow(
    environment_id,
    { kind: 'session', subject: sql`id`, number: sql`0`, user_id: sql`user_id`, ended_by: by },
    sql`from sessions where environment_id = ${environment_id} and ${which}`,
    now,
  )

/**
 * Raises `session.ended` for these sessions, in a batch that ends them afterwards with the same condition. Of parallel batches that end a
 * session one raises its event: PostgreSQL lets the others wait at the write of the row, after which they find it ended.
 */
export function sessionEndEvents(
  environment_id: EnvironmentId,
  which: Statement,
  { reason, origin }: { reason: EndReason; origin: Origin },
  now: Date,
): Statement[] {
  const ending = sql`sessions.environment_id = ${environment_id} and ${which} and ${canBeEnded(environment_id, now)}`
  return [
    sql`update sessions set last_seen_at = last_seen_at where ${ending}`,
    insertEvents(
      environment_id,
      origin,
      {
        type: 'session.ended',
        suffix: sql`substr(id, 19, 12)`,
        user_id: sql`user_id`,
        application_id: sql`null`,
        data: sql`'{"session_id":"' || id || '","reason":"' || cast(${reason} as text) || '"}'`, // an id needs no escaping in JSON
        from: sql`from sessions where ${ending}`,
      },
      now,
    ),
  ]
}

/**
 * A session past its idle time signs nobody in, but tokens and the sessions of its applications may still be valid. So it can be ended as
 * long as its row is kept: a day after its idle end, or after its absolute limit (`early-ends.ts`). Mere expiry raises no event.
 */
export const canBeEnded = (environment_id: EnvironmentId, now: Date): Statement => sql`sessions.ended_at is null
  and (sessions.absolute_expires_at > ${now}
       or coalesce((select 1 from grants g
                     where ${inEnvironment(environment_id, 'g')} and g.session_id = sessions.id and g.ended_at is null
                       and g.expires_at > ${now} limit 1), 0) = 1)`
