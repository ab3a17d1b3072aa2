/** The checks of `ostiary doctor` for issuers: their addresses, and the hosts that they can have. */
import { coveringEntry } from '@ostiary/server/base/config/issuer-hosts.ts'
import { sql } from '@ostiary/server/db/db.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { unboundAdvice, unboundEntries } from '@ostiary/server/domain/tenancy/issuer-origins.ts'
import { z } from 'zod'
import type { Finding } from './finding.ts'

const Count = z.object({ count: z.int() })
const Slug = z.object({ slug: z.string() })
const OwnIssuer = z.object({ issuer: z.string() })

export async function checkIssuers(deployment: Deployment): Promise<Finding[]> {
  return [await checkPaths(deployment), ...(await checkEntries(deployment)), ...(await checkOwnIssuers(deployment))]
}

/** The issuers below the base URL. */
async function checkPaths({ db, config }: Deployment): Promise<Finding> {
  const row = await db.maybeOne(
    Count,
    sql`select count(*) as count from environments e where issuer not like ${`${config.base_url}/%`}
         and not exists (select 1 from issuer_origins o where o.environment_id = e.id)`,
  )
  if (!row || row.count === 0) return { level: 'ok', text: 'Every issuer without a host of its own is under the public address.' }
  return {
    level: 'warning',
    text: `${row.count} issuers are not under ${config.base_url}. Issuers never change: route their addresses to this service, or restore OSTIARY_BASE_URL.`,
  }
}

async function checkEntries({ db, config }: Deployment): Promise<Finding[]> {
  const unbound = await unboundEntries(db, config)
  const tenants = new Set((await db.all(Slug, sql`select slug from tenants`)).map(({ slug }) => slug))
  const unknown = config.issuer_hosts.filter(({ tenant_slug }) => tenant_slug !== null && !tenants.has(tenant_slug))
  return [
    ...(unbound.length > 0 ? [{ level: 'problem', text: unboundAdvice(unbound) } as const] : []),
    ...unknown.map(
      ({ pattern, tenant_slug }): Finding => ({
        level: 'warning',
        text: `OSTIARY_ISSUER_HOSTS: ${pattern}=${tenant_slug} names a tenant that does not exist. Correct the slug, or create the tenant.`,
      }),
    ),
  ]
}

/** The most issuers that one finding names. */
const most_named = 20

async function checkOwnIssuers({ db, config }: Deployment): Promise<Finding[]> {
  const rows = await db.all(
    OwnIssuer,
    sql`select o.issuer from issuer_origins o join environments e on e.id = o.environment_id order by o.issuer`,
  )
  const uncovered = rows.map(({ issuer }) => issuer).filter((issuer) => !coveringEntry(config, new URL(issuer).hostname))
  if (rows.length === 0) return []
  if (uncovered.length === 0)
    return [{ level: 'ok', text: `The issuers with a host of their own (${rows.length}) are in OSTIARY_ISSUER_HOSTS.` }]
  const named = uncovered.slice(0, most_named).join(', ')
  return [
    {
      level: 'warning',
      text: `${uncovered.length} issuers have a host that OSTIARY_ISSUER_HOSTS no longer lists: ${named}. They are still answered there. List their hosts, so that no other address of the host is answered as the service.`,
    },
  ]
}
