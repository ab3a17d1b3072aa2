/**
 * The embedded engine: one SQLite file in WAL mode with `synchronous=FULL` (see `withoutSync`). `sqlite-statements.ts` prepares and runs statements,
 * `sqlite-group-commit.ts` writes, and `sqlite-clock.ts` records which commit changed a table. Reads see committed rows only. The reads of
 * one event-loop turn share one transaction, since taking and releasing SQLite's lock costs more than finding a row.
 */
import { DatabaseSync } from 'node:sqlite'
import { DatabaseUnavailable, type Engine, type Row, type Statement } from '../db.ts'
import { createChangeClock } from './clock.ts'
import { toCallersError } from './errors.ts'
import { createGroupCommit } from './group-commit.ts'
import { createPrivateFile } from './private-files.ts'
import { busy_timeout_ms, migrateSqlite, schemaOfSqlite } from './schema.ts'
import { createStatements } from './statements.ts'

export function openSqlite(path: string): Engine {
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: busy_timeout_ms })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000')
  // The statement journal, which undoes a statement that fails half way. In a file it would cost a write.
  database.exec('pragma temp_store = memory')
  // In pages of the log, 16 MB. A page that was written several times until then is moved to the database once.
  database.exec('pragma wal_autocheckpoint = 4000')

  const statements = createStatements(database)
  const clock = createChangeClock(database)
  const reads = createReads(database, { statements, clock })
  const { add, flush, flushSoon } = createGroupCommit(database, { statements, clock, endReading: reads.end })
  let closed = false

  function refuseClosed(): void {
    if (closed) throw new DatabaseUnavailable('The database is closed.')
  }

  async function read(statement: Statement): Promise<readonly Row[]> {
    refuseClosed()
    return reads.read(statement)
  }

  return {
    name: 'sqlite',

    load: null,
    runAlone: null,
    unusable: null,
    versionOf(statement) {
      refuseClosed()
      return reads.versionOf(statement)
    },

    read,
    lookUp: read,

    write(batch) {
      if (closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'))
      flushSoon()
      return add(batch).written
    },

    writeLater(batch) {
      if (closed) return () => Promise.reject(new DatabaseUnavailable('The database is closed.'))
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
        throw toCallersError(error)
      }
    },

    async close() {
      if (closed) return
      flush()
      reads.end()
      closed = true
      database.close()
    },
  }
}

/** Runs reads in one transaction for each event-loop turn, and checks once in each turn whether another process has committed. */
function createReads(
  database: DatabaseSync,
  { statements, clock }: { statements: ReturnType<typeof createStatements>; clock: ReturnType<typeof createChangeClock> },
) {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let is_reading = false
  let has_looked = false

  /** Ends the transaction, at the end of the turn and before each write, so that later reads see what was committed. */
  function end(): void {
    if (is_reading && database.isTransaction) commit.run()
    is_reading = false
    has_looked = false
  }

  function look(): void {
    if (has_looked) return
    clock.look()
    has_looked = true
    setImmediate(end)
  }

  /** Runs `work` and maps its SQLite errors. */
  function reading<T>(work: () => T): T {
    try {
      look()
      return work()
    } catch (error) {
      throw toCallersError(error)
    }
  }

  return {
    end,

    versionOf: (statement: Statement): number => reading(() => clock.lastChange(statements.prepare(statement).tables)),

    read: (statement: Statement): readonly Row[] =>
      reading(() => {
        if (!is_reading) begin.run()
        is_reading = true
        return statements.execute(statement).rows
      }),
  }
}
