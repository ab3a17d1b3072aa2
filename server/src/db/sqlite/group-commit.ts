/**
 * Group commit: the batches of one event-loop turn, and those whose callers do not wait yet, share one commit, and its sync. A group runs
 * without interruption, and its batches are answered when the disk has what they show.
 */
import type { DatabaseSync } from 'node:sqlite'
import { GuardFailed, type Result, type Statement } from '../db.ts'
import type { ChangeClock } from './clock.ts'
import { isBusy, isFailedSync, ofUnknownOutcome, toCallersError, unsynced, unwritten } from './errors.ts'
import type { Log } from './log.ts'
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
  log: Log
  /** Gets the error of a sync that failed. */
  failed(error: Error): void
  /** Ends the open read transaction, before a group begins. */
  endReading(): void
}

export function createGroupCommit(database: DatabaseSync, { statements, clock, log, failed, endReading }: GroupCommitOptions) {
  const command = (text: string) => {
    const statement = database.prepare(text)
    return () => void statement.run()
  }
  const begin = command('begin immediate')
  const commit = command('commit')
  const beginSavepoint = command('savepoint batch')
  const endSavepoint = command('release batch')
  let waiting: Batch[] = []
  let is_flush_due = false
  let is_paused = false
  /** The tables that the group has changed, and whether a change must reach the disk before it is shown. */
  let changed_tables = new Map<string, boolean>()

  /** @returns a function that resolves the batch, to call after the commit */
  function run(batch: Batch): () => void {
    const results = batch.statements.map((statement) => {
      const result = statements.execute(statement)
      if (statement.guard !== undefined && result.changed !== statement.guard) throw new GuardFailed()
      if (result.changed > 0)
        for (const table of statements.prepare(statement).changes)
          changed_tables.set(table, changed_tables.get(table) === true || statement.without_sync !== true)
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
    try {
      begin()
    } catch (error) {
      if (isBusy(error) && waited_ms < busy_limit_ms) setTimeout(commitGroup, busy_pause_ms, group, apart, waited_ms + busy_pause_ms)
      else rejectAll(group, unwritten('The database cannot be written', error))
      return
    }
    let outcomes: (() => void)[] | null = null
    try {
      changed_tables = new Map()
      outcomes = group.map(apart ? runApart : run)
      if (database.isTransaction) commit()
      clock.committed(changed_tables)
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      if (isFailedSync(error)) {
        failed(error as Error) // as: node:sqlite throws errors
        rejectAll(group, ofUnknownOutcome(unsynced(error)))
      } else if (!apart && outcomes === null) commitGroup(group, true, waited_ms)
      else rejectAll(group, unwritten('The commit failed', error))
      return
    }
    settle(group, outcomes)
  }

  /** Answers the batches when the disk has what they show: a batch that changed nothing shows earlier commits. */
  function settle(group: readonly Batch[], outcomes: readonly (() => void)[]): void {
    const settleAll = () => {
      for (const settleOne of outcomes) settleOne()
    }
    const reached = isAwaited(group) ? log.reached(log.last) : null
    if (reached === null) settleAll()
    else reached.then(settleAll, (error) => rejectAll(group, ofUnknownOutcome(error)))
  }

  function flush(): void {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    const refusal = log.refusal()
    if (refusal === null) commitGroup(group)
    else rejectAll(group, refusal)
  }

  /** Flushes at the end of this event-loop turn, or when the pause ends. */
  function flushSoon(): void {
    if (is_flush_due) return
    is_flush_due = true
    setImmediate(() => {
      is_flush_due = false
      if (!is_paused) flush()
    })
  }

  return {
    flush,
    flushSoon,

    /** Holds batches back until the returned function is called. */
    pause(): () => void {
      is_paused = true
      return () => {
        is_paused = false
        if (waiting.length > 0) flushSoon()
      }
    },

    /** Adds a batch to the next group. `isWaiting` reports whether that group is still to be committed. */
    add(batch_statements: readonly Statement[]): { written: Promise<readonly Result[]>; isWaiting: () => boolean } {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Result[]>()
      const batch = { statements: batch_statements, resolve, reject }
      waiting.push(batch)
      return { written: promise, isWaiting: () => waiting.includes(batch) }
    },
  }
}

/** Reports whether the answers of a group wait for the disk; see `withoutSync`. */
const isAwaited = (group: readonly Batch[]): boolean =>
  group.some(({ statements }) => statements.some(({ without_sync }) => without_sync !== true))

function rejectAll(group: readonly Batch[], error: unknown): void {
  for (const batch of group) batch.reject(error)
}
