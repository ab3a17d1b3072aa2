/**
 * The rows of an ending, a slice at a time. `nextSlice` reads the next rows and returns the statements that end them, for one batch with
 * `takeSlice`. Of parallel workers one gets a slice, and a worker that dies leaves the rest to the next one. Nothing here decides what is
 * valid: the numbers alone do (`standing.ts`).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { atCoordinator, inEnvironment, sameEnvironment, unindexed } from '../../db/environment.ts'
import { enters } from '../../db/event-keys.ts'
import { insertEvents, type Origin } from '../events/store.ts'
import { enqueueBackchannelLogouts } from './backchannel-logouts.ts'
import { findWithdrawn, removeWithdrawn } from './consents.ts'
import { Ending, endGrants, grants_at_once, idsOf, openGrants, others_at_once, type Rows, type SliceStep } from './ending-step.ts'
import { sessionEndEvents } from './endings.ts'
import {
  consentsOfMember,
  consentsOfMemberBefore,
  grantsOfMember,
  grantsOfMembers,
  membershipsOfErased,
  membersOfErased,
  usesOfErasedApplication,
  usesOfErasedUser,
} from './organization-endings.ts'
import { grantStands, halfSignInStands, sessionStands } from './standing.ts'

/** Rows of one batch. SQLite blocks the process while it writes them. */
const sessions_at_once = 50

/** A batch that stores a grant takes less. One that was sent before an application was disabled may commit afterwards. */
const late_ms = 5_000
const late_kinds: readonly Ending['kind'][] = ['application', 'erased_application']
/** A later time comes from a wrong clock. */
const longest_wait_ms = 60_000

/** When an ending may be removed, as long as it has no rows. */
export const settledAt = ({ kind, created_at }: Ending): Date => new Date(created_at.getTime() + (late_kinds.includes(kind) ? late_ms : 0))

/** Finds endings with rows that still follow, in turn. Those of one subject follow in their order, so that each row ends by its own. */
export function findEndings(db: Db, limit: number, now: Date): Promise<Ending[]> {
  return db.many.all(
    Ending,
    sql`select environment_id, kind, subject, number, user_id, ended_by, cause, reason, position, slices, created_at from endings
         where not exists (
           select 1 from endings earlier
            where earlier.environment_id = ${unindexed('endings')} and earlier.kind = endings.kind
              and earlier.subject = endings.subject and earlier.number < endings.number)
           and (worked_at <= ${now} or worked_at > ${new Date(now.getTime() + longest_wait_ms)})
         order by worked_at limit ${limit}`,
  )
}

const theRow = ({ environment_id, kind, subject, number, slices }: Ending) =>
  sql`environment_id = ${environment_id} and kind = ${kind} and subject = ${subject} and number = ${number} and slices = ${slices}`

/** Fails as a guard if another worker took this slice. */
export const takeSlice = (ending: Ending, position: string, now: Date): Statement =>
  guard(sql`update endings set slices = slices + 1, position = ${position}, worked_at = ${now} where ${theRow(ending)}`)

/** Lets other endings have their turn before this one, or looks again at a time. */
export const putBack = (ending: Ending, at: Date): OfEnvironment => sql`update endings set worked_at = ${at} where ${theRow(ending)}`

export const removeEnding = (ending: Ending): OfEnvironment => sql`delete from endings where ${theRow(ending)}`

/** Statements for one batch, and where the next slice begins; `null` where no row is left. */
type Slice = (Rows & { position: string }) | null

export async function nextSlice(db: Db, ending: Ending, now: Date): Promise<Slice> {
  for (const rows of steps[ending.kind]) {
    const slice = await rows(db, ending, now)
    if (slice) return { position: ending.position, ...slice }
  }
  return null
}

/** Ends these sessions with all their grants. */
function endSessions({ environment_id, cause, reason }: Ending, ids: readonly string[], now: Date): Statement[] {
  const which = sql`id in (${list([...ids].sort())})`
  return [
    ...(cause.origin && reason ? sessionEndEvents(environment_id, which, { reason, origin: cause.origin }, now) : []),
    sql`update sessions set ended_at = ${now}, ends_grants = 1
         where environment_id = ${environment_id} and ${which} and ended_at is null`,
    ...enqueueBackchannelLogouts(environment_id, ids, now),
  ]
}

const openSessions = ({ environment_id, user_id }: Ending) =>
  sql`s.user_id = ${user_id} and ${inEnvironment(environment_id, 's')} and coalesce(s.ended_at, -1) = -1`
const sessionsBefore: SliceStep = async (db, ending, now) => {
  const ids = await idsOf(
    db,
    ending,
    sql`select s.id from sessions s where ${openSessions(ending)} and s.ending < ${ending.number} order by s.ending, s.id limit ${sessions_at_once}`,
  )
  return ids.length === 0 ? null : { statements: endSessions(ending, ids, now) }
}

const Kept = z.object({ id: z.string(), kept: z.int().nullable() })

/** Grants of a session that got the number stay, and get it too. */
const grantsBefore: SliceStep = async (db, ending, now) => {
  const { environment_id, number } = ending
  const rows = await db.of(environment_id).all(
    Kept,
    sql`select g.id, (select s.ending from sessions s where s.environment_id = ${environment_id} and s.id = g.session_id) as kept
          from grants g where ${openGrants(ending)} and g.ending < ${number} order by g.ending, g.id limit ${grants_at_once}`,
  )
  if (rows.length === 0) return null
  const stay = rows.filter(({ kept }) => kept !== null && kept >= number).map(({ id }) => id)
  const end = rows.map(({ id }) => id).filter((id) => !stay.includes(id))
  return {
    statements: [
      ...(end.length === 0 ? [] : [endGrants(ending, end, now)]),
      ...(stay.length === 0
        ? []
        : [sql`update grants set ending = ${number} where environment_id = ${environment_id} and id in (${list([...stay].sort())})`]),
    ],
  }
}

/** Half sign-ins that cannot continue. */
const halfSignIns: SliceStep = async (db, ending) => {
  const { environment_id, user_id } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select h.secret_hash as id from half_sign_ins h
         where h.user_id = ${user_id} and ${inEnvironment(environment_id, 'h')}
           and not ${halfSignInStands(environment_id, sql`h`)}
         limit ${others_at_once}`,
  )
  return deleted(sql`half_sign_ins`, sql`secret_hash`, environment_id, ids)
}

function deleted(table: Statement, key: Statement, environment_id: EnvironmentId, ids: readonly string[]) {
  if (ids.length === 0) return null
  return { statements: [sql`delete from ${table} where environment_id = ${environment_id} and ${key} in (${list([...ids].sort())})`] }
}

const consentsBefore: SliceStep = async (db, withdrawn) => {
  const ids = await findWithdrawn(db, withdrawn, others_at_once)
  return ids.length === 0 ? null : { statements: [removeWithdrawn(withdrawn, ids)] }
}

/** Where a walk over the sessions or grants of a user is, in the order of their index. */
const Place = z.tuple([z.enum(['sessions', 'grants']), z.int(), z.string()])
const placeOf = ({ position }: Ending, rows: 'sessions' | 'grants'): [number, string] | null => {
  const [walked, number, id] = position === '' ? (['sessions', -1, ''] as const) : Place.parse(JSON.parse(position))
  if (walked === rows) return [number, id]
  return rows === 'grants' ? [-1, ''] : null
}

/**
 * Writes the rows of the open sessions of the user once. A batch that stores a grant writes the row of its session first, so after this
 * step every such batch has committed that did not see the ending.
 */
const sessionsWaitedFor: SliceStep = async (db, ending) => {
  const after = placeOf(ending, 'sessions')
  if (!after) return null
  const rows = await db.of(ending.environment_id).all(
    z.object({ id: z.string(), ending: z.int() }),
    sql`select s.id, s.ending from sessions s where ${openSessions(ending)} and (s.ending, s.id) > (${after[0]}, ${after[1]})
         order by s.ending, s.id limit ${others_at_once}`,
  )
  const last = rows.at(-1)
  if (!last) return null
  return {
    statements: [
      sql`update sessions set last_seen_at = last_seen_at
           where environment_id = ${ending.environment_id} and id in (${list(rows.map(({ id }) => id).sort())})`,
    ],
    position: JSON.stringify(['sessions', last.ending, last.id]),
  }
}

/** Walks over the open grants of the user once, and ends those that are not valid. */
const grantsThatFell: SliceStep = async (db, ending, now) => {
  const Walked = z.object({ id: z.string(), ending: z.int(), stands: z.boolean() })
  const { environment_id } = ending
  const [after_ending, after_id] = placeOf(ending, 'grants') ?? [-1, '']
  const rows = await db.of(environment_id).all(
    Walked,
    sql`select g.id, g.ending, case when ${grantStands(environment_id, sql`g`)} then 1 else 0 end as stands from grants g
         where ${openGrants(ending)} and (g.ending, g.id) > (${after_ending}, ${after_id})
         order by g.ending, g.id limit ${grants_at_once}`,
  )
  const last = rows.at(-1)
  if (!last) return null
  const fell = rows.filter(({ stands }) => !stands).map(({ id }) => id)
  return {
    statements: fell.length === 0 ? [] : [endGrants(ending, fell, now)],
    position: JSON.stringify(['grants', last.ending, last.id]),
  }
}

/** Sessions that began with a method which is gone. */
const sessionsOfMethod: SliceStep = async (db, ending, now) => {
  const { environment_id } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select s.id from sessions s join users u on ${sameEnvironment('u', 's', environment_id)} and u.id = s.user_id
         where ${openSessions(ending)} and s.began_with = ${ending.subject} and s.ending = u.ending
           and not ${sessionStands(environment_id, sql`s`)} limit ${sessions_at_once}`,
  )
  return ids.length === 0 ? null : { statements: endSessions(ending, ids, now) }
}

/** Once, before anything else of the ending. */
const logoutsOfSession: SliceStep = async (_db, { environment_id, subject, slices, created_at }, now) => {
  if (slices > 0) return null
  return { statements: enqueueBackchannelLogouts(environment_id, [subject], now, created_at) }
}

/** A sign-out leaves the grants with `offline_access`. */
const grantsOfSession: SliceStep = async (db, ending, now) => {
  const { environment_id, subject } = ending
  const ends_all = sql`(select ends_grants from sessions where environment_id = ${environment_id} and id = ${subject})`
  const ids = await idsOf(
    db,
    ending,
    sql`select g.id from grants g where g.session_id = ${subject} and ${inEnvironment(environment_id, 'g')} and g.ended_at is null
           and (g.offline = 0 or ${ends_all} = 1) limit ${grants_at_once}`,
  )
  return ids.length === 0 ? null : { statements: [endGrants(ending, ids, now)] }
}

const grantsOfApplication: SliceStep = async (db, ending, now) => {
  const { environment_id, subject, number, kind } = ending
  const before = kind === 'application' ? sql`and g.application_ending < ${number}` : sql``
  const ids = await idsOf(
    db,
    ending,
    sql`select g.id from grants g
         where g.application_id = ${subject} and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, 0) = 0 ${before}
         limit ${grants_at_once}`,
  )
  return ids.length === 0 ? null : { statements: [endGrants(ending, ids, now)] }
}

/** Deletes the rows of a user or an application from a table whose key has `key`. */
const rowsIn =
  (table: Statement, of: Statement, key: Statement): SliceStep =>
  async (db, ending) => {
    const { environment_id, subject, kind } = ending
    // An index by the application has no column for the environment.
    const scope = kind === 'erased_user' ? sql`environment_id = ${environment_id}` : inEnvironment(environment_id)
    const ids = await idsOf(
      db,
      ending,
      sql`select ${key} as id from ${table} where ${of} = ${subject} and ${scope} limit ${others_at_once}`,
    )
    if (ids.length === 0) return null
    return {
      statements: [
        sql`delete from ${table} where environment_id = ${environment_id} and ${of} = ${subject} and ${key} in (${list([...ids].sort())})`,
      ],
    }
  }

/** A deleted user: the sessions end, and then forget whose they were and where they came from. They stay until their tokens cannot be valid any more. */
const sessionsOfErased: SliceStep = async (db, ending, now) => {
  const { environment_id, user_id } = ending
  const open = await idsOf(db, ending, sql`select s.id from sessions s where ${openSessions(ending)} limit ${sessions_at_once}`)
  if (open.length > 0) return { statements: endSessions(ending, open, now) }
  const shown = await idsOf(
    db,
    ending,
    sql`select id from sessions
         where user_id = ${user_id} and ${inEnvironment(environment_id)} and coalesce(ip, user_agent, upstream_sid, upstream_id_token, sub) is not null
         limit ${others_at_once}`,
  )
  if (shown.length === 0) return null
  return {
    statements: [
      sql`update sessions set ip = null, user_agent = null, upstream_sid = null, upstream_id_token = null, sub = null
           where environment_id = ${environment_id} and id in (${list([...shown].sort())})`,
    ],
  }
}

const grantsOfErased: SliceStep = async (db, ending, now) => {
  const ids = await idsOf(db, ending, sql`select g.id from grants g where ${openGrants(ending)} limit ${grants_at_once}`)
  return ids.length === 0 ? null : { statements: [endGrants(ending, ids, now)] }
}

/** The invitations that a user who is deleted accepted: they have an address. */
const invitationsOfErased: SliceStep = async (db, ending) => {
  const { environment_id, subject } = ending
  const ids = await idsOf(
    db,
    ending,
    sql`select id from organization_invitations where user_id = ${subject} and ${inEnvironment(environment_id)} limit ${others_at_once}`,
  )
  if (ids.length === 0) return null
  return {
    statements: [sql`delete from organization_invitations where environment_id = ${environment_id} and id in (${list([...ids].sort())})`],
  }
}

const Sequence = z.object({ sequence: z.int() })

/** That of the deletion has the `sub`, by which receivers know the user. */
const loses_data = sql`type <> 'user.deleted'`

/** Events from before the deletion keep the id alone. Those without a number come first, since they may get one meanwhile. */
const eventsOfErased: SliceStep = async (db, ending) => {
  const { environment_id, subject, position, created_at } = ending
  const unnumbered = await idsOf(
    db,
    ending,
    sql`select id from events where ${inEnvironment(environment_id)} and sequence is null and user_id = ${subject}
           and created_at <= ${created_at} and ${loses_data} and data <> '{}' limit ${others_at_once}`,
  )
  if (unnumbered.length > 0)
    return {
      statements: [
        sql`update events set data = ${{}} where environment_id = ${environment_id} and id in (${list([...unnumbered].sort())})`,
      ],
    }
  const after = position === '' ? 0 : Number(position)
  const of_user = sql`environment_id = ${environment_id} and user_id = ${subject} and ${enters('events_of_user', { user_id: subject })}`
  const numbered = await db.of(environment_id).all(
    Sequence,
    sql`select sequence from events
         where ${of_user} and sequence is not null and sequence > ${after} and created_at <= ${created_at} and ${loses_data} order by sequence limit ${others_at_once}`,
  )
  const last = numbered.at(-1)?.sequence
  if (last === undefined) return null
  return {
    statements: [
      sql`update events set data = ${{}} where ${of_user}
             and sequence is not null and sequence > ${after} and sequence <= ${last} and created_at <= ${created_at} and ${loses_data}`,
    ],
    position: String(last),
  }
}

const Identity = z.object({ id: z.string(), user_id: z.string(), issuer: z.string(), subject: z.string() })
const identities_at_once = 25

/** Ends the sessions and grants of the next identities of the provider, and deletes those identities if the provider is deleted. */
const identitiesOfProvider: SliceStep = async (db, ending, now) => {
  const { environment_id, subject: provider_id, number, position, kind, cause } = ending
  const [issuer, subject] = position === '' ? ['', ''] : z.tuple([z.string(), z.string()]).parse(JSON.parse(position))
  const identities = await db.of(environment_id).all(
    Identity,
    sql`select id, user_id, issuer, subject from identities
         where environment_id = ${environment_id} and provider_id = ${provider_id} and (issuer, subject) > (${issuer}, ${subject})
         order by issuer, subject limit ${identities_at_once}`,
  )
  const last = identities.at(-1)
  if (!last) return null
  const ids = identities.map(({ id }) => id)
  const user_ids = [...new Set(identities.map(({ user_id }) => user_id))]
  const began = (row: Statement) =>
    sql`${row}.began_with in (${list(ids)}) ${kind === 'provider' ? sql`and ${row}.began_ending < ${number}` : sql``}`
  const sessions = await idsOf(
    db,
    ending,
    sql`select s.id from sessions s
         where s.user_id in (${list(user_ids)}) and ${inEnvironment(environment_id, 's')} and coalesce(s.ended_at, -1) = -1
           and ${began(sql`s`)} limit ${sessions_at_once}`,
  )
  if (sessions.length > 0) return { statements: endSessions(ending, sessions, now) }
  const grants = await idsOf(
    db,
    ending,
    sql`select g.id from grants g
         where g.user_id in (${list(user_ids)}) and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, -1) = -1
           and (${began(sql`g`)} or (select s.ends_grants from sessions s
                 where s.environment_id = ${environment_id} and s.id = g.session_id and s.ended_at is not null) = 1)
         limit ${grants_at_once}`,
  )
  if (grants.length > 0) return { statements: [endGrants(ending, grants, now)] }
  return {
    statements: kind === 'erased_provider' ? forgetIdentities(environment_id, ids, cause.origin, now) : [],
    position: JSON.stringify([last.issuer, last.subject]),
  }
}

/** Deletes these identities, with an event for each. */
function forgetIdentities(environment_id: EnvironmentId, ids: readonly string[], origin: Origin | null, now: Date): Statement[] {
  const from = sql`from identities where ${inEnvironment(environment_id)} and id in (${list([...ids].sort())})`
  const columns = {
    type: 'user.updated' as const,
    suffix: sql`substr(id, 15, 8) || substr(id, 27, 4)`,
    user_id: sql`user_id`,
    application_id: sql`null`,
    data: sql`'{"changed":["identities"],"method_id":"' || id || '"}'`, // an id needs no escaping in JSON
    from,
  }
  return [...(origin ? [insertEvents(environment_id, origin, columns, now)] : []), sql`delete ${from}`]
}

/** The rows of each kind, in the order in which they end. A step runs until it finds nothing. */
const steps: Record<Ending['kind'], readonly SliceStep[]> = {
  user: [sessionsBefore, grantsBefore, halfSignIns],
  erased_user: [
    sessionsOfErased,
    grantsOfErased,
    halfSignIns,
    membershipsOfErased,
    invitationsOfErased,
    rowsIn(atCoordinator`dashboard_sessions`, sql`user_id`, sql`session_hash`),
    rowsIn(sql`consents`, sql`user_id`, sql`application_id`),
    rowsIn(sql`disconnections`, sql`user_id`, sql`application_id`),
    usesOfErasedUser,
    rowsIn(sql`identities`, sql`user_id`, sql`id`),
    eventsOfErased,
  ],
  method: [sessionsOfMethod, halfSignIns, grantsThatFell],
  consents: [consentsBefore, consentsOfMemberBefore],
  session: [logoutsOfSession, grantsOfSession],
  disconnection: [sessionsWaitedFor, grantsThatFell],
  application: [grantsOfApplication],
  erased_application: [
    grantsOfApplication,
    rowsIn(sql`consents`, sql`application_id`, sql`user_id`),
    rowsIn(sql`disconnections`, sql`application_id`, sql`user_id`),
    usesOfErasedApplication,
  ],
  provider: [identitiesOfProvider],
  erased_provider: [identitiesOfProvider],
  organization: [grantsOfMembers],
  erased_organization: [membersOfErased, rowsIn(sql`organization_invitations`, sql`organization_id`, sql`id`)],
  organization_member: [grantsOfMember, consentsOfMember],
}
