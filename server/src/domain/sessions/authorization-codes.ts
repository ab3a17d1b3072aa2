/** Authorization codes: stored with their new grant, and spent once. */
import type { EnvironmentId, GrantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import type { Chain } from '../../protocol/token-place.ts'
import { most_others } from './bounds.ts'
import { consentIs } from './consents.ts'
import { findEnded, isRecounted, limitOf, type Replacement, replacingNone, replacingOne, replacingThese } from './grant-bounds.ts'
import { findReplaced } from './grant-search.ts'
import { GrantRow, grantColumns, insertTokens, joinPerson, type NewTokens, thisGrantStands } from './grants.ts'
import { type MembershipRef, useMembership } from './membership.ts'
import { insertChain } from './refresh-chains.ts'
import type { SessionRow } from './sessions.ts'
import { joinClient, numberOfDisconnection, sessionStands } from './standing.ts'

const AuthorizationCodeRow = GrantRow.extend({
  code_hash: z.string(),
  redirect_uri: z.string(),
  nonce: z.string().nullable(),
  code_challenge: z.string().nullable(),
  expires_at: z.date(),
  spent_by: z.string().nullable(),
})
export type AuthorizationCodeRow = z.infer<typeof AuthorizationCodeRow>

export interface NewCode {
  code_hash: string
  /** The id of its new grant. */
  grant_id: GrantId
  client_id: string
  /** The consent that the code depends on; `null` where it needs none. */
  consented_to: readonly string[] | null
  /** The membership for which the grant is; `null`: the person acts for no organization. */
  organization: MembershipRef | null
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
 * session ended or was renewed, the user was blocked, the application was disabled, the membership ended, or the consent changed. Ends the
 * grants beyond the bounds. A grant expires with its code until the code is redeemed.
 */
export async function storeCode(db: Db, { environment_id, ...session }: SessionOfCode, code: NewCode, now: Date): Promise<boolean> {
  // A batch that ends this session alone also writes its row: it runs either before, so that this guard fails, or after, so that it ends
  // the grant. Every other ending raises a number. The statement that stores the grant reads all of them at once, and the consent, so a
  // grant that is stored beside an ending has the numbers from before it, and is never valid (decision 0065).
  // Removing a member deletes the row that this batch writes last: it runs either before, so that the guard of that row fails, or after.
  const { grant_id, organization } = code
  const [join, used] = organization
    ? [
        sql`join organization_members m on ${sameEnvironment('m', 's', environment_id)} and m.organization_id = ${organization.organization_id}
                   and m.user_id = s.user_id and m.membership = ${organization.membership}
        join organizations o on ${sameEnvironment('o', 'm', environment_id)} and o.id = m.organization_id and o.disabled = 0`,
        useMembership({ environment_id, user_id: session.user_id }, organization, now),
      ]
    : [sql``, null]
  const consent = code.consented_to && consentIs({ environment_id, organization }, code.consented_to)
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
                                  began_with, ending, began_ending, application_ending, organization_id, membership, organization_ending,
                                  disconnection, created_at, used_since, expires_at, lasts_until, visit_at, code_hash)
      select s.environment_id, ${grant_id}, s.user_id, a.id, s.id, ${code.scope}, ${code.resource}, ${place.is_offline},
             s.auth_time, s.amr, s.acr, s.began_with, s.ending, s.began_ending, a.ending,
             ${organization ? sql`m.organization_id, m.membership, o.ending` : sql`null, cast(null as integer), cast(null as integer)`},
             ${numberOfDisconnection(environment_id, sql`s.user_id`, sql`a.id`, organization ? sql`m.organization_id` : sql`cast(null as text)`)}, ${now}, ${now}, ${code.expires_at},
             ${code.expires_at}, ${visitAfter(code.expires_at)}, ${code.code_hash}
        from sessions s
        ${joinClient(environment_id, code.client_id)}
        ${join}
        ${consent ?? sql``}
       where s.environment_id = ${environment_id} and s.id = ${session.id} and ${sessionStands(environment_id, sql`s`)}`),
    insertInto('authorization_codes', {
      environment_id,
      code_hash: code.code_hash,
      grant_id,
      client_id: code.client_id,
      redirect_uri: code.redirect_uri,
      scope: code.scope,
      nonce: code.nonce,
      code_challenge: code.code_challenge,
      expires_at: code.expires_at,
    }),
    ...replace,
    ...(used ? [used] : []),
  ]
  const count = place.is_offline ? session.offline_count : session.grant_count
  if (count < limit) {
    if (await db.of(environment_id).batch(store(replacingNone(place, limit)))) return true
  } else {
    const giving_way = await findReplaced(db, place, { limit, added: 1, most: most_others }, now)
    const is_recounted = isRecounted(count, giving_way.found, limit)
    if (!is_recounted && (await db.of(environment_id).batch(store(replacingThese(place, count, giving_way, now))))) return true
  }
  const ended = await findEnded(db, place, limit)
  return (await db.of(environment_id).batch(store(replacingOne(place, limit, { except: grant_id, ended }, now)))) !== null
}

/** A code that expired without use can be looked at for so long, by a developer who tries it too late. */
export const unused_kept_ms = 600_000

/** When the worker visits a grant whose code or tokens expire then. */
const visitAfter = (expires_at: Date): Date => new Date(expires_at.getTime() + unused_kept_ms)

const offline = (scope: string) => scope.split(' ').includes('offline_access')

export function findCode(db: Db, environment_id: EnvironmentId, code_hash: string): Promise<AuthorizationCodeRow | null> {
  return db.of(environment_id).maybeOne(
    AuthorizationCodeRow,
    sql`select ${grantColumns(environment_id)}, c.code_hash, c.redirect_uri, c.nonce, c.code_challenge, c.expires_at, c.spent_by
          from authorization_codes c
          join grants g on ${sameEnvironment('g', 'c', environment_id)} and g.id = c.grant_id
          ${joinPerson(environment_id)}
         where c.environment_id = ${environment_id} and c.code_hash = ${code_hash}`,
  )
}

/**
 * Spends a code and stores its tokens in one batch, which has happened when the returned function resolves. Of any number of parallel
 * attempts exactly one gets `true`; the others must treat the code as replayed (RFC 6749 §4.1.2). A crash leaves the code unspent.
 * @param attempt the id of the request that spends the code
 * @param chain the chain that the first refresh token begins, where there is one
 */
export function redeemCode(
  db: Db,
  environment_id: EnvironmentId,
  code: AuthorizationCodeRow,
  { attempt, chain, tokens }: { attempt: string; chain: Chain | null; tokens: NewTokens },
): () => Promise<boolean> {
  const written = db.of(environment_id).batchLater([
    guard(sql`update authorization_codes set spent_by = ${attempt}
         where environment_id = ${environment_id} and code_hash = ${code.code_hash} and spent_by is null
           and ${thisGrantStands(environment_id, code.grant_id)}`),
    ...insertTokens(environment_id, code, tokens),
    ...(chain ? [insertChain(environment_id, code.grant_id, chain)] : []),
  ])
  return async () => (await written()) !== null
}
