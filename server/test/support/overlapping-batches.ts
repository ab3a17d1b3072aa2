/** Makes parallel requests overlap in the database, so that a race is decided by locks and guards rather than by timing. */
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { citus_nodes } from './postgres.ts'
import { held_by_tests } from './undone-first.ts'
import type { Reply, World } from './world.ts'

const overlapping_batches = 3
/** As many as a process opens. Fewer would also do what the service does by itself, and a change that is sent behind a blocked one overlaps none. */
const open_connections = 6
/** A process that is short of time may send a change behind a blocked one all the same. The test then goes on with less overlap. */
const longest_look_ms = 3_000
const One = z.object({ one: z.int() })

/**
 * Starts requests whose batches run at the same time. On PostgreSQL it holds up each batch where it writes to the table, by default at its
 * audit entry, when the object is written and not yet committed, until several connections wait. On SQLite batches run one after another,
 * so it only starts them.
 */
export async function overlapping(w: World, start: () => Promise<Reply>[], table = 'audit_log'): Promise<Reply[]> {
  if (w.deployment.db.engine === 'sqlite') return Promise.all(start())
  const replies = await underLock(w, `lock table ${table} in share row exclusive mode`, async (untilBlocked) => {
    const started = start()
    await untilBlocked(overlapping_batches, Promise.all(started))
    return started
  })
  return Promise.all(replies)
}

/**
 * Starts `then` amid the batch of `first`. On PostgreSQL it holds up that batch where it needs `lock`, until several connections wait or
 * one of `then` is done. On SQLite it only starts them.
 */
export async function amidBatch<F, T>(w: World, lock: string, first: () => Promise<F>, then: () => Promise<T>[]): Promise<[F, ...T[]]> {
  if (w.deployment.db.engine === 'sqlite') return Promise.all([first(), ...then()])
  const outcomes = await underLock(w, lock, async (untilBlocked): Promise<[Promise<F>, ...Promise<T>[]]> => {
    const held = first()
    await untilBlocked(1, held)
    const started = then()
    await untilBlocked(overlapping_batches, Promise.race(started))
    return [held, ...started]
  })
  return Promise.all(outcomes)
}

/** Resolves when this number of connections wait for a lock, or when `otherwise` does. */
type UntilBlocked = (connections: number, otherwise: Promise<unknown>) => Promise<void>

async function underLock<T>(
  { deployment: { config, db } }: World,
  lock: string,
  act: (untilBlocked: UntilBlocked) => Promise<T>,
): Promise<T> {
  // A busy pool opens a connection for later batches, so on a slow machine all of them could share one and none would overlap.
  while ((db.load?.().open ?? 0) < open_connections) await Promise.all(Array.from({ length: 10 }, () => db.all(One, sql`select 1 as one`)))
  const [holder, watcher] = [0, 1].map(() => new Client({ connectionString: config.database_url ?? '' })) as [Client, Client] // as: two
  await Promise.all([holder.connect(), watcher.connect()])
  held_by_tests.add(holder)
  try {
    await lockWhileIdle(holder, lock)
    const result = await act(async (connections, otherwise) => {
      let is_settled = false
      otherwise.then(() => {
        is_settled = true
      }, assert.fail)
      const latest = performance.now() + longest_look_ms
      for (let waiting = 0; waiting < connections && !is_settled && performance.now() < latest; ) {
        await watcher.query('select pg_sleep(0.005)')
        const { rows } = await watcher.query(
          `select cast(count(*) as integer) as n from ${citus_nodes.length > 0 ? 'citus_stat_activity' : 'pg_stat_activity'} where datname = current_database() and wait_event_type = 'Lock'`,
        )
        waiting = rows[0].n
      }
    })
    await holder.query('rollback')
    return result
  } finally {
    held_by_tests.delete(holder)
    await Promise.all([holder.end(), watcher.end()])
  }
}

/**
 * Takes the lock while the sequencer has nothing to do. It writes the rows of events and audit entries too, and would be taken for a request that
 * waits. While the lock keeps requests from writing such rows, it gets nothing to do.
 */
async function lockWhileIdle(holder: Client, lock: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    await holder.query('begin')
    await holder.query(lock)
    const { rows } = await holder.query(
      `select cast((select count(*) from audit_log where sequence is null) + (select count(*) from events where sequence is null) as integer) as n`,
    )
    if (rows[0].n === 0 || tries === 100) return
    await holder.query('rollback')
    await holder.query('select pg_sleep(0.02)')
  }
}
