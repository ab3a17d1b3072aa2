/** Counts the people whom a plan would leave without a way in. */
import { most_counted } from '@ostiary/contract/activity.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, join, list, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'

/** The ways in of an environment: which methods are on, and which providers. */
export interface Ways {
  readonly password: boolean
  readonly email_code: boolean
  readonly passkey: boolean
  readonly provider_ids: readonly string[]
}

/** The count is a warning: of very many people it looks at the newest. */
const most_read = 20_000

const Count = z.object({ count: z.int() })

/** Of the newest people, at most 1,000 who have one of the ways before and none of those after. */
export async function countWithoutWay(db: Db, environment_id: EnvironmentId, before: Ways, after: Ways): Promise<number> {
  if (after.email_code) return 0 // everybody has an address
  const row = await db.of(environment_id).maybeOne(
    Count,
    sql`select count(*) as count from (
          select 1 as one from (
            select u.environment_id, u.id, u.password_hash from users u where u.environment_id = ${environment_id} order by u.id desc limit ${most_read}) u
           where ${hasWay(environment_id, before)} and not ${hasWay(environment_id, after)}
           limit ${most_counted}) counted`,
  )
  return row?.count ?? 0
}

function hasWay(environment_id: EnvironmentId, { password, email_code, passkey, provider_ids }: Ways): Statement {
  const ways = [
    ...(email_code ? [sql`1 = 1`] : []),
    ...(password ? [sql`u.password_hash is not null`] : []),
    ...(passkey ? [sql`exists (select 1 from passkeys k where k.user_id = u.id and ${inEnvironment(environment_id, 'k')})`] : []),
    ...(provider_ids.length > 0
      ? [
          sql`exists (select 1 from identities i where i.user_id = u.id and ${inEnvironment(environment_id, 'i')}
                and i.provider_id in (${list(provider_ids)}))`,
        ]
      : []),
  ]
  return ways.length === 0 ? sql`(1 = 0)` : sql`(${join(ways, ' or ')})`
}
