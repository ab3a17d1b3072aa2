/** What uses an object that a promotion created, so that a revert would take it away from people. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, sql } from '../db/db.ts'

const One = z.object({ id: z.string() })

export async function hasGrants(db: Db, environment_id: EnvironmentId, application_id: string): Promise<boolean> {
  const found = await db.maybeOne(
    One,
    // The condition is that of the index of an application's open grants. The environment is not looked up in another index.
    sql`select g.id from grants g
         where g.application_id = ${application_id} and g.environment_id || '' = ${environment_id} and coalesce(g.ended_at, 0) = 0 limit 1`,
  )
  return found !== null
}

export async function hasIdentities(db: Db, environment_id: EnvironmentId, provider_id: string): Promise<boolean> {
  const found = await db.maybeOne(
    One,
    sql`select id from identities where environment_id = ${environment_id} and provider_id = ${provider_id} limit 1`,
  )
  return found !== null
}
