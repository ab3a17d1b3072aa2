/**
 * The change clock of an embedded database: which commit last concerned a table. It lets what was read be used again until a
 * commit changes a table that the query names.
 */
import type { DatabaseSync } from 'node:sqlite'

export type ChangeClock = ReturnType<typeof createChangeClock>

export function createChangeClock(database: DatabaseSync) {
  // https://www.sqlite.org/pragma.html#pragma_data_version: another number after another connection has committed
  const dataVersion = database.prepare('pragma data_version')
  let seen_version = -1
  let commits = 0
  /** The commit that last changed a table. */
  const changed_at = new Map<string, number>()
  /** The last commit of another process, which may concern any table. */
  let all_changed_at = 0

  function allChanged(): void {
    commits += 1
    all_changed_at = commits
  }

  return {
    /** Notices whether another process has committed since the last call. */
    look(): void {
      const { data_version } = dataVersion.get() as { data_version: number } // as: the pragma's own column
      if (data_version !== seen_version) allChanged()
      seen_version = data_version
    },

    /** This process has committed a change of these tables. */
    committed(tables: Iterable<string>): void {
      commits += 1
      for (const table of tables) changed_at.set(table, commits)
    },

    allChanged,

    /** The last commit seen that may concern one of the tables. */
    lastChange(tables: readonly string[]): number {
      let latest = all_changed_at
      for (const table of tables) latest = Math.max(latest, changed_at.get(table) ?? 0)
      return latest
    },
  }
}
