/**
 * Finds out when a database that took no changes takes them again: while the last write failed for that reason, one small write every five
 * seconds. Otherwise it costs nothing, since other writes say how the database is.
 */
import type { Log } from '../base/log.ts'
import { type Db, sql, withoutSync } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'

const probe_interval_ms = 5_000

export function createWriteProbe({ db, log, now }: { db: Db; log: Log; now: () => Date }): { work(): Promise<void> } {
  let known: Error | null = null
  let probed_at = Number.NEGATIVE_INFINITY

  /** Logs the first failure and the recovery. */
  function report(): void {
    const { failure } = db.writes
    if (failure && !known) log.error('The database takes no changes. It is tried every five seconds until it does.', {}, failure)
    if (!failure && known) log.info('The database takes changes again.')
    known = failure
  }

  return {
    async work() {
      report()
      const at = now()
      if (!db.writes.failure || at.getTime() - probed_at < probe_interval_ms) return
      probed_at = at.getTime()
      await db
        .run(
          withoutSync(
            insertInto(
              'deployment',
              { name: 'write_probe', value: at.toISOString() },
              sql`on conflict (name) do update set value = excluded.value`,
            ),
          ),
        )
        .catch(() => {}) // `writes` has it
      report()
    },
  }
}
