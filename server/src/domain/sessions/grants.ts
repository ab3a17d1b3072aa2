/**
 * Grants, and the tokens that one request stores for them. Codes and tokens have files of their own: `authorization-codes.ts`,
 * `refresh-tokens.ts`, `refresh-chains.ts`, `opaque-tokens.ts`. A change that may happen only once is one batch with a guard; see
 * `db/db.ts`. Secrets are stored as digests only.
 */
import type { EnvironmentId, GrantId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { Grant } from '@ostiary/contract/method.ts'
import { User } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { subOf } from '../../db/sub.ts'
import { lastUseOf } from './refresh-chains.ts'
import {
  beganWithRow,
  grantStands,
  joinedGrantStands,
  joinedGrantSurelyStands,
  joinOrganization,
  numberOfRow,
  sessionStands,
  standingGrantsOf,
} from './standing.ts'

/** The columns of the user that claims need. */
const Person = User.omit({
  id: true,
  tenant_id: true,
  project_id: true,
  environment_id: true,
  pending_email: true,
  approval: true,
  deletes_at: true,
  has_password: true,
  metadata: true,
  claims: true,
  roles: true,
  last_sign_in_at: true,
  created_at: true,
  blocked_at: true,
})

export const GrantRow = z.object({
  grant_id: z.custom<GrantId>(),
  user_id: z.custom<UserId>(),
  session_id: z.custom<SessionId>(),
  client_id: z.string(),
  scope: z.string(),
  resource: z.array(z.string()),
  auth_time: z.date(),
  amr: z.array(z.string()),
  acr: z.string(),
  grant_created_at: z.date(),
  grant_expires_at: z.date(),
  /** The grant is no longer valid. */
  has_ended: z.boolean(),
  blocked_at: z.date().nullable(),
  /** `null`: the person acts for no organization. */
  organization_id: z.string().nullable(),
  organization_slug: z.string().nullable(),
  organization_name: z.string().nullable(),
  /** Data for tokens that ask for it. */
  user_claims: z.record(z.string(), z.unknown()),
  organization_claims: z.record(z.string(), z.unknown()).nullable(),
  /** The ids of the roles that the member was given; without an organization, the user. */
  role_ids: z.array(z.string()),
  ...Person.shape,
})
export type GrantRow = z.infer<typeof GrantRow>

const columnsWhere = (stands: Statement) => sql`
  g.id as grant_id, g.user_id, g.session_id, g.application_id as client_id, g.scope, g.resource, g.auth_time, g.amr, g.acr,
  g.created_at as grant_created_at, g.expires_at as grant_expires_at, u.blocked_at, g.organization_id, o.slug as organization_slug, o.name as organization_name,
  u.claims as user_claims, o.claims as organization_claims,
  case when g.organization_id is null then u.roles else coalesce(m.roles, '[]') end as role_ids,
  case when ${stands} then 0 else 1 end as has_ended, nullif(u.email, '') as email, u.email_verified, u.phone_number,
  u.phone_number_verified, u.name, u.given_name, u.family_name, u.nickname, u.preferred_username, u.picture, u.locale, u.zoneinfo, u.updated_at,
  ${subOf(sql`u`)} as sub`

/** The columns of a row of `grants` as g, in a query with `joinPerson`. */
export const grantColumns = (environment_id: EnvironmentId): Statement => columnsWhere(joinedGrantStands(environment_id, sql`g`))

/** The user of a grant g, as u, and its organization. */
export const joinPerson = (environment_id: EnvironmentId): Statement => sql`
  join users u on ${sameEnvironment('u', 'g', environment_id)} and u.id = g.user_id
  ${joinOrganization(environment_id)}`

/** Stored for an access token: the token where it is opaque. */
export interface NewTokens {
  opaque: { token_hash: string; claims: Record<string, unknown>; expires_at: Date } | null
  /** The time after which no token of the grant can be valid, whether it is stored or not. */
  last_expires_at: Date
}

export const thisGrantStands = (environment_id: EnvironmentId, grant_id: GrantId): Statement => sql`exists (
  select 1 from grants g where g.environment_id = ${environment_id} and g.id = ${grant_id} and ${grantStands(environment_id, sql`g`)})`

/** For a batch whose guard spends a code or refresh token. */
export function insertTokens(environment_id: EnvironmentId, grant: GrantRow, tokens: NewTokens): Statement[] {
  const { opaque, last_expires_at } = tokens
  const statements = keepGrant(environment_id, grant, last_expires_at)
  if (opaque)
    statements.push(
      insertInto('opaque_access_tokens', {
        environment_id,
        token_hash: opaque.token_hash,
        claims: opaque.claims,
        expires_at: opaque.expires_at,
      }),
    )
  return statements
}

/**
 * Keeps a grant until the end of its last token: its first tokens, and later ones where a lifetime was raised in the settings or at a
 * resource server.
 */
export function keepGrant(environment_id: EnvironmentId, { grant_id, grant_expires_at }: GrantRow, until: Date): Statement[] {
  if (grant_expires_at >= until) return []
  return [
    sql`update grants set expires_at = ${until} where environment_id = ${environment_id} and id = ${grant_id} and expires_at < ${until}`,
  ]
}

/** A grant as `findSurely` finds it. */
export const FoundGrant = GrantRow.extend({ began_with_row: z.string().nullable(), began_ending: z.int() })
const Numbered = z.object({ number: z.int() })

/** Finds a grant by the condition that costs less, and if that is false, by the whole one. */
export async function findSurely<Row extends z.output<typeof FoundGrant>>(
  db: Db,
  environment_id: EnvironmentId,
  find: (columns: Statement) => Promise<Row | null>,
): Promise<Row | null> {
  const columns = (stands: Statement, row: Statement) => sql`${columnsWhere(stands)}, ${row} as began_with_row, g.began_ending`
  const g = sql`g`
  const sure = await find(columns(joinedGrantSurelyStands(environment_id, g), beganWithRow))
  if (!sure || (!sure.has_ended && (await hasNumber(db, environment_id, sure)))) return sure
  return find(columns(joinedGrantStands(environment_id, g), sql`null`))
}

/** Whether the method that a grant began with has the same number still, where it has a row of its own. */
async function hasNumber(
  db: Db,
  environment_id: EnvironmentId,
  { began_with_row, began_ending }: z.output<typeof FoundGrant>,
): Promise<boolean> {
  if (began_with_row === null) return true
  return (await db.of(environment_id).maybeOne(Numbered, numberOfRow(environment_id, began_with_row)))?.number === began_ending
}

/** The grant of an access token; `null` if the grant is not valid or the token was revoked. */
export async function findLiveGrant(db: Db, environment_id: EnvironmentId, grant_id: string, jti: string): Promise<GrantRow | null> {
  const grant = await findSurely(db, environment_id, (columns) =>
    db.of(environment_id).maybeOne(
      FoundGrant,
      sql`select ${columns}
          from grants g ${joinPerson(environment_id)}
         where g.environment_id = ${environment_id} and g.id = ${grant_id}
           and not exists (select 1 from revoked_access_tokens r where r.environment_id = ${environment_id} and r.jti = ${jti})`,
    ),
  )
  return grant?.has_ended === false ? grant : null
}

const Owner = GrantRow.pick({ user_id: true })

/** The user of a grant, valid or not; `null` where the grant was deleted. */
export async function findGrantOwner(db: Db, environment_id: EnvironmentId, grant_id: string): Promise<UserId | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(Owner, sql`select user_id from grants where environment_id = ${environment_id} and id = ${grant_id}`)
  return row?.user_id ?? null
}

const GrantState = z.object({
  user_id: z.string().nullable(),
  blocked_at: z.date().nullable(),
  has_ended: z.boolean(),
  session_has_ended: z.boolean(),
  is_revoked: z.boolean(),
})

/** The state of a grant, its session, its user and its access token; `null` where the grant was deleted. */
export function findGrantState(db: Db, environment_id: EnvironmentId, grant_id: string, jti: string) {
  return db.of(environment_id).maybeOne(
    GrantState,
    sql`select u.id as user_id, u.blocked_at, case when ${joinedGrantStands(environment_id, sql`g`)} then 0 else 1 end as has_ended,
               case when s.id is null or ${sessionStands(environment_id, sql`s`)} then 0 else 1 end as session_has_ended,
               case when exists (select 1 from revoked_access_tokens r where r.environment_id = ${environment_id} and r.jti = ${jti})
                    then 1 else 0 end as is_revoked
          from grants g
          left join users u on ${sameEnvironment('u', 'g', environment_id)} and u.id = g.user_id
          ${joinOrganization(environment_id)}
          left join sessions s on ${sameEnvironment('s', 'g', environment_id)} and s.id = g.session_id
         where g.environment_id = ${environment_id} and g.id = ${grant_id}`,
  )
}

/** Ends a grant with all its tokens. As a guard it fails if the grant is not valid. */
export function endGrant(environment_id: EnvironmentId, grant_id: string, by: string, now: Date): Statement {
  return sql`update grants set ended_at = ${now}, ended_by = ${by}
    where environment_id = ${environment_id} and id = ${grant_id} and ${grantStands(environment_id, sql`grants`)}`
}

export function revokeAccessToken(environment_id: EnvironmentId, jti: string, expires_at: Date): Statement {
  return insertInto('revoked_access_tokens', { environment_id, jti, expires_at }, sql`on conflict (environment_id, jti) do nothing`)
}

/** Lists the valid grants of a user, as the management API shows them. `rest` is the end of the query. */
export function listGrants(db: Db, { environment_id, id }: UserRef, now: Date, rest: Statement): Promise<Grant[]> {
  const columns = (g: Statement) =>
    sql`id, application_id, session_id, scope, resource, organization_id, created_at, expires_at, ${lastUseOf(environment_id, g)} as last_used_at`
  const valid = sql`and expires_at > ${now} ${rest}`
  return db
    .of(environment_id)
    .all(Grant, sql`select * from (${standingGrantsOf(environment_id, id, columns, valid)}) listed where 1 = 1 ${rest}`)
}
