/** The attempts of the messages to receivers, for webhooks and for back-channel logouts: two tables with the same columns. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Attempt } from '@ostiary/contract/webhook.ts'
import { z } from 'zod'
import { type Db, identifiers, join, sql } from '../db/db.ts'

const AttemptRow = Attempt.extend({ message_id: z.string() })

/** Returns the messages with their attempts, the first one first. */
export async function withAttempts<Row extends { id: string }>(
  db: Db,
  table: 'webhook_attempts' | 'backchannel_logout_attempts',
  environment_id: EnvironmentId,
  rows: readonly Row[],
): Promise<(Row & { message_id: Row['id']; attempts: Attempt[] })[]> {
  if (rows.length === 0) return []
  const ids = join(
    rows.map((row) => sql`${row.id}`),
    ', ',
  )
  const attempts = await db.all(
    AttemptRow,
    sql`select message_id, at, status, latency_ms, response, error from ${identifiers(table)}
         where environment_id = ${environment_id} and message_id in (${ids}) order by message_id, number`,
  )
  const by_message = Map.groupBy(attempts, ({ message_id }) => message_id)
  return rows.map((row) => ({
    ...row,
    message_id: row.id,
    attempts: (by_message.get(row.id) ?? []).map(({ message_id: _, ...attempt }) => attempt),
  }))
}
