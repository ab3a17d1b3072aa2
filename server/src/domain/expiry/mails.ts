/**
 * One mail a day to the owners and admins of a tenant, with all warnings since the one before, where the root environment has mail (decision 0189).
 * The row of the tenant says until when its warnings are mailed: of several processes one sends the mail of a day.
 */
import { expiringKinds } from '@ostiary/contract/expiry.ts'
import { type EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { guard, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { mailStatements } from '../mail/send.ts'
import type { ExpiringThing } from '../mail/texts/notice.ts'

type Mailing = Pick<Deployment, 'db' | 'newId' | 'secrets' | 'config' | 'now'>

/** A warning is written at once, so one that is older than this is in the database, whichever process made it. */
const settled_ms = 10 * 60_000
/** A mail has the warnings of the last days. Older ones were mailed, or the root environment had no mail then. */
const reached_back_ms = 3 * day_ms
const tenants_at_once = 100
const most_things = 100
const most_recipients = 50

const Tenant = z.object({ tenant_id: TenantId })

/** Sends the mails of the day. */
export async function mailWarnings(services: Mailing, root_environment_id: EnvironmentId, isStopping: () => boolean): Promise<void> {
  const { db, now } = services
  const until = new Date(now().getTime() - settled_ms)
  for (let after = ''; !isStopping(); ) {
    const tenants = await db.many.all(
      Tenant,
      sql`select distinct tenant_id from expiry_warnings
           where warned_at > ${new Date(until.getTime() - reached_back_ms)} and warned_at <= ${until} and tenant_id > ${after}
           order by tenant_id limit ${tenants_at_once}`,
    )
    for (const { tenant_id } of tenants) await mailTenant(services, root_environment_id, tenant_id, until)
    after = tenants.at(-1)?.tenant_id ?? ''
    if (tenants.length < tenants_at_once) return
  }
}

const Mailed = z.object({ mailed_until: z.date() })
const Thing = z.object({
  kind: z.enum(expiringKinds),
  name: z.string(),
  expires_at: z.date(),
  environment_id: z.string(),
  environment_name: z.string(),
  project_name: z.string(),
})
const Recipient = z.object({ email: z.string(), user_id: z.string(), locale: z.string().nullable(), tenant_name: z.string() })

async function mailTenant(services: Mailing, root: EnvironmentId, tenant_id: TenantId, until: Date): Promise<void> {
  const { db, config, now } = services
  const mailed = await db
    .of(root)
    .maybeOne(Mailed, sql`select mailed_until from expiry_mails where environment_id = ${root} and tenant_id = ${tenant_id}`)
  if (mailed && mailed.mailed_until >= dayOf(until)) return
  const from = mailed?.mailed_until ?? new Date(until.getTime() - reached_back_ms)
  const rows = await db.many.all(
    Thing,
    sql`select w.kind, w.name, w.expires_at, w.environment_id, e.name as environment_name, p.name as project_name
          from expiry_warnings w join environments e on e.id = w.environment_id join projects p on p.id = e.project_id
         where w.tenant_id = ${tenant_id} and w.warned_at > ${from} and w.warned_at <= ${until}
         order by w.expires_at, w.object_id limit ${most_things + 1}`,
  )
  if (rows.length === 0) return
  const things = rows.slice(0, most_things).map(
    ({ environment_id, environment_name, project_name, ...thing }): ExpiringThing => ({
      ...thing,
      place: environment_id === root ? null : `${project_name}, ${environment_name}`,
    }),
  )
  const recipients = await db.of(root).all(
    Recipient,
    atCoordinator`select u.email, u.id as user_id, u.locale, t.name as tenant_name
          from members m join users u on u.environment_id = ${root} and u.id = m.user_id join tenants t on t.id = m.tenant_id
         where m.tenant_id = ${tenant_id} and m.role in ('owner', 'admin') and u.email <> '' and u.blocked_at is null
         order by m.role desc, u.id limit ${most_recipients}`,
  )
  const at = now()
  const mails: Statement[] = []
  for (const { email, user_id, locale, tenant_name } of recipients) {
    const notice = {
      kind: 'expiring',
      tenant_name,
      things,
      has_more: rows.length > most_things,
      link: `${config.base_url}/dashboard`,
    } as const
    mails.push(...(await mailStatements(services, root, { to: email, user_id, request_id: null, notice, locales: locale }, at)))
  }
  if (mails.length > 0) await db.of(root).batch([holdDay(root, tenant_id, until), ...mails])
}

/** The beginning of the day, in UTC. */
const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / day_ms) * day_ms)

/** Fails as a guard where the mail of the day was sent. */
const holdDay = (environment_id: EnvironmentId, tenant_id: TenantId, until: Date): Statement =>
  guard(
    insertInto(
      'expiry_mails',
      { environment_id, tenant_id, mailed_until: until },
      sql`on conflict (environment_id, tenant_id) do update set mailed_until = excluded.mailed_until
        where expiry_mails.mailed_until < ${dayOf(until)}`,
    ),
  )
