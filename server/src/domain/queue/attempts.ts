/** The attempts of the messages to receivers, for webhooks and for back-channel logouts: two tables with the same columns. */
import { Attempt } from '@ostiary/contract/delivery.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, identifiers, list, type Statement, sql } from '../../db/db.ts'

const messages_of = { webhook_attempts: 'webhook_messages', backchannel_logout_attempts: 'backchannel_logouts' } as const
type AttemptTable = keyof typeof messages_of

const AttemptRow = Attempt.extend({ message_id: z.string() })

/** Returns the messages with their attempts, the first one first. */
export async function withAttempts<Row extends { id: string }>(
  db: Db,
  table: AttemptTable,
  environment_id: EnvironmentId,
  rows: readonly Row[],
): Promise<(Row & { message_id: Row['id']; attempts: Attempt[] })[]> {
  if (rows.length === 0) return []
  const attempts = await db.of(environment_id).all(
    AttemptRow,
    sql`select message_id, at, status, latency_ms, response, error from ${identifiers(table)}
         where environment_id = ${environment_id} and message_id in (${list(rows.map(({ id }) => id))}) order by message_id, number`,
  )
  const by_message = Map.groupBy(attempts, ({ message_id }) => message_id)
  return rows.map((row) => ({
    ...row,
    message_id: row.id,
    attempts: (by_message.get(row.id) ?? []).map(({ message_id: _, ...attempt }) => attempt),
  }))
}

/**
 * Records an attempt under the next number of its message. The first statement holds the message, so parallel attempts are numbered one
 * after the other and all are kept. A message that was removed, or was queued before messages were kept, gets none.
 */
export function recordAttempt(
  table: AttemptTable,
  environment_id: EnvironmentId,
  message_id: string,
  { at, status, latency_ms, response, error }: Omit<Attempt, 'at'> & { at: Date },
): Statement[] {
  const [attempts, messages] = [identifiers(table), identifiers(messages_of[table])]
  const message = sql`environment_id = ${environment_id} and id = ${message_id}`
  return [
    sql`update ${messages} set updated_at = updated_at where ${message}`,
    sql`insert into ${attempts} (environment_id, message_id, number, at, status, latency_ms, response, error)
      select environment_id, id,
             1 + coalesce((select max(number) from ${attempts} where environment_id = ${environment_id} and message_id = ${message_id}), 0),
             ${at}, ${status}, ${latency_ms}, ${response}, ${error}
        from ${messages} where ${message}`,
  ]
}
