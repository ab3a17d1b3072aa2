/** Reads once a day when the certificate of each issuer with a host of its own ends, by the rules of outgoing calls (decision 0189). */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { day_ms } from '../../base/durations.ts'
import { guard, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { OutboundFailed } from '../../deployment/outbound/fetch.ts'

type Reading = Pick<Deployment, 'db' | 'outbound' | 'now'>

const call_limit_ms = 3_000
/** Issuers of one turn, since a host that does not answer takes its time. The others, which then waited longer, follow in the next. */
const issuers_at_once = 20

const Due = z.object({ environment_id: EnvironmentId, issuer: z.string() })

export async function readCertificates({ db, outbound, now }: Reading, isStopping: () => boolean): Promise<void> {
  const due = await db.many.all(
    Due,
    sql`select o.environment_id, o.issuer from issuer_origins o join environments e on e.id = o.environment_id and e.issuer = o.issuer
          left join issuer_certificates c on c.environment_id = o.environment_id
         where o.issuer like 'https://%' and coalesce(c.read_at, 0) <= ${new Date(now().getTime() - day_ms)}
         order by coalesce(c.read_at, 0), o.issuer limit ${issuers_at_once}`,
  )
  for (const { environment_id, issuer } of due) {
    if (isStopping()) return
    // First the row, so that of several processes one makes the call.
    if ((await db.of(environment_id).batch([takeTurn(environment_id, now())])) === null) continue
    const expires_at = await readEnd(outbound, issuer)
    await db.of(environment_id).run(sql`update issuer_certificates set expires_at = ${expires_at} where environment_id = ${environment_id}`)
  }
}

/** Fails as a guard where another process reads it today. */
const takeTurn = (environment_id: EnvironmentId, now: Date): Statement =>
  guard(
    insertInto(
      'issuer_certificates',
      { environment_id, read_at: now },
      sql`on conflict (environment_id) do update set read_at = excluded.read_at
        where issuer_certificates.read_at <= ${new Date(now.getTime() - day_ms)}`,
    ),
  )

/** When the certificate of an issuer ends; `null` where no certificate that the service trusts was shown. */
async function readEnd(outbound: Deployment['outbound'], issuer: string): Promise<Date | null> {
  try {
    const url = `${issuer}/.well-known/openid-configuration`
    const { certificate_ends_at = null } = await outbound({
      method: 'GET',
      url,
      https_only: true,
      timeout_ms: call_limit_ms,
      limit_bytes: 0,
      beyond_limit: 'cut',
    })
    return certificate_ends_at
  } catch (error) {
    if (error instanceof OutboundFailed) return null // `doctor` and the people who sign in there see that it does not answer
    throw error
  }
}
