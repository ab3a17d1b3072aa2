/**
 * The change clock of an embedded database: which commit last changed a table. The row cache uses it to find stale results, and reads use it
 * to find the commits that their rows show.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from './log.ts'

export type ChangeClock = ReturnType<typeof createChangeClock>

export function createChangeClock(database: DatabaseSync, log: Log) {
  // https://www.sqlite.org/pragma.html#pragma_data_version: another number after a commit of another connection
  const dataVersion = database.prepare('pragma data_version')
  let seen_version = -1
  let commits = 0
  /** The commit that last changed a table. */
  const changed_at = new Map<string, number>()
  /** The last commit of another process, which may have changed any table. */
  let all_changed_at = 0
  /** The last commit to a table that is shown only when the disk has it, by its number in `log.ts`. */
  const shown_by = new Map<string, number>()
  let shown_by_all = 0

  function allChanged(): void {
    commits += 1
    all_changed_at = commits
  }

  return {
    /** Checks whether another process has committed since the last call. */
    look(): void {
      const { data_version } = dataVersion.get() as { data_version: number } // as: the pragma's own column
      if (data_version === seen_version) return
      seen_version = data_version
      allChanged()
      log.committedElsewhere()
      shown_by_all = log.last
    },

    /** Records a commit of this process by the tables that it changed, each with whether the change is shown only when it is on the disk. */
    committed(tables: ReadonlyMap<string, boolean>): void {
      if (tables.size === 0) return
      commits += 1
      log.committed([...tables.values()].includes(true))
      for (const [table, is_awaited] of tables) {
        changed_at.set(table, commits)
        if (is_awaited) shown_by.set(table, log.last)
      }
    },

    allChanged,

    /** Returns the last known commit that may have changed one of the tables. */
    lastChange(tables: readonly string[]): number {
      let latest = all_changed_at
      for (const table of tables) latest = Math.max(latest, changed_at.get(table) ?? 0)
      return latest
    },

    /** Returns the number in `log.ts` of the last commit that rows of these tables show. */
    lastShown(tables: readonly string[]): number {
      let latest = shown_by_all
      for (const table of tables) latest = Math.max(latest, shown_by.get(table) ?? 0)
      return latest
    },
  }
}
