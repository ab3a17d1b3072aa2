/**
 * Finds whom a refused call belongs to: the environment of its issuer, else that of its path where the caller's tenant owns it, else its
 * key's, else the tenant of the administrator. Runs for many calls together, after they are answered.
 */
import type { KeyId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Reason, reason } from '../../base/reason.ts'
import { type Db, list, sql } from '../../db/db.ts'

/** Describes the owner that a request claims. */
export interface Claim {
  /** The environment or tenant as far as the request has proved it: an owner that needs no look-up, or counts what is dropped. */
  readonly certain_scope: string | null
  /** The environment in the path of an issuer that no look-up has confirmed. */
  readonly issuer_id: string | null
  /** The environment in the path or header of a management call. */
  readonly environment_id: string | null
  /** The tenants of the caller: of the key, or those of the administrator. */
  readonly tenant_ids: readonly string[]
  readonly key: ClaimedKey | null
  /** The digest and the start of a well-formed key that was not looked up, or not found. */
  readonly sent_key: { readonly digest: string; readonly start: string } | null
}

export interface ClaimedKey {
  readonly key_id: string
  readonly start: string
  readonly tenant_id: string
  readonly environment_id: string | null
}

export interface Owner {
  scope_id: string
  key_id: string | null
  key_start: string | null
  /** A reason that the look-up found, in place of the one of the call. */
  reason: Reason | null
}

const Found = z.object({
  digest: z.string(),
  key_id: z.custom<KeyId>(),
  tenant_id: z.string(),
  environment_id: z.string().nullable(),
  is_rotated: z.boolean(),
})
const Environment = z.object({ id: z.string(), tenant_id: z.string() })

/** Returns the owner of each claim; `null` where the call belongs to nobody. */
export async function findOwners(db: Db, claims: readonly Claim[]): Promise<(Owner | null)[]> {
  const keys = await findKeys(db, new Set(claims.flatMap(({ sent_key }) => (sent_key ? [sent_key.digest] : []))))
  const tenants = await findTenants(db, new Set(claims.flatMap(toConfirm)))
  return claims.map((claim) => ownerOf(claim, claim.sent_key ? keys.get(claim.sent_key.digest) : undefined, tenants))
}

/** The environments in the path that are still to be looked up. */
function toConfirm({ certain_scope, issuer_id, environment_id }: Claim): string[] {
  const of_issuer = issuer_id === null || issuer_id === certain_scope ? [] : [issuer_id]
  return environment_id === null ? of_issuer : [...of_issuer, environment_id]
}

function ownerOf(claim: Claim, found: z.infer<typeof Found> | undefined, tenants: ReadonlyMap<string, string>): Owner | null {
  const key = claim.key ?? (found && claim.sent_key ? { ...found, start: claim.sent_key.start } : null)
  const tenant_ids = key ? [key.tenant_id] : claim.tenant_ids
  const { issuer_id, environment_id } = claim
  const is_confirmed = issuer_id !== null && (issuer_id === claim.certain_scope || tenants.has(issuer_id))
  const is_owned = environment_id !== null && tenant_ids.includes(tenants.get(environment_id) ?? '')
  const own = key?.environment_id ?? (tenant_ids.length === 1 ? tenant_ids[0] : undefined)
  const scope_id = is_confirmed ? issuer_id : is_owned ? environment_id : own
  if (scope_id === undefined) return null
  return {
    scope_id,
    key_id: key?.key_id ?? null,
    key_start: key?.start ?? null,
    reason: found?.is_rotated ? reason`The key ${found.key_id} was rotated, and the call has its text from before.` : null,
  }
}

async function findKeys(db: Db, digests: ReadonlySet<string>) {
  if (digests.size === 0) return new Map<string, z.infer<typeof Found>>()
  const listed = list([...digests])
  const rows = await db.all(
    Found,
    sql`select digest, id as key_id, tenant_id, environment_id, 0 as is_rotated from api_keys where digest in (${listed})
        union all
        select r.digest, k.id as key_id, k.tenant_id, k.environment_id, 1 as is_rotated
          from rotated_keys r join api_keys k on k.tenant_id = r.tenant_id and k.id = r.key_id
         where r.digest in (${listed})`,
  )
  return new Map(rows.map((row) => [row.digest, row]))
}

/** The tenant of each environment. */
async function findTenants(db: Db, environment_ids: ReadonlySet<string>): Promise<Map<string, string>> {
  if (environment_ids.size === 0) return new Map()
  const rows = await db.all(Environment, sql`select id, tenant_id from environments where id in (${list([...environment_ids])})`)
  return new Map(rows.map(({ id, tenant_id }) => [id, tenant_id]))
}
