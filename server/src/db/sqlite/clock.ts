/** The change clock of an embedded database: which commit last changed a table. The row cache uses it to find stale results. */
import type { DatabaseSync } from 'node:sqlite'

export type ChangeClock = ReturnType<typeof createChangeClock>

export function createChangeClock(database: DatabaseSync) {
  // https://www.sqlite.org/pragma.html#pragma_data_version: another number after a commit of another connection
  const dataVersion = database.prepare('pragma data_version')
  let seen_version = -1
  let commits = 0
  /** The commit that last changed a table. */
  const changed_at = new Map<string, number>()
  /** The last commit of another process, which may have changed any table. */
  let all_changed_at = 0

  function allChanged(): void {
    commits += 1
    all_changed_at = commits
  }

  return {
    /** Checks whether another process has committed since the last call. */
    look(): void {
      const { data_version } = dataVersion.get() as { data_version: number } // as: the pragma's own column
      if (data_version !== seen_version) allChanged()
      seen_version = data_version
    },

    /** Records a commit of this process that changed these tables. */
    committed(tables: Iterable<string>): void {
      commits += 1
      for (const table of tables) changed_at.set(table, commits)
    },

    allChanged,

    /** Returns the last known commit that may have changed one of the tables. */
    lastChange(tables: readonly string[]): number {
      let latest = all_changed_at
      for (const table of tables) latest = Math.max(latest, changed_at.get(table) ?? 0)
      return latest
    },
  }
}
