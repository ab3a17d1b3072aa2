/**
 * The embedded engine: one SQLite file in WAL mode. `statements.ts` prepares and runs statements, `group-commit.ts` writes, `clock.ts`
 * records which commit changed a table, and `log.ts` says when a commit is on the disk. Reads see committed rows only. The reads of one
 * event share one transaction, since taking and releasing SQLite's lock costs more than finding a row.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Rows } from '../codec.ts'
import { DatabaseUnavailable, type Engine, type Statement } from '../db.ts'
import { createChangeClock } from './clock.ts'
import { isFailedSync, toCallersError, unsynced } from './errors.ts'
import { moveFoundLog } from './found-log.ts'
import { createGroupCommit } from './group-commit.ts'
import { createCommandLog } from './log.ts'
import { createPrivateFile } from './private-files.ts'
import { busy_timeout_ms, migrateSqlite, schemaOfSqlite } from './schema.ts'
import { openServiceLog } from './service-log.ts'
import { createStatements } from './statements.ts'

export interface SqliteOptions {
  /** A service syncs its commits beside the main thread. A command, which may run beside a service, syncs them as it makes them. */
  serves?: boolean
  /** A command beside which no service runs, so a log that is there is one that an ended process has left. */
  is_alone?: boolean
}

export function openSqlite(path: string, { serves = false, is_alone = false }: SqliteOptions = {}): Engine {
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: busy_timeout_ms })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000')
  // The statement journal, which undoes a statement that fails half way. In a file it would cost a write.
  database.exec('pragma temp_store = memory')
  database.exec('pragma wal_autocheckpoint = 0') // see `checkpoints.ts`

  const { promise: unusable, resolve: becomeUnusable } = Promise.withResolvers<Error>()
  let refusal: string | null = null
  /** Nothing may follow a failed sync: not even the checkpoint of a close, which would sync again. */
  function failed(error: Error): void {
    const reported = unsynced(error)
    refusal = reported.message
    becomeUnusable(reported)
  }

  if (is_alone) moveFoundLog(path, database)
  const log = serves ? openServiceLog(path, database, { pause: () => pause(), failed }) : createCommandLog(path, failed)
  const statements = createStatements(database)
  const clock = createChangeClock(database, log)
  const reads = createReads(database, { statements, clock })
  const { add, flush, flushSoon, pause } = createGroupCommit(database, { statements, clock, log, failed, endReading: reads.end })

  function refuse(): void {
    if (refusal !== null) throw new DatabaseUnavailable(refusal)
  }

  /** A read runs at once. Its rows are held until the disk has the commits that they show. */
  function readAndHold(statement: Statement): Rows | Promise<Rows> {
    refuse()
    const rows = reads.read(statement)
    const reached = log.reached(reads.lastShown(statement))
    return reached === null ? rows : reached.then(() => rows)
  }

  return {
    name: 'sqlite',

    load: null,
    runAlone: null,
    unusable: serves ? unusable : null,
    versionOf(statement) {
      refuse()
      return reads.versionOf(statement)
    },

    read: readAndHold,
    lookUp: readAndHold,

    write(batch) {
      if (refusal !== null) return Promise.reject(new DatabaseUnavailable(refusal))
      flushSoon()
      return add(batch).written
    },

    writeLater(batch) {
      const refused = refusal
      if (refused !== null) return () => Promise.reject(new DatabaseUnavailable(refused))
      const { written, isWaiting } = add(batch)
      written.catch(() => {}) // the caller gets the error from `written`
      return () => {
        if (isWaiting()) flushSoon()
        return written
      }
    },

    schema: async () => schemaOfSqlite(database),

    async migrate(migrations) {
      reads.end()
      clock.allChanged()
      statements.schemaChanged()
      try {
        return migrateSqlite(database, migrations)
      } catch (error) {
        if (!isFailedSync(error)) throw toCallersError(error)
        failed(error as Error) // as: node:sqlite throws errors
        throw unsynced(error)
      }
    },

    async close() {
      if (refusal !== null) return
      refusal = 'The database is closed.'
      flush()
      await log.end()
      reads.end()
      database.close()
    },
  }
}

/**
 * Runs the reads of one event, such as the arrival of a request, in one transaction, which begins with a look whether another process has
 * committed. A later event may be the request of a client that has seen such a commit.
 */
function createReads(
  database: DatabaseSync,
  { statements, clock }: { statements: ReturnType<typeof createStatements>; clock: ReturnType<typeof createChangeClock> },
) {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let is_reading = false

  /** Ends the transaction, after the event and before each write, so that later reads see what was committed. */
  function end(): void {
    if (is_reading && database.isTransaction) commit.run()
    is_reading = false
  }

  /** Runs `work` in the transaction and maps its SQLite errors. */
  function reading<T>(work: () => T): T {
    try {
      if (!is_reading) {
        begin.run()
        is_reading = true
        process.nextTick(end) // Node runs it when the event is handled
        clock.look()
      }
      return work()
    } catch (error) {
      throw toCallersError(error)
    }
  }

  return {
    end,

    lastShown: (statement: Statement): number => clock.lastShown(statements.prepare(statement).tables),

    versionOf: (statement: Statement): number => reading(() => clock.lastChange(statements.prepare(statement).tables)),

    read: (statement: Statement): Rows => reading(() => statements.execute(statement)),
  }
}
