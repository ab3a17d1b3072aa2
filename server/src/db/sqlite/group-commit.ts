/**
 * Group commit: the batches of one event-loop turn, and those whose callers do not wait yet, share one commit. So a durable write costs
 * a fraction of a sync to disk. A group runs without interruption.
 */
import type { DatabaseSync } from 'node:sqlite'
import { GuardFailed, type Result, type Statement } from '../db.ts'
import type { ChangeClock } from './clock.ts'
import { isBusy, toCallersError, unwritten } from './errors.ts'
import type { Statements } from './statements.ts'

interface Batch {
  readonly statements: readonly Statement[]
  resolve(results: readonly Result[]): void
  reject(error: unknown): void
}

/** How long a group waits in total for the write of another process (bootstrap, migrate, doctor). */
const busy_limit_ms = 1_500
const busy_pause_ms = 5

interface GroupCommitOptions {
  statements: Statements
  clock: ChangeClock
  /** Ends the open read transaction, before a group begins. */
  endReading(): void
}

export function createGroupCommit(database: DatabaseSync, { statements, clock, endReading }: GroupCommitOptions) {
  const command = (text: string) => {
    const statement = database.prepare(text)
    return () => void statement.run()
  }
  const begin = command('begin immediate')
  const commit = command('commit')
  const beginSavepoint = command('savepoint batch')
  const endSavepoint = command('release batch')
  let syncs = true
  let waiting: Batch[] = []
  let is_flush_due = false
  let changed_tables = new Set<string>()

  /** @returns a function that resolves the batch, to call after the commit */
  function run(batch: Batch): () => void {
    const results = batch.statements.map((statement) => {
      const result = statements.execute(statement)
      if (statement.guard !== undefined && result.changed !== statement.guard) throw new GuardFailed()
      if (result.changed > 0) for (const table of statements.prepare(statement).changes) changed_tables.add(table)
      return result
    })
    return () => batch.resolve(results)
  }

  /** Runs a batch in a savepoint, so that its failure undoes no other batch. */
  function runApart(batch: Batch): () => void {
    beginSavepoint()
    try {
      const settle = run(batch)
      endSavepoint()
      return settle
    } catch (error) {
      // After an error such as a full disk SQLite has undone the whole group, and this statement fails too.
      if (!database.isTransaction) throw error
      database.exec('rollback to batch; release batch')
      return () => batch.reject(toCallersError(error))
    }
  }

  /** @param apart runs each batch in a savepoint. That takes longer than most batches, so it happens only after one of the group failed. */
  function commitGroup(group: readonly Batch[], apart = false, waited_ms = 0): void {
    endReading()
    syncIfNeeded(group)
    try {
      begin()
    } catch (error) {
      if (isBusy(error) && waited_ms < busy_limit_ms) setTimeout(commitGroup, busy_pause_ms, group, apart, waited_ms + busy_pause_ms)
      else rejectAll(group, unwritten('The database cannot be written', error))
      return
    }
    let outcomes: (() => void)[] | null = null
    try {
      changed_tables = new Set()
      outcomes = group.map(apart ? runApart : run)
      if (database.isTransaction) commit()
      clock.committed(changed_tables)
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      if (!apart && outcomes === null) commitGroup(group, true, waited_ms)
      else rejectAll(group, unwritten('The commit failed', error))
      return
    }
    for (const settle of outcomes) settle()
  }

  /** With `normal` a commit is in the log and not yet on the disk. The next one with `full` brings both there. */
  function syncIfNeeded(group: readonly Batch[]): void {
    const needed = group.some(({ statements: all }) => all.some(({ without_sync }) => !without_sync))
    if (needed === syncs) return
    database.exec(`pragma synchronous = ${needed ? 'full' : 'normal'}`) // takes effect when it is compiled, so it is not prepared
    syncs = needed
  }

  function flush(): void {
    is_flush_due = false
    const group = waiting
    waiting = []
    if (group.length > 0) commitGroup(group)
  }

  /** Flushes at the end of this event-loop turn. */
  function flushSoon(): void {
    if (!is_flush_due) setImmediate(flush)
    is_flush_due = true
  }

  return {
    flush,
    flushSoon,

    /** Adds a batch to the next group. `isWaiting` reports whether that group is still to be committed. */
    add(batch_statements: readonly Statement[]): { written: Promise<readonly Result[]>; isWaiting: () => boolean } {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Result[]>()
      const batch = { statements: batch_statements, resolve, reject }
      waiting.push(batch)
      return { written: promise, isWaiting: () => waiting.includes(batch) }
    },
  }
}

function rejectAll(group: readonly Batch[], error: unknown): void {
  for (const batch of group) batch.reject(error)
}
