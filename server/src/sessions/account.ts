/** What the account page reads and changes: the present session, the other sessions, and the applications of a person. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import type { Origin } from '../events/store.ts'
import { strong_levels } from '../oidc/protocol/second-factor.ts'
import { enqueueBackchannelLogouts } from './backchannel-logouts.ts'
import { endGrant, endGrants } from './grants.ts'
import { endHalfSignIns } from './half-sign-ins.ts'
import { revokeConsent, sessionEndEvents } from './sessions.ts'

/**
 * Fails as a guard if the session has ended, as it has if its user was blocked or deleted. Put it after the write of the user's row,
 * which every batch that ends all sessions of a user writes first.
 */
export function holdSession(environment_id: EnvironmentId, { id, user_id }: { id: string; user_id: string }, now: Date): Statement {
  return guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}`)
}

/** The same for a session of one factor. Fails too if `has_second_factor`, a condition on the user, is true. */
export const holdSessionOfLevel = (
  environment_id: EnvironmentId,
  { id, user_id }: { id: string; user_id: string },
  has_second_factor: Statement,
  now: Date,
): Statement =>
  guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}
      and (acr in (${list(strong_levels)}) or not ${has_second_factor})`)

/** Ends all sessions of the user but one, all grants that did not begin in that one, and sign-ins that wait for a second factor. Raises an event for each session. */
export function endOtherSessions(
  environment_id: EnvironmentId,
  { id, user_id }: { id: string; user_id: string },
  { by, origin }: { by: 'ended_by_person' | 'password_changed' | 'address_changed'; origin: Origin },
  now: Date,
): Statement[] {
  return [
    ...sessionEndEvents(environment_id, { user_id, except: id }, { reason: by, origin }, now),
    sql`update sessions set ended_at = ${now}
         where environment_id = ${environment_id} and user_id = ${user_id} and id <> ${id} and ended_at is null`,
    sql`update grants set ended_at = ${now}, ended_by = ${by}
         where environment_id = ${environment_id} and user_id = ${user_id} and session_id <> ${id} and ended_at is null`,
    endHalfSignIns(environment_id, user_id),
    ...enqueueBackchannelLogouts(environment_id, { user_ids: [user_id] }, now),
  ]
}

/** Removes from the sessions of a deleted user where they came from. They stay until their tokens cannot be valid any more. */
export function forgetSessions(environment_id: EnvironmentId, user_id: string): Statement {
  return sql`update sessions set ip = null, user_agent = null where environment_id = ${environment_id} and user_id = ${user_id}`
}

/**
 * Disconnects an application from a user: removes the consent and ends every grant. Put it after `holdUser`, which the batch of a new
 * session writes too. With `grant_id` it fails as a guard if that grant has ended already.
 */
export function disconnectApplication(
  environment_id: EnvironmentId,
  which: { user_id: string; application_id: string; grant_id?: string },
  origin: Origin,
  now: Date,
): Statement[] {
  const { user_id, grant_id } = which
  return [
    // A batch that stores a grant writes the row of its session before it reads the consent (`storeCode`).
    sql`update sessions set last_seen_at = last_seen_at
         where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null`,
    ...(grant_id === undefined ? [] : [guard(endGrant(environment_id, grant_id, 'disconnected', now))]),
    endGrants(environment_id, which, 'disconnected', now),
    ...revokeConsent(environment_id, which, origin, now),
  ]
}

const most_applications = 100

const Connected = z.object({
  id: z.string(),
  name: z.string(),
  logo_uri: z.string().nullable(),
  since: z.date(),
  scope: z.string().nullable(),
})

/** The applications that have the consent of the user, or tokens. `scope` is the consent, in the words of `consentWords`. */
export function listConnected(db: Db, environment_id: EnvironmentId, user_id: string, now: Date) {
  return db.all(
    Connected,
    sql`select a.id, a.name, a.logo_uri, used.since, c.scope
          from (select environment_id, application_id, min(created_at) as since
                  from (select environment_id, application_id, created_at from grants
                         where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}
                        union all
                        select environment_id, application_id, created_at from consents
                         where environment_id = ${environment_id} and user_id = ${user_id}) every_use
                 group by environment_id, application_id) used
          join applications a on a.environment_id = used.environment_id || '' and a.id = used.application_id
          left join consents c on c.environment_id = ${environment_id} and c.user_id = ${user_id} and c.application_id = used.application_id
         order by a.name, a.id limit ${most_applications}`,
  )
}

const GrantedScope = z.object({ application_id: z.string(), scope: z.string(), resource: z.array(z.string()) })

/** The scopes of active grants, for applications without consent. */
export function listGrantedScopes(db: Db, environment_id: EnvironmentId, user_id: string, now: Date) {
  return db.all(
    GrantedScope,
    sql`select distinct application_id, scope, resource from grants
         where environment_id = ${environment_id} and user_id = ${user_id} and ended_at is null and expires_at > ${now}
         order by application_id, scope, resource limit ${10 * most_applications}`,
  )
}

const Named = z.object({ identifier: z.string(), name: z.string() })

/** The names of these resource servers, by identifier. */
export async function namesOfResources(
  db: Db,
  environment_id: EnvironmentId,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (identifiers.length === 0) return new Map()
  const rows = await db.all(
    Named,
    sql`select identifier, name from resource_servers where environment_id = ${environment_id} and identifier in (${list(identifiers)})`,
  )
  return new Map(rows.map(({ identifier, name }) => [identifier, name]))
}

const Consent = z.object({ application_id: z.string(), scope: z.string(), created_at: z.iso.datetime(), updated_at: z.iso.datetime() })

/** The consents of a user, for the export. */
export function listConsents(db: Db, environment_id: EnvironmentId, user_id: string, limit: number) {
  return db.all(
    Consent,
    sql`select application_id, scope, created_at, updated_at from consents
         where environment_id = ${environment_id} and user_id = ${user_id} order by application_id limit ${limit}`,
  )
}
