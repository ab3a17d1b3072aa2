/**
 * Consents: the scopes that a user allowed an application, for no organization or for one. One is valid while it has the number of the user
 * (`standing.ts`), and with an organization that of the membership.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { insertEvents, type Origin } from '../events/store.ts'
import type { MembershipRef } from './membership.ts'
import { isMetadataClient, presentConsents } from './standing.ts'

/** Whose consent, and for which organization. */
export interface Consenting {
  readonly user_id: string
  readonly organization: MembershipRef | null
}

const ConsentRow = z.object({ user_id: z.string(), scope: z.string() })

/** The consent of each of these for an application, by user, in the words of `consentWords` (protocol/consent.ts). Each user is named once. */
export async function findConsents(
  db: Db,
  environment_id: EnvironmentId,
  application_id: string,
  people: readonly Consenting[],
): Promise<Map<string, string[]>> {
  const alone = people.flatMap(({ user_id, organization }) => (organization === null ? [user_id] : []))
  const found = [
    ...(alone.length === 0 ? [] : [findOwn(db, environment_id, application_id, alone)]),
    ...people.flatMap(({ user_id, organization }) =>
      organization === null ? [] : [findOfMember(db, environment_id, application_id, { user_id, organization })],
    ),
  ]
  return new Map((await Promise.all(found)).flat().map((row) => [row.user_id, row.scope.split(' ')]))
}

const findOwn = (db: Db, environment_id: EnvironmentId, application_id: string, user_ids: readonly string[]) =>
  db.of(environment_id).all(
    ConsentRow,
    sql`select c.user_id, c.scope from consents c
          join users u on ${sameEnvironment('u', 'c', environment_id)} and u.id = c.user_id and u.consents_ending = c.ending
         where c.environment_id = ${environment_id} and c.application_id = ${application_id} and c.user_id in (${list(user_ids)})`,
  )

const findOfMember = (
  db: Db,
  environment_id: EnvironmentId,
  application_id: string,
  { user_id, organization }: { user_id: string; organization: MembershipRef },
) =>
  db.of(environment_id).all(
    ConsentRow,
    sql`select c.user_id, c.scope from organization_consents c
          join users u on ${sameEnvironment('u', 'c', environment_id)} and u.id = c.user_id and u.consents_ending = c.ending
         where c.user_id = ${user_id} and c.organization_id = ${organization.organization_id} and c.application_id = ${application_id}
           and c.membership = ${organization.membership} and ${inEnvironment(environment_id, 'c')}`,
  )

/** Joins the consent c, if it is this one, to a session s and an application a, with an organization also to the membership m. */
export const consentIs = (
  { environment_id, organization }: { environment_id: EnvironmentId; organization: MembershipRef | null },
  scope: readonly string[],
): OfEnvironment => {
  const is_this = sql`${sameEnvironment('c', 's', environment_id)} and c.user_id = s.user_id and c.application_id = a.id
    and c.scope = ${scope.join(' ')} and c.ending = ${presentConsents(environment_id, sql`s`)}`
  return organization === null
    ? sql`join consents c on ${is_this}`
    : sql`join organization_consents c on ${is_this} and c.organization_id = m.organization_id and c.membership = m.membership`
}

/** A consent by its key. */
interface ConsentKey extends Consenting {
  readonly application_id: string
}

/**
 * Fails as a guard if the consent is not `before` any more, since another window or a disconnect was first, or the application or the
 * membership is gone.
 */
export function storeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id, organization }: ConsentKey,
  { before, after }: { before: readonly string[] | null; after: readonly string[] },
  now: Date,
): Statement {
  const member =
    organization &&
    sql`join organization_members m on m.organization_id = ${organization.organization_id} and m.user_id = u.id
         and m.membership = ${organization.membership} and ${sameEnvironment('m', 'u', environment_id)}`
  const [clients, admitted] = isMetadataClient(application_id)
    ? [sql`metadata_clients`, sql`and a.admitted = 1`]
    : [sql`applications`, sql``]
  const standing = sql`from ${clients} a
    join users u on ${sameEnvironment('u', 'a', environment_id)} and u.id = ${user_id}
    ${member ?? sql``}
   where a.environment_id = ${environment_id} and a.id = ${application_id} and a.disabled = 0 ${admitted}`
  const scope = after.join(' ')
  const { table, key, own, values, of_membership } = placed(organization)
  if (before === null)
    return guard(sql`insert into ${table} (environment_id, user_id, application_id, ${own} scope, ending, created_at, updated_at)
      select a.environment_id, u.id, a.id, ${values} ${scope}, u.consents_ending, ${now}, ${now} ${standing}
      on conflict (${key}) do update
        set scope = excluded.scope, ending = excluded.ending, ${of_membership.set} created_at = excluded.created_at, updated_at = excluded.updated_at
        where ${table}.ending < excluded.ending ${of_membership.or_later}`)
  return guard(sql`update ${table} set scope = ${scope}, updated_at = ${now}
    where user_id = ${user_id} and application_id = ${application_id} and ${of_membership.is}
      and environment_id = ${environment_id} and scope = ${before.join(' ')}
      and exists (select 1 ${standing} and u.consents_ending = ${table}.ending)`)
}

/** The differences between the two tables. */
function placed(organization: MembershipRef | null) {
  if (organization === null)
    return {
      table: sql`consents`,
      key: sql`environment_id, user_id, application_id`,
      own: sql``,
      values: sql``,
      of_membership: { set: sql``, or_later: sql``, is: sql`1 = 1` },
    }
  const { organization_id, membership } = organization
  return {
    table: sql`organization_consents`,
    key: sql`user_id, organization_id, application_id, environment_id`,
    own: sql`organization_id, membership,`,
    values: sql`m.organization_id, m.membership,`,
    of_membership: {
      set: sql`membership = excluded.membership,`,
      or_later: sql`or organization_consents.membership < excluded.membership`,
      is: sql`organization_id = ${organization_id} and membership = ${membership}`,
    },
  }
}

/** Removes the consent of a user for an application, for an organization or for none, with its event where there was one. */
export function revokeConsent(
  environment_id: EnvironmentId,
  { user_id, application_id, organization_id }: { user_id: string; application_id: string; organization_id: string | null },
  origin: Origin,
  now: Date,
): Statement[] {
  const table = organization_id === null ? sql`consents` : sql`organization_consents`
  const of_organization = organization_id === null ? sql`` : sql`and organization_id = ${organization_id}`
  const which = sql`environment_id = ${environment_id} and user_id = ${user_id} and application_id = ${application_id} ${of_organization}`
  const columns = {
    type: 'consent.revoked' as const,
    suffix: sql`substr(application_id, 19, 12)`,
    user_id: sql`user_id`,
    application_id: sql`application_id`,
    data: organization_id === null ? sql`'{}'` : sql`'{"organization_id":"' || organization_id || '"}'`, // an id needs no escaping in JSON
    from: sql`from ${table} where ${which}
      and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`,
  }
  return [insertEvents(environment_id, origin, columns, now), sql`delete from ${table} where ${which}`]
}

/** The present consents of a user, the rows `c` of a query. */
export const consentsOf = (environment_id: EnvironmentId, user_id: string): Statement => sql`from consents c
  where c.environment_id = ${environment_id} and c.user_id = ${user_id}
    and c.ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`

/** The present consents of a user in organizations, the rows `c` of a query. */
export const memberConsentsOf = (environment_id: EnvironmentId, user_id: string): OfEnvironment => sql`from organization_consents c
  where c.user_id = ${user_id} and ${inEnvironment(environment_id, 'c')}
    and c.membership = (select m.membership from organization_members m
      where m.organization_id = c.organization_id and m.user_id = c.user_id and ${inEnvironment(environment_id, 'm')})
    and c.ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})`

const MemberConsent = z.object({ application_id: z.string(), organization_id: z.string(), scope: z.string(), since: z.date() })

/** The consents of a user in organizations, of these applications. */
export async function findMemberConsents(db: Db, environment_id: EnvironmentId, user_id: string, application_ids: readonly string[]) {
  if (application_ids.length === 0) return []
  return db.of(environment_id).all(
    MemberConsent,
    sql`select c.application_id, c.organization_id, c.scope, c.created_at as since ${memberConsentsOf(environment_id, user_id)}
           and c.application_id in (${list(application_ids)}) order by c.organization_id, c.application_id limit ${most_listed}`,
  )
}

/**
 * A query for the number of people whose consent for an application stands, for an organization or for none, counted to `most`. Each kind is read
 * to its own limit, since a union reads all of both before it has one.
 */
export const peopleWhoConsented = (environment_id: EnvironmentId, application_id: Statement, most: number): OfEnvironment => {
  const ofApplication = sql`o.application_id = ${application_id} and ${inEnvironment(environment_id, 'o')} and coalesce((
        select 1 from users u where u.environment_id = ${environment_id} and u.id = o.user_id and u.consents_ending = o.ending and u.blocked_at is null), 0) = 1`
  return sql`
  select count(*) from (
    select user_id from (select o.user_id from consents o where ${ofApplication} limit ${most}) alone
    union
    select user_id from (
      select distinct o.user_id from organization_consents o
       where ${ofApplication} and coalesce((
         select 1 from organization_members m
          where m.organization_id = o.organization_id and m.user_id = o.user_id and m.membership = o.membership
            and ${inEnvironment(environment_id, 'm')}), 0) = 1 limit ${most}) in_organizations
    limit ${most}) people`
}

/** As many as a page shows. */
const most_listed = 500

const Consent = z.object({ application_id: z.string(), scope: z.string(), created_at: z.iso.datetime(), updated_at: z.iso.datetime() })
export type Consent = z.infer<typeof Consent>

/** The consents of a user after one application, for the export. */
export function listConsents(db: Db, environment_id: EnvironmentId, user_id: string, { after, limit }: { after: string; limit: number }) {
  return db.of(environment_id).all(
    Consent,
    sql`select application_id, scope, created_at, updated_at from consents
         where environment_id = ${environment_id} and user_id = ${user_id} and application_id > ${after}
           and ending = (select consents_ending from users where environment_id = ${environment_id} and id = ${user_id})
         order by application_id limit ${limit}`,
  )
}

const Id = z.object({ id: z.string() })

/** The consents of a user from before a number, which the user withdrew. */
interface Withdrawn {
  environment_id: EnvironmentId
  user_id: string | null
  number: number
}

/** The next consents from before a number of the user, as applications; see `ending-slices.ts`. */
export async function findWithdrawn(db: Db, { environment_id, user_id, number }: Withdrawn, limit: number): Promise<string[]> {
  const rows = await db.of(environment_id).all(
    Id,
    sql`select application_id as id from consents where environment_id = ${environment_id} and user_id = ${user_id} and ending < ${number}
         order by application_id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

export const removeWithdrawn = ({ environment_id, user_id, number }: Withdrawn, application_ids: readonly string[]): Statement =>
  sql`delete from consents where environment_id = ${environment_id} and user_id = ${user_id} and application_id in (${list(application_ids)}) and ending < ${number}`
