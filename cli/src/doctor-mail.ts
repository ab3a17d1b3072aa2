/** The part of `ostiary doctor` about mail servers: it signs in to each one that the settings name, and sends no mail. */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { sql } from '@ostiary/server/db/db.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { serverOf, whyOf } from '@ostiary/server/domain/mail/deliver.ts'
import { effectiveSettings } from '@ostiary/server/domain/tenancy/settings.ts'
import { findRoot } from '@ostiary/server/setup/root.ts'
import { z } from 'zod'
import type { Finding } from './finding.ts'

const Sender = z.object({ id: EnvironmentId, type: EnvironmentType, settings: z.record(z.string(), z.unknown()) })
/** Checks take time, since a server that does not answer is given up after a while. */
const most_servers = 20

export async function checkMail(deployment: Deployment): Promise<Finding[]> {
  const root = await findRoot(deployment.db)
  const rows = await deployment.db.all(
    Sender,
    sql`select id, type, settings from environments where settings like '%"delivery":"smtp"%'
         order by case when id = ${root?.environment_id ?? ''} then 0 else 1 end, id limit ${most_servers + 1}`,
  )
  const senders = rows.flatMap(({ id, type, settings }) => {
    const server = serverOf(deployment, id, effectiveSettings(type, settings).email)
    return server ? [{ id, server, is_root: id === root?.environment_id }] : []
  })
  if (senders.length === 0) return [{ level: 'ok', text: 'No environment sends mail by SMTP.' }]
  const findings = await Promise.all(
    senders.slice(0, most_servers).map(async ({ id, server, is_root }): Promise<Finding> => {
      const outcome = await deployment.smtp({ server, message: null, reply_timeout_ms: 0 })
      const where = `The mail server ${server.host}:${server.port} of ${is_root ? 'the root environment' : id}`
      if (outcome.accepted) return { level: 'ok', text: `${where} can be used.` }
      const why = [outcome.reply, whyOf(outcome)].filter((text) => text !== null).join('; ')
      const text = `${where} cannot be used. The step ${outcome.stage} failed${why === '' ? '.' : `: ${why}`}`
      return { level: is_root ? 'problem' : 'warning', text }
    }),
  )
  return senders.length > most_servers
    ? [...findings, { level: 'warning', text: `Only ${most_servers} mail servers were checked.` }]
    : findings
}
