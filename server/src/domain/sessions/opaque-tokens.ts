/** Opaque access tokens: stored with their claims. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, sql } from '../../db/db.ts'
import { type GrantRow, keepGrant, type NewTokens, thisGrantStands } from './grants.ts'

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
  if (statements.length > 0) await db.of(environment_id).batch(statements)
}

const OpaqueRow = z.object({ claims: z.record(z.string(), z.unknown()) })

export async function findOpaqueToken(db: Db, environment_id: EnvironmentId, token_hash: string): Promise<Record<string, unknown> | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(
      OpaqueRow,
      sql`select claims from opaque_access_tokens where environment_id = ${environment_id} and token_hash = ${token_hash}`,
    )
  return row?.claims ?? null
}

const Id = z.object({ id: z.string() })

/** Reports whether another environment of the same project issued an opaque token. */
export async function isOpaqueTokenOfSibling(
  db: Db,
  { tenant_id, project_id, environment_id }: { tenant_id: string; project_id: string; environment_id: EnvironmentId },
  token_hash: string,
): Promise<boolean> {
  const row = await db.of(environment_id).maybeOne(
    Id,
    sql`select e.id from environments e join opaque_access_tokens t on t.environment_id = e.id and t.token_hash = ${token_hash}
         where e.tenant_id = ${tenant_id} and e.project_id = ${project_id} and e.id <> ${environment_id}`,
  )
  return row !== null
}
