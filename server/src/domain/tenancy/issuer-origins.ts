/** Issuers with an origin of their own: which hosts a tenant can take, and who has taken them. */
import { EnvironmentId, type TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { CannotStart } from '../../base/cannot-start.ts'
import type { Config } from '../../base/config/config.ts'
import { coveringEntry } from '../../base/config/issuer-hosts.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

type Hosts = Pick<Config, 'base_url' | 'issuer_hosts'>

const Slug = z.object({ slug: z.string() })

/** Reports whether an environment of the tenant can have this issuer, as far as its host decides it. */
export async function mayTakeIssuer(db: Db, hosts: Hosts, tenant_id: TenantId, issuer: string): Promise<boolean> {
  const entry = coveringEntry(hosts, new URL(issuer).hostname)
  if (!entry) return false
  if (entry.tenant_slug === null) return !(await hasSecondTenant(db))
  const tenant = await db.maybeOne(Slug, sql`select slug from tenants where id = ${tenant_id}`)
  return tenant?.slug === entry.tenant_slug
}

/** Takes an issuer for good. Fails as a guard if any environment has it, or had it. */
export function takeIssuer(environment_id: string, issuer: string, now: Date): Statement {
  return guard(insertInto('issuer_origins', { issuer, environment_id, created_at: now }, sql`on conflict (issuer) do nothing`))
}

const Found = z.object({ environment_id: EnvironmentId })

export async function isIssuerTaken(db: Db, issuers: readonly string[]): Promise<boolean> {
  for (const issuer of issuers)
    if (await db.maybeOne(Found, sql`select environment_id from issuer_origins where issuer = ${issuer}`)) return true
  return false
}

/** The environment with this issuer, whatever its tenant: the address of a request names it. */
export async function findEnvironmentAt(db: Db, issuer: string): Promise<EnvironmentId | null> {
  const row = await db.maybeOne(
    Found,
    sql`select o.environment_id from issuer_origins o join environments e on e.id = o.environment_id where o.issuer = ${issuer}`,
  )
  return row?.environment_id ?? null
}

const Count = z.object({ count: z.int() })

/** Reports whether there are two tenants besides the root, which is the first of all. */
async function hasSecondTenant(db: Db): Promise<boolean> {
  const row = await db.maybeOne(Count, sql`select count(*) as count from tenants`)
  return (row?.count ?? 0) > 2
}

/** The entries that must name their tenant. */
export async function unboundEntries(db: Db, { issuer_hosts }: Pick<Config, 'issuer_hosts'>): Promise<string[]> {
  const unbound = issuer_hosts.filter(({ tenant_slug }) => tenant_slug === null).map(({ pattern }) => pattern)
  return unbound.length > 0 && (await hasSecondTenant(db)) ? unbound : []
}

export const unboundAdvice = (patterns: readonly string[]): string =>
  `OSTIARY_ISSUER_HOSTS: there are several tenants, so each host must name its own. Write ${patterns.map((pattern) => `${pattern}=tenant-slug`).join(',')}`

/** Checks what only the database shows of OSTIARY_ISSUER_HOSTS. */
export async function refuseUnboundHosts(db: Db, config: Pick<Config, 'issuer_hosts'>): Promise<void> {
  const unbound = await unboundEntries(db, config)
  if (unbound.length > 0) throw new CannotStart(`Ostiary cannot start with this configuration:\n  ${unboundAdvice(unbound)}`)
}
