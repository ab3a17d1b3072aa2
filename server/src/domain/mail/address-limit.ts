/**
 * Limits the mails to one address in a day (UTC), over all tenants of the deployment (decision 0064). A tenant in which the address has a
 * proven account, and the root tenant, count for themselves, and there the share of known browsers never counts. All other tenants
 * together have one count, and the first three mails of each always go. An address counts without its plus part.
 *
 * The batch that adds the mail decides. It writes the row of all other tenants before the row of its own tenant, after the rows of
 * limits, codes and users, and before the audit log; no batch counts two mails. So two batches that wait for each other do not deadlock.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { MailKind } from '@ostiary/contract/mail.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { constant, guard, requires, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'

/** Of each tenant in which the address has no proven account. */
const always_sent = 3

type LimitDeployment = Pick<Deployment, 'db' | 'secrets' | 'config'>

export interface AddressedMail {
  to: string
  /** A known browser asked, which signed in to the account before. */
  is_known?: boolean
  /** The same work, but nothing is sent, so nothing counts. */
  is_decoy?: boolean
}

/** The mails that strangers, administrators and backends can cause repeatedly. Notices of a change are always sent. */
const counted_kinds: readonly MailKind[] = [
  'sign_in_code',
  'verify_email',
  'existing_account',
  'sign_up_refused',
  'reset_password',
  'change_email',
  'invitation',
  'organization_invitation',
  'organization_invitation_code',
  'test',
]

export const countsForAddress = (kind: MailKind): boolean => counted_kinds.includes(kind)

const Sending = z.object({ tenant_id: z.string(), root: z.record(z.string(), z.string()).nullable() })
const Proven = z.object({ is_proven: z.boolean() })

interface Counter {
  address: string
  day: number
  tenant_id: string
  /** The tenant counts for itself. */
  is_own: boolean
}

/** `null` for a mail that does not count. */
async function counterOf(
  { db, secrets }: LimitDeployment,
  environment_id: EnvironmentId,
  { to, is_known = false }: AddressedMail,
  now: Date,
): Promise<Counter | null> {
  const of_tenant = sql`o.tenant_id = (select e.tenant_id from environments e where e.id = ${environment_id})`
  const [sending, proven] = await Promise.all([
    db
      .of(environment_id)
      .maybeOne(
        Sending,
        atCoordinator`select e.tenant_id, (select value from deployment where name = 'root') as root from environments e where e.id = ${environment_id}`,
      ),
    // A look-up of its own: the users of a tenant may live on several nodes (`placement.ts`).
    db
      .of(environment_id)
      .maybeOne(
        Proven,
        sql`select 1 as is_proven from users u join environments o on o.id = u.environment_id
           where u.email_key = ${emailKey(to)} and u.email_verified = 1 and ${of_tenant} limit 1`,
      ),
  ])
  if (!sending || (is_known && proven)) return null
  const { tenant_id } = sending
  const is_own = proven !== null || sending.root?.tenant_id === tenant_id
  const address = secrets.mac('mails to an address', withoutPlusPart(emailKey(to))).toString('base64url')
  return { address, day: Math.floor(now.getTime() / day_ms), tenant_id, is_own }
}

/** Mail servers deliver `a+x@b` to `a@b`. */
function withoutPlusPart(key: string): string {
  const at = key.lastIndexOf('@')
  const plus = key.indexOf('+')
  return plus > 0 && plus < at ? key.slice(0, plus) + key.slice(at) : key
}

/** Counts one mail, in the batch that adds it. A guard: fails where the limit is reached. */
export async function countMail(
  deployment: LimitDeployment,
  environment_id: EnvironmentId,
  mail: AddressedMail,
  now: Date,
): Promise<Statement[]> {
  const counter = await counterOf(deployment, environment_id, mail, now)
  if (!counter) return []
  const { address, day, tenant_id, is_own } = counter
  const limit = deployment.config.limits.mails_per_address
  const added = mail.is_decoy ? 0 : 1
  const until = new Date((day + 2) * day_ms)
  const row = (
    tenant: string,
    first: number,
    condition: Statement,
  ) => atCoordinator`insert into address_mails (address, day, tenant_id, mails, expires_at)
    select ${address}, ${day}, ${tenant}, ${first}, ${until} where ${condition}
    on conflict (address, day, tenant_id) do update set mails = address_mails.mails + excluded.mails`
  const always = sql`1 = 1`
  if (is_own) {
    const has_any = limit > 0 ? always : sql`1 = 0`
    return [guard(sql`${row(tenant_id, added, has_any)} where address_mails.mails < ${constant(limit)}`)]
  }
  const mailsOf = (tenant: string) =>
    atCoordinator`coalesce((select mails from address_mails where address = ${address} and day = ${day} and tenant_id = ${tenant}), 0)`
  return [
    row('', 0, always), // every such batch writes this row first, so the counts stay what the guard reads
    requires(sql`${mailsOf(tenant_id)} < ${always_sent} or ${mailsOf('')} < ${limit}`),
    row(tenant_id, added, always),
    atCoordinator`update address_mails set mails = mails + ${added} where address = ${address} and day = ${day} and tenant_id = ''`,
  ]
}

const Count = z.object({ tenant_id: z.string(), mails: z.int() })

/**
 * After a batch failed: returns in how many seconds the limit lets the next mail go, or `null` where it does not refuse it. A refused mail
 * counts in the statistics of its environment.
 */
export async function waitOfAddress(
  deployment: LimitDeployment & Pick<Deployment, 'counters'>,
  environment_id: EnvironmentId,
  mail: AddressedMail,
  now: Date,
): Promise<number | null> {
  const counter = await counterOf(deployment, environment_id, mail, now)
  if (!counter) return null
  const { address, day, tenant_id, is_own } = counter
  const rows = await deployment.db.all(
    Count,
    sql`select tenant_id, mails from address_mails where address = ${address} and day = ${day} and tenant_id in ('', ${tenant_id})`,
  )
  const mailsOf = (tenant: string) => rows.find((row) => row.tenant_id === tenant)?.mails ?? 0
  const limit = deployment.config.limits.mails_per_address
  const is_over = is_own ? mailsOf(tenant_id) >= limit : mailsOf(tenant_id) >= always_sent && mailsOf('') >= limit
  if (!is_over) return null
  if (!mail.is_decoy) deployment.counters.count(environment_id, 'mail', 'limited')
  return Math.max(1, Math.ceil(((day + 1) * day_ms - now.getTime()) / 1000))
}

/** The detail of a 429 for a mail that the limit refuses. */
export const too_many_mails = 'This address got too many mails today (mails_per_address). Nothing was sent.'
