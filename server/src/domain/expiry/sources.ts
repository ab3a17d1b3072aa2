/** The objects that end at a time that a person or a backend has set: client secrets, keys, and secrets of providers. */
import type { ExpiringKind } from '@ostiary/contract/expiry.ts'
import { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { first_warning_ms, type Stage } from './stages.ts'

const Row = z.object({
  /** `null`: of a tenant. */
  environment_id: EnvironmentId.nullable(),
  tenant_id: TenantId,
  id: z.string(),
  application_id: z.string().nullable(),
  name: z.string(),
  expires_at: z.date(),
})

/** Something that ends. */
export interface Expiring extends z.infer<typeof Row> {
  kind: ExpiringKind
}

interface Source {
  /** From `from` to the condition, where `x` is the table that has the time. */
  readonly from: Statement
  readonly time: Statement
  readonly name: Statement
  readonly id?: Statement
  readonly environment_id?: Statement
  readonly tenant_id?: Statement
  readonly application_id?: Statement
}

const of_keys = sql`coalesce(x.label, x.start || '…' || x.last4)`

const sources: Readonly<Record<ExpiringKind, Source>> = {
  client_secret: {
    from: sql`application_secrets x join environments e on e.id = x.environment_id
      join applications a on a.environment_id = x.environment_id and a.id = x.application_id where 1 = 1`,
    time: sql`x.expires_at`,
    name: sql`a.name`,
    application_id: sql`x.application_id`,
  },
  auth_key: {
    from: sql`api_keys x join environments e on e.id = x.environment_id where x.revoked_at is null`,
    time: sql`x.expires_at`,
    name: of_keys,
  },
  platform_key: {
    from: sql`api_keys x where x.environment_id is null and x.revoked_at is null`,
    time: sql`x.expires_at`,
    name: of_keys,
    environment_id: sql`null`,
    tenant_id: sql`x.tenant_id`,
  },
  provider_secret: {
    from: sql`providers x join environments e on e.id = x.environment_id where 1 = 1`,
    time: sql`x.secret_expires_at`,
    name: sql`x.display_name`,
  },
  // Of the deployment: who operates it renews the certificate.
  certificate: {
    from: sql`issuer_certificates x join environments e on e.id = x.environment_id where 1 = 1`,
    time: sql`x.expires_at`,
    name: sql`e.issuer`,
    id: sql`x.environment_id`,
    environment_id: sql`null`,
  },
}

/** The place in the walk over what ends: the next row is after it. */
export interface Walked {
  expires_at: Date
  id: string
}

/** Reads what ends within 30 days, in the order of the times. */
export async function readExpiring(
  db: Db,
  kind: ExpiringKind,
  { after, limit }: { after: Walked | null; limit: number },
  now: Date,
): Promise<Expiring[]> {
  const {
    from,
    time,
    name,
    id = sql`x.id`,
    environment_id = sql`e.id`,
    tenant_id = sql`e.tenant_id`,
    application_id = sql`null`,
  } = sources[kind]
  const from_time = after?.expires_at ?? now
  const rows = await db.many.all(
    Row,
    sql`select ${environment_id} as environment_id, ${tenant_id} as tenant_id, ${id} as id, ${application_id} as application_id, ${name} as name,
               ${time} as expires_at
          from ${from} and ${time} is not null and ${time} >= ${from_time} and ${time} <= ${new Date(now.getTime() + first_warning_ms)}
           and (${time} > ${from_time} or ${id} > ${after?.id ?? ''})
         order by ${time}, ${id} limit ${limit}`,
  )
  return rows.map((row) => ({ ...row, kind }))
}

/** Counting reads an index entry for each. */
const most_counted = 10_000

const Counted = z.object({ count: z.int() })

/** Counts what ends within the days of a stage. */
export async function countExpiring(db: Db, kind: ExpiringKind, days: Stage, now: Date): Promise<number> {
  const { from, time } = sources[kind]
  const until = new Date(now.getTime() + days * 86_400_000)
  const row = await db.many.maybeOne(
    Counted,
    sql`select count(*) as count from (
          select 1 as one from ${from} and ${time} is not null and ${time} > ${now} and ${time} <= ${until} limit ${most_counted}) counted`,
  )
  return row?.count ?? 0
}

const First = Row.pick({ id: true, application_id: true, name: true, expires_at: true })
const kinds_of_environment = ['client_secret', 'auth_key', 'provider_secret'] as const

/** The first that ends within 30 days of what an environment has; `null` where nothing does. */
export async function findFirstEnd(db: Db, environment: EnvironmentId, now: Date) {
  const until = new Date(now.getTime() + first_warning_ms)
  const found = await Promise.all(
    kinds_of_environment.map(async (kind) => {
      const { from, time, name, application_id = sql`null` } = sources[kind]
      const beside = kind === 'client_secret' ? sql`and a.environment_id = ${environment}` : sql``
      const handle = kind === 'auth_key' ? db.many : db.of(environment)
      const row = await handle.maybeOne(
        First,
        sql`select x.id, ${application_id} as application_id, ${name} as name, ${time} as expires_at
              from ${from} and x.environment_id = ${environment} ${beside} and ${time} > ${now} and ${time} <= ${until} order by ${time}, x.id limit 1`,
      )
      return row ? [{ ...row, kind }] : []
    }),
  )
  return found.flat().toSorted((one, other) => one.expires_at.getTime() - other.expires_at.getTime())[0] ?? null
}
