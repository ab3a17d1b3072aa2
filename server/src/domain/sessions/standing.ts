/**
 * The one place that decides whether a session or a grant is valid. Every statement that accepts a session, a grant, or a code or token of
 * a grant has one of these conditions.
 *
 * An ending raises a number: of the user, an application, a provider, a password, an organization, or a person with an application. A session or grant
 * stores the numbers in the statement that inserts it, and is valid only while they are equal (decision 0065). No time is compared. The
 * rows follow later (`endings.ts`), so `ended_at` alone says nothing.
 */
import type { EnvironmentId, MethodId } from '@ostiary/contract/ids.ts'
import type { FirstFactor, MethodByAddress } from '@ostiary/contract/sign-in-methods.ts'
import { join, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { aboutEnvironment, inEnvironment, sameEnvironment } from '../../db/environment.ts'

/** An alias of a table in the statement around the condition. */
type Alias = Statement

/**
 * Conditions whose only value is the environment, each built once for an alias: they have many parts, and are in the statements of every
 * request.
 */
function onceForEach(
  build: (environment_id: EnvironmentId, row: Alias) => Statement,
): (environment_id: EnvironmentId, row: Alias) => OfEnvironment {
  const built = new WeakMap<Alias['parts'], Statement>()
  return (environment_id, row) => {
    if (row.values.length > 0) throw new TypeError('An alias has no values.')
    let condition = built.get(row.parts)
    if (!condition) {
      condition = build(environment_id, row)
      built.set(row.parts, condition)
    }
    return aboutEnvironment(condition, environment_id)
  }
}

/** The id of the password of a user, the same for every password. The SQL below makes the same. */
export const passwordMethodOf = (user_id: string): MethodId => `mth_${user_id.slice('usr_'.length)}`

/**
 * The number of what a session, half sign-in or grant began with. A method that was removed, and a provider that is disabled or deleted,
 * has -1, which no row stores: `insertSession` refuses it. Ids of passkeys and identities are never given again; that of the password
 * stays the same, so it has a number. A sign-in that waits to link an identity began with its provider.
 */
const numberOfBeginning = (environment_id: EnvironmentId, began: Alias, u: Alias): Statement =>
  numberOf(sql`${began}.began_with`, environment_id, u)

/** The same for a session that is about to begin. */
export const numberOfNewBeginning = (environment_id: EnvironmentId, began_with: string | null, u: Alias): Statement =>
  numberOf(sql`cast(${began_with} as text)`, environment_id, u)

function numberOf(began_with: Statement, environment_id: EnvironmentId, u: Alias): Statement {
  const rows = rowsOf(began_with, environment_id).map((select) => sql`(${select})`)
  return numberOr(began_with, u, sql`coalesce(${join(rows, ', ')}, -1)`)
}

/** The number of what has no row of its own, and `otherwise` for what has one. */
function numberOr(began_with: Statement, u: Alias, otherwise: Statement): Statement {
  const cases = Object.values(without_row).map(({ when, number }) => sql`when ${when(began_with, u)} then ${number(u)}`)
  return sql`
  case when ${began_with} is null then ${u}.methods_ending
       ${join(cases, ' ')}
       else ${otherwise} end`
}

interface WithoutRow {
  when(began_with: Statement, u: Alias): Statement
  number(u: Alias): Statement
}

/** Methods without a row of their own. Nothing removes one that needs only the address: a sign-in by it is valid as long as the user is. */
const without_row: Record<MethodByAddress | 'password', WithoutRow> = {
  email_code: { when: (began_with) => sql`${began_with} = 'email_code'`, number: () => sql`0` },
  password: { when: (began_with, u) => sql`${began_with} = 'mth_' || substr(${u}.id, 5)`, number: (u) => sql`${u}.password_ending` },
}

/** The selects by which the others find their number; at most one has a row. */
const with_row: Record<
  Exclude<FirstFactor, keyof typeof without_row>,
  (began_with: Statement, environment_id: EnvironmentId) => OfEnvironment[]
> = {
  passkey: (began_with, environment_id) => [
    sql`select 0 as number from passkeys k where k.id = ${began_with} and ${inEnvironment(environment_id, 'k')}`,
  ],
  provider: (began_with, environment_id) => [
    sql`select p.ending from identities i
          join providers p on ${sameEnvironment('p', 'i', environment_id)} and p.id = i.provider_id and p.enabled = 1
         where i.id = ${began_with} and ${inEnvironment(environment_id, 'i')}`,
    sql`select p.ending from providers p where p.environment_id = ${environment_id} and p.id = ${began_with} and p.enabled = 1`,
  ],
}

const rowsOf = (began_with: Statement, environment_id: EnvironmentId): OfEnvironment[] =>
  Object.values(with_row).flatMap((selects) => selects(began_with, environment_id))

const number_of_row = join(rowsOf(sql`${'method'}`, 'env_'), ' union all ')

/** A query for the number of a method that has a row. No row: it was removed, or its provider is disabled or deleted. */
export const numberOfRow = (environment_id: EnvironmentId, method: string): OfEnvironment => ({
  ...number_of_row,
  values: number_of_row.values.map((value) => (value === 'method' ? method : environment_id)),
})

/**
 * A condition on a row and the row `u` of its user, which is looked up by its key. A subquery, since PostgreSQL could read every user for
 * a join with such a condition, while a table has no statistics.
 */
const withUser = (environment_id: EnvironmentId, row: Alias, condition: Statement): Statement => sql`(
  select case when ${condition} then 1 else 0 end from users u where u.environment_id = ${environment_id} and u.id = ${row}.user_id) = 1`

const u = sql`u`

/**
 * A session is valid; it may still have expired. In a statement that changes sessions, put it after the write of the user's row, which
 * every ending of the user writes.
 */
export const sessionStands = onceForEach((environment_id, s) =>
  withUser(environment_id, s, sql`${s}.ended_at is null and ${standsWithUser(environment_id, s)}`),
)

/** A half sign-in may go on. */
export const halfSignInStands = onceForEach((environment_id, h) => withUser(environment_id, h, standsWithUser(environment_id, h)))

const standsWithUser = (environment_id: EnvironmentId, row: Alias): Statement =>
  sql`u.blocked_at is null and ${row}.ending = u.ending and ${row}.began_ending = ${numberOfBeginning(environment_id, row, u)}`

/** The valid sessions of one user, for lists. It enters the index of open sessions by the present number. */
export const standingSessionsOf = (environment_id: EnvironmentId, user_id: string): OfEnvironment => sql`
  ${inEnvironment(environment_id, 'sessions')} and sessions.user_id = ${user_id} and coalesce(sessions.ended_at, -1) = -1
  and sessions.ending = (select ending from users where environment_id = ${environment_id} and id = ${user_id} and blocked_at is null)
  and ${sessionStands(environment_id, sql`sessions`)}`

/**
 * The number of an application; -1 where it is disabled or deleted. Of a metadata client too, and where the setting does not admit it. Subqueries,
 * since PostgreSQL could enter a join by the environment.
 */
const numberOfApplication = (environment_id: EnvironmentId, application_id: Statement): Statement => sql`coalesce((
  select a.ending from applications a where a.id = ${application_id} and ${inEnvironment(environment_id, 'a')} and a.disabled = 0), (
  select mc.ending from metadata_clients mc where mc.environment_id = ${environment_id} and mc.id = ${application_id} and mc.disabled = 0 and mc.admitted = 1), -1)`

/** The client of a grant that is about to be stored, as `a`: an application, or a metadata client that is admitted. */
export const joinClient = (environment_id: EnvironmentId, client_id: string): Statement =>
  isMetadataClient(client_id)
    ? sql`join metadata_clients a on ${sameEnvironment('a', 's', environment_id)} and a.id = ${client_id} and a.disabled = 0 and a.admitted = 1`
    : sql`join applications a on ${sameEnvironment('a', 's', environment_id)} and a.id = ${client_id} and a.disabled = 0`

/** Whether the id of the client of a grant is that of a metadata client. */
export const isMetadataClient = (client_id: string): boolean => client_id.startsWith('mcl_')

/** The number of a person with an application, for no organization or for one, which rises when the person disconnects it. */
export const numberOfDisconnection = (
  environment_id: EnvironmentId,
  user_id: Statement,
  application_id: Statement,
  organization_id: Statement,
): Statement => sql`coalesce(case when ${organization_id} is null then (
    select d.ending from disconnections d
     where d.environment_id = ${environment_id} and d.user_id = ${user_id} and d.application_id = ${application_id})
  else (
    select d.ending from organization_disconnections d
     where d.user_id = ${user_id} and d.organization_id = ${organization_id} and d.application_id = ${application_id}
       and ${inEnvironment(environment_id, 'd')}) end, 0)`

/** The number of the consents of the user of a row, which rises when the account passes to another person. */
export const presentConsents = (environment_id: EnvironmentId, row: Alias): Statement =>
  sql`(select consents_ending from users where environment_id = ${environment_id} and id = ${row}.user_id)`

/** The membership of a grant g and its organization, as `m` and `o`; null where the grant has none, or where they do not give it any more. */
export const joinOrganization = (environment_id: EnvironmentId): Statement => sql`
  left join organization_members m on ${sameEnvironment('m', 'g', environment_id)} and m.organization_id = g.organization_id
        and m.user_id = g.user_id and m.membership = g.membership
  left join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id
        and o.disabled = 0 and o.ending = g.organization_ending`

const joinedOrganizationStands = (g: Alias): Statement => sql`(${g}.organization_id is null or o.id is not null)`

/** The same for a grant without these rows. */
const organizationStands = (
  environment_id: EnvironmentId,
  g: Alias,
): Statement => sql`case when ${g}.organization_id is null then 1 else coalesce((
        select case when m.membership = ${g}.membership and o.disabled = 0 and o.ending = ${g}.organization_ending then 1 else 0 end
          from organization_members m join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id
         where m.organization_id = ${g}.organization_id and m.user_id = ${g}.user_id and ${inEnvironment(environment_id, 'm')}), 0) end = 1`

/**
 * A grant is valid, and with it its codes and tokens.
 *
 * - A grant with an organization is valid while its membership is there and has its number, and the organization is enabled and has its own.
 * - The number of the user may be that of its session: "everywhere else" gives the new number to the session that stays and not to its
 *   grants, of which there may be many. They get it later.
 * - A session that ended takes its grants with it, but after a sign-out those with `offline_access` stay (OIDC Core §11).
 * - A person who signs in again in the same browser keeps the session: it then began with another method than its older grants.
 */
export const grantStands = onceForEach((environment_id, g) =>
  withUser(
    environment_id,
    g,
    standsBy(environment_id, g, { ...wholly(environment_id, g), organization: organizationStands(environment_id, g) }),
  ),
)

/** The same for the columns of a look-up, which has the row of the user as `u` and those of `joinOrganization`. */
export const joinedGrantStands = onceForEach((environment_id, g) =>
  standsBy(environment_id, g, { ...wholly(environment_id, g), organization: joinedOrganizationStands(g) }),
)

/**
 * Is true for nearly every valid grant and for no other, provided that the number of its method is unchanged, where the method has a row
 * of its own (`beganWithRow`). The session must have begun with the method of the grant. The omitted conditions are over half the work, so
 * a look-up of every request asks this one first (bench/RESULTS.md, UserInfo).
 */
export const joinedGrantSurelyStands = onceForEach((environment_id, g) =>
  standsBy(environment_id, g, {
    began: numberOr(sql`${g}.began_with`, u, sql`${g}.began_ending`),
    otherwise: sql``,
    organization: joinedOrganizationStands(g),
  }),
)

const cases_without_row = Object.values(without_row).map(({ when }) => sql`when ${when(sql`g.began_with`, u)} then null`)

/** The method of a grant g whose row `joinedGrantSurelyStands` does not read; `null` where it has none. */
export const beganWithRow: Statement = sql`case ${join(cases_without_row, ' ')} else g.began_with end`

const wholly = (environment_id: EnvironmentId, g: Alias) => ({
  began: numberOfBeginning(environment_id, g, u),
  otherwise: sql`when own.began_ending = ${numberOfBeginning(environment_id, sql`own`, u)} then 1`,
})

interface Conditions {
  /** The present number of what the grant began with. */
  began: Statement
  /** For a session that began with another method. */
  otherwise: Statement
  /** The grant has no organization, or its membership gives it still. */
  organization: Statement
}

const standsBy = (
  environment_id: EnvironmentId,
  g: Alias,
  { began, otherwise, organization }: Conditions,
): Statement => sql`${g}.ended_at is null and u.blocked_at is null
      and ${g}.began_ending = ${began}
      and ${g}.application_ending = ${numberOfApplication(environment_id, sql`${g}.application_id`)}
      and ${g}.disconnection = ${numberOfDisconnection(environment_id, sql`${g}.user_id`, sql`${g}.application_id`, sql`${g}.organization_id`)}
      and ${organization}
      and coalesce((
        select case when u.ending not in (${g}.ending, own.ending) then 0
                    when own.ended_at is not null then case when own.ends_grants = 0 then ${g}.offline else 0 end
                    when own.began_with = ${g}.began_with then 1
                    ${otherwise}
                    else 0 end
          from sessions own where own.environment_id = ${environment_id} and own.id = ${g}.session_id),
        case when u.ending = ${g}.ending then 1 else 0 end) = 1`

/** Grants that a session keeps after everything else of the user ended get the new number soon. So many are listed meanwhile. */
const most_kept = 500

/**
 * The valid grants of one user, for lists: those with the present number, and those that a valid session keeps. `rest` is the
 * end of the query, with its order and limit, so that each part reads no more rows than are asked for.
 */
export const standingGrantsOf = (
  environment_id: EnvironmentId,
  user_id: string,
  columnsOf: (grant: Alias) => Statement,
  rest: Statement,
): OfEnvironment => {
  const present = sql`(select ending from users where environment_id = ${environment_id} and id = ${user_id})`
  const open = sql`${inEnvironment(environment_id)} and user_id = ${user_id} and coalesce(ended_at, -1) = -1`
  return sql`
    select * from (select ${columnsOf(sql`grants`)} from grants where ${open} and ending = ${present} and ${grantStands(environment_id, sql`grants`)} ${rest}) present
    union all
    select * from (select ${columnsOf(sql`kept`)} from (
      select * from grants where ${open} and ending < ${present} order by ending desc, id desc limit ${most_kept}) kept
     where ${grantStands(environment_id, sql`kept`)} ${rest}) kept`
}
