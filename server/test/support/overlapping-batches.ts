/** Makes parallel requests overlap in the database, so that a race is decided by locks and guards rather than by timing. */
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import type { Reply, World } from './world.ts'

const overlapping_batches = 3
const One = z.object({ one: z.int() })

/**
 * Starts requests whose batches run at the same time. On PostgreSQL it holds up each batch at its audit entry, when the object is
 * written and not yet committed, until several connections wait. On SQLite batches run one after another, so it only starts them.
 */
export async function overlapping({ deployment: { config, db } }: World, start: () => Promise<Reply>[]): Promise<Reply[]> {
  if (db.engine === 'sqlite') return Promise.all(start())
  // A busy pool opens a connection for later batches, so on a slow machine all of them could share one and none would overlap.
  while ((db.load?.().open ?? 0) <= overlapping_batches)
    await Promise.all(Array.from({ length: 10 }, () => db.all(One, sql`select 1 as one`)))
  const holder = new Client({ connectionString: config.database_url ?? '' })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table audit_log in share row exclusive mode')
    let is_answered = false
    const replies = Promise.all(start())
    replies.then(() => {
      is_answered = true
    }, assert.fail)
    for (let waiting = 0; waiting < overlapping_batches && !is_answered; ) {
      await holder.query('select pg_stat_clear_snapshot(), pg_sleep(0.005)')
      const { rows } = await holder.query(
        `select cast(count(*) as integer) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      waiting = rows[0].n
    }
    await holder.query('rollback')
    return await replies
  } finally {
    await holder.end()
  }
}
