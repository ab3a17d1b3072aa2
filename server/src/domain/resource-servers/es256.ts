/** Which resource servers ask for ES256, and what that means for its keys: statements for the batch that changes one. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { ResourceServerFields } from '@ostiary/contract/objects/resource-server.ts'
import { z } from 'zod'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { longest_token_ms } from '../../protocol/key-states.ts'

/** A condition: a resource server of the environment asks for ES256. */
export const asksForEs256 = (environment_id: EnvironmentId) =>
  sql`exists (select 1 from resource_servers where environment_id = ${environment_id} and access_token_signing_alg = 'ES256')`

const Asked = z.object({ since: z.date().nullable() })

/** The choice of ES256 by the first resource server that asks for it now, or a later change of it; `null` where none does. */
export async function findAskedSince(db: Db, environment_id: EnvironmentId): Promise<Date | null> {
  const [asked] = await db.of(environment_id).all(
    Asked,
    sql`select min(updated_at) as since from resource_servers
         where environment_id = ${environment_id} and access_token_signing_alg = 'ES256'`,
  )
  return asked?.since ?? null
}

type Asking = Pick<ResourceServerFields, 'access_token_signing_alg'>

/**
 * The consequences of a change of a resource server for the keys: the last one that asked for ES256 ends them, and one that asks while they are still
 * published uses them again, so that changes to and fro make no further keys. Follows the statements of the change, whose batch raises the
 * version of the environment: its row orders such changes, and every process reads the keys again.
 * @param before `null` for a new resource server
 * @param after `null` for a deleted one
 */
export function keysAfter(environment_id: EnvironmentId, before: Asking | null, after: Asking | null, now: Date): Statement[] {
  const [asked, asks] = [before, after].map((server) => server?.access_token_signing_alg === 'ES256')
  if (asked === asks) return []
  const still_published = new Date(now.getTime() - longest_token_ms)
  return [
    asks
      ? sql`update es256_keys set unused_from = null where environment_id = ${environment_id} and unused_from > ${still_published}`
      : sql`update es256_keys set unused_from = ${now}
             where environment_id = ${environment_id} and unused_from is null and not ${asksForEs256(environment_id)}`,
  ]
}
