/**
 * Grants with their authorization codes, refresh tokens and access tokens. A change that may happen only once is one batch with a guard;
 * see `db/db.ts`. Secrets are stored as digests only.
 */
import type { EnvironmentId, GrantId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { Grant } from '@ostiary/contract/method.ts'
import { User } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import type { UserRef } from '../base/user-ref.ts'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import { most_others } from './bounds.ts'
import { findEnded, findReplaced, limitOf, type Replacement, replacingNone, replacingOne, replacingThese } from './grant-bounds.ts'
import type { SessionRow } from './sessions.ts'
import { grantStands, numberOfDisconnection, presentConsents, sessionStands, standingGrantsOf } from './standing.ts'

/** The columns of the user that claims need. */
const Person = User.omit({
  id: true,
  tenant_id: true,
  project_id: true,
  environment_id: true,
  pending_email: true,
  has_password: true,
  metadata: true,
  last_sign_in_at: true,
  created_at: true,
  blocked_at: true,
})

const GrantRow = z.object({
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
  /** The grant does not count any more. */
  has_ended: z.boolean(),
  blocked_at: z.date().nullable(),
  ...Person.shape,
})
export type GrantRow = z.infer<typeof GrantRow>

const grantColumns = sql`
  g.id as grant_id, g.user_id, g.session_id, g.application_id as client_id, g.scope, g.resource, g.auth_time, g.amr, g.acr,
  g.created_at as grant_created_at, g.expires_at as grant_expires_at, u.blocked_at,
  case when ${grantStands(sql`g`)} then 0 else 1 end as has_ended, nullif(u.email, '') as email, u.email_verified, u.phone_number,
  u.phone_number_verified, u.name, u.given_name, u.family_name, u.nickname, u.preferred_username, u.picture, u.locale, u.zoneinfo, u.updated_at`

const AuthorizationCodeRow = GrantRow.extend({
  code_hash: z.string(),
  redirect_uri: z.string(),
  nonce: z.string().nullable(),
  code_challenge: z.string().nullable(),
  expires_at: z.date(),
  spent_by: z.string().nullable(),
})
export type AuthorizationCodeRow = z.infer<typeof AuthorizationCodeRow>

const RefreshRow = GrantRow.extend({
  token_hash: z.string(),
  expires_at: z.date(),
  spent_at: z.date().nullable(),
})
export type RefreshRow = z.infer<typeof RefreshRow>

export interface NewCode {
  code_hash: string
  /** The id of its new grant. */
  grant_id: GrantId
  client_id: string
  /** The consent that the code depends on; `null` where it needs none. */
  consented_to: readonly string[] | null
  redirect_uri: string
  scope: string
  resource: readonly string[]
  nonce: string | null
  code_challenge: string | null
  expires_at: Date
  /** The new end of the idle time of the session. */
  session_expires_at: Date
  /** The bound of the deployment; see `bounds.ts`. */
  grants_per_person: number
}

interface SessionOfCode extends Pick<SessionRow, 'id' | 'user_id' | 'auth_time' | 'grant_count' | 'offline_count'> {
  environment_id: EnvironmentId
}

/**
 * Stores a code and its grant for a session that has not changed since it was read, and extends the session. Returns false where the
 * session ended or was renewed, the user was blocked, the application was disabled, or the consent changed. Ends the grants beyond the
 * bounds. A grant expires with its code until the code is redeemed.
 */
export async function storeCode(db: Db, { environment_id, ...session }: SessionOfCode, code: NewCode, now: Date): Promise<boolean> {
  // A batch that ends this session alone also writes its row: it runs either before, so that this guard fails, or after, so that it ends
  // the grant. Every other ending raises a number. The statement that stores the grant reads all of them at once, and the consent, so a
  // grant that is stored beside an ending has the numbers from before it, and never counts (decision 0065).
  const { grant_id } = code
  const consent =
    code.consented_to &&
    sql`
    join consents c on c.environment_id = s.environment_id || '' and c.user_id = s.user_id and c.application_id = a.id
                   and c.scope = ${code.consented_to.join(' ')} and c.ending = ${presentConsents(sql`s`)}`
  const place = {
    environment_id,
    user_id: session.user_id,
    session_id: session.id,
    application_id: code.client_id,
    is_offline: offline(code.scope),
  }
  const limit = limitOf(place, code.grants_per_person)
  const store = ({ hold, grant_count, only_if, replace }: Replacement) => [
    ...hold,
    guard(sql`update sessions set last_seen_at = ${now}, expires_at = ${code.session_expires_at}, grant_count = ${grant_count}
         where environment_id = ${environment_id} and id = ${session.id} and auth_time = ${session.auth_time}
           and ended_at is null and expires_at > ${now} ${only_if}`),
    guard(sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
                                  began_with, ending, began_ending, application_ending, disconnection, created_at, expires_at, visit_at, code_hash)
      select s.environment_id, ${grant_id}, s.user_id, a.id, s.id, ${code.scope}, ${code.resource}, ${place.is_offline},
             s.auth_time, s.amr, s.acr, s.began_with, s.ending, s.began_ending, a.ending,
             ${numberOfDisconnection(sql`s.environment_id`, sql`s.user_id`, sql`a.id`)}, ${now}, ${code.expires_at},
             ${visitAfter(code.expires_at)}, ${code.code_hash}
        from sessions s
        join applications a on a.environment_id = s.environment_id || '' and a.id = ${code.client_id} and a.disabled = 0
        ${consent ?? sql``}
       where s.environment_id = ${environment_id} and s.id = ${session.id} and ${sessionStands(sql`s`)}`),
    sql`insert into authorization_codes (environment_id, code_hash, grant_id, client_id, redirect_uri, scope, nonce, code_challenge, expires_at)
        values (${environment_id}, ${code.code_hash}, ${grant_id}, ${code.client_id}, ${code.redirect_uri}, ${code.scope},
                ${code.nonce}, ${code.code_challenge}, ${code.expires_at})`,
    ...replace,
  ]
  const count = place.is_offline ? session.offline_count : session.grant_count
  if (count !== null && count < limit) {
    if (await db.batch(store(replacingNone(place, limit)))) return true
  } else {
    const { replaced, found } = await findReplaced(db, place, { limit, added: 1, most: most_others }, now)
    const is_counted = count !== null && found >= limit / 2
    if (is_counted && (await db.batch(store(replacingThese(place, count, replaced, now))))) return true
  }
  const ended = await findEnded(db, place, limit)
  return (await db.batch(store(replacingOne(place, limit, { except: grant_id, ended }, now)))) !== null
}

/** A code that expired without use can be looked at for so long, by a developer who tries it too late. */
export const unused_kept_ms = 600_000

/** When the worker visits a grant whose code or tokens expire then. */
const visitAfter = (expires_at: Date): Date => new Date(expires_at.getTime() + unused_kept_ms)

const offline = (scope: string) => scope.split(' ').includes('offline_access')

export function findCode(db: Db, environment_id: EnvironmentId, code_hash: string): Promise<AuthorizationCodeRow | null> {
  return db.maybeOne(
    AuthorizationCodeRow,
    sql`select ${grantColumns}, c.code_hash, c.redirect_uri, c.nonce, c.code_challenge, c.expires_at, c.spent_by
          from authorization_codes c
          join grants g on g.environment_id = c.environment_id || '' and g.id = c.grant_id
          join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id
         where c.environment_id = ${environment_id} and c.code_hash = ${code_hash}`,
  )
}

/** The tokens that a token request stores: a refresh token where offline_access was granted, an access token where it is opaque. */
/** One attempt to spend a code or token, and the tokens that it gives. */
interface Spending {
  attempt: string
  tokens: NewTokens
}

export interface NewTokens {
  refresh: { token_hash: string; expires_at: Date } | null
  opaque: { token_hash: string; claims: Record<string, unknown>; expires_at: Date } | null
  /** The time after which no token of the grant can be valid, whether it is stored or not. */
  last_expires_at: Date
}

/**
 * Spends a code and stores its tokens in one batch, which has happened when the returned function resolves. Of any number of parallel
 * attempts exactly one gets `true`; the others must treat the code as replayed (RFC 6749 §4.1.2). A crash leaves the code unspent.
 * @param attempt the id of the request that spends the code
 */
export function redeemCode(
  db: Db,
  environment_id: EnvironmentId,
  code: AuthorizationCodeRow,
  { attempt, tokens }: Spending,
): () => Promise<boolean> {
  const written = db.batchLater([
    guard(sql`update authorization_codes set spent_by = ${attempt}
         where environment_id = ${environment_id} and code_hash = ${code.code_hash} and spent_by is null
           and ${thisGrantStands(environment_id, code.grant_id)}`),
    ...insertTokens(environment_id, code, tokens),
  ])
  return async () => (await written()) !== null
}

export function findRefreshToken(db: Db, environment_id: EnvironmentId, token_hash: string): Promise<RefreshRow | null> {
  return db.maybeOne(
    RefreshRow,
    sql`select ${grantColumns}, r.token_hash, r.expires_at, r.spent_at
          from refresh_tokens r
          join grants g on g.environment_id = r.environment_id || '' and g.id = r.grant_id
          join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id
         where r.environment_id = ${environment_id} and r.token_hash = ${token_hash}`,
  )
}

/** Replaces a refresh token by its successor in one batch, as `redeemCode` does: of parallel attempts exactly one gets `true`. */
export function rotateRefreshToken(
  db: Db,
  environment_id: EnvironmentId,
  token: RefreshRow,
  { attempt, tokens, now }: Spending & { now: Date },
): () => Promise<boolean> {
  const written = db.batchLater([
    guard(sql`update refresh_tokens set spent_by = ${attempt}, spent_at = ${now}
         where environment_id = ${environment_id} and token_hash = ${token.token_hash} and spent_by is null
           and ${thisGrantStands(environment_id, token.grant_id)}`),
    ...insertTokens(environment_id, token, tokens),
  ])
  return async () => (await written()) !== null
}

/** Stores the access token for the retry of a rotation that already happened. */
export async function storeRepeated(
  db: Db,
  environment_id: EnvironmentId,
  grant: GrantRow,
  { opaque, last_expires_at }: NewTokens,
): Promise<void> {
  const statements = keepGrant(environment_id, grant, last_expires_at)
  if (opaque)
    statements.push(sql`insert into opaque_access_tokens (environment_id, token_hash, claims, expires_at)
      select environment_id, ${opaque.token_hash}, ${opaque.claims}, ${opaque.expires_at} from grants
       where environment_id = ${environment_id} and id = ${grant.grant_id} and ${thisGrantStands(environment_id, grant.grant_id)}`)
  if (statements.length > 0) await db.batch(statements)
}

const thisGrantStands = (environment_id: EnvironmentId, grant_id: GrantId): Statement => sql`exists (
  select 1 from grants g where g.environment_id = ${environment_id} and g.id = ${grant_id} and ${grantStands(sql`g`)})`

/** For a batch whose guard spends a code or refresh token. */
function insertTokens(environment_id: EnvironmentId, grant: GrantRow, { refresh, opaque, last_expires_at }: NewTokens): Statement[] {
  const statements = keepGrant(environment_id, grant, last_expires_at)
  if (refresh)
    statements.push(sql`insert into refresh_tokens (environment_id, token_hash, grant_id, expires_at)
      values (${environment_id}, ${refresh.token_hash}, ${grant.grant_id}, ${refresh.expires_at})`)
  if (opaque)
    statements.push(sql`insert into opaque_access_tokens (environment_id, token_hash, claims, expires_at)
      values (${environment_id}, ${opaque.token_hash}, ${opaque.claims}, ${opaque.expires_at})`)
  return statements
}

/**
 * Keeps a grant until the end of its last token: its first tokens, and later ones where a lifetime was raised in the settings or at a
 * resource server.
 */
function keepGrant(environment_id: EnvironmentId, { grant_id, grant_expires_at }: GrantRow, until: Date): Statement[] {
  if (grant_expires_at >= until) return []
  return [
    sql`update grants set expires_at = ${until} where environment_id = ${environment_id} and id = ${grant_id} and expires_at < ${until}`,
  ]
}

/** The grant of an access token; `null` where the grant does not stand or the token was revoked. */
export async function findLiveGrant(db: Db, environment_id: EnvironmentId, grant_id: string, jti: string): Promise<GrantRow | null> {
  const grant = await db.maybeOne(
    GrantRow,
    sql`select ${grantColumns}
          from grants g
          join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id
         where g.environment_id = ${environment_id} and g.id = ${grant_id}
           and not exists (select 1 from revoked_access_tokens r where r.environment_id = g.environment_id and r.jti = ${jti})`,
  )
  return grant?.has_ended === false ? grant : null
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
  return db.maybeOne(
    GrantState,
    sql`select u.id as user_id, u.blocked_at, case when ${grantStands(sql`g`)} then 0 else 1 end as has_ended,
               case when s.id is null or ${sessionStands(sql`s`)} then 0 else 1 end as session_has_ended,
               case when exists (select 1 from revoked_access_tokens r where r.environment_id = g.environment_id and r.jti = ${jti})
                    then 1 else 0 end as is_revoked
          from grants g
          left join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id
          left join sessions s on s.environment_id = g.environment_id || '' and s.id = g.session_id
         where g.environment_id = ${environment_id} and g.id = ${grant_id}`,
  )
}

const OpaqueRow = z.object({ claims: z.record(z.string(), z.unknown()) })

export async function findOpaqueToken(db: Db, environment_id: EnvironmentId, token_hash: string): Promise<Record<string, unknown> | null> {
  const row = await db.maybeOne(
    OpaqueRow,
    sql`select claims from opaque_access_tokens where environment_id = ${environment_id} and token_hash = ${token_hash}`,
  )
  return row?.claims ?? null
}

const Id = z.object({ id: z.string() })

/** Reports whether another environment of the same project issued an opaque token. */
export async function isOpaqueTokenOfSibling(
  db: Db,
  { tenant_id, project_id, environment_id }: { tenant_id: string; project_id: string; environment_id: string },
  token_hash: string,
): Promise<boolean> {
  const row = await db.maybeOne(
    Id,
    sql`select e.id from environments e join opaque_access_tokens t on t.environment_id = e.id and t.token_hash = ${token_hash}
         where e.tenant_id = ${tenant_id} and e.project_id = ${project_id} and e.id <> ${environment_id}`,
  )
  return row !== null
}

/** Ends a grant with all its tokens. As a guard it fails where the grant does not stand. */
export function endGrant(environment_id: EnvironmentId, grant_id: string, by: string, now: Date): Statement {
  return sql`update grants set ended_at = ${now}, ended_by = ${by}
    where environment_id = ${environment_id} and id = ${grant_id} and ${grantStands(sql`grants`)}`
}

export function revokeAccessToken(environment_id: EnvironmentId, jti: string, expires_at: Date): Statement {
  return sql`insert into revoked_access_tokens (environment_id, jti, expires_at) values (${environment_id}, ${jti}, ${expires_at})
    on conflict (environment_id, jti) do nothing`
}

/** Lists the grants of a user that stand, as the management API shows them. `rest` is the end of the query. */
export function listGrants(db: Db, { environment_id, id }: UserRef, now: Date, rest: Statement): Promise<Grant[]> {
  const columns = sql`id, application_id, session_id, scope, resource, created_at, expires_at, last_used_at`
  const valid = sql`and expires_at > ${now} ${rest}`
  return db.all(Grant, sql`select * from (${standingGrantsOf(environment_id, id, columns, valid)}) listed where 1 = 1 ${rest}`)
}
