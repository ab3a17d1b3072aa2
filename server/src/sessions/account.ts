/** What the account page reads and changes: the present session, the other sessions, and the applications of a person. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type Statement, sql } from '../db/db.ts'
import type { Origin } from '../events/store.ts'
import { strong_levels } from '../oidc/protocol/second-factor.ts'
import { endAtApplication } from './endings.ts'
import { endGrant } from './grants.ts'
import { revokeConsent } from './sessions.ts'
import { sessionStands } from './standing.ts'

/**
 * Fails as a guard if the session does not stand, as after the end of its user. Put it after the write of the user's row, which every
 * ending of the user writes first.
 */
export function holdSession(environment_id: EnvironmentId, { id, user_id }: { id: string; user_id: string }, now: Date): Statement {
  return guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and expires_at > ${now}
      and ${sessionStands(sql`sessions`)}`)
}

/** The same for a session of one factor. Fails too if `has_second_factor`, a condition on the user, is true. */
export const holdSessionOfLevel = (
  environment_id: EnvironmentId,
  { id, user_id }: { id: string; user_id: string },
  has_second_factor: Statement,
  now: Date,
): Statement =>
  guard(sql`update sessions set last_seen_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and user_id = ${user_id} and expires_at > ${now}
      and ${sessionStands(sql`sessions`)} and (acr in (${list(strong_levels)}) or not ${has_second_factor})`)

/**
 * Disconnects an application from a user: removes the consent and ends every grant. Put it after `holdUser`. With `grant_id` it fails as a
 * guard if that grant does not stand.
 */
export function disconnectApplication(
  environment_id: EnvironmentId,
  which: { user_id: string; application_id: string; grant_id?: string },
  origin: Origin,
  now: Date,
): Statement[] {
  const { grant_id } = which
  return [
    ...(grant_id === undefined ? [] : [guard(endGrant(environment_id, grant_id, 'disconnected', now))]),
    ...endAtApplication(environment_id, which, now),
    ...revokeConsent(environment_id, which, origin, now),
  ]
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
export type Consent = z.infer<typeof Consent>

/** The consents of a user after one application, for the export. */
export function listConsents(db: Db, environment_id: EnvironmentId, user_id: string, { after, limit }: { after: string; limit: number }) {
  return db.all(
    Consent,
    sql`select application_id, scope, created_at, updated_at from consents
         where environment_id = ${environment_id} and user_id = ${user_id} and application_id > ${after}
           and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})
         order by application_id limit ${limit}`,
  )
}
