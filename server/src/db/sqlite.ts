/**
 * The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`. Its parts: `sqlite-statements.ts` prepares and runs,
 * `sqlite-group-commit.ts` writes, `sqlite-clock.ts` knows what changed when. Reads see committed data only. Reads of one turn of
 * the event loop share one transaction, since taking and returning SQLite's lock costs more than finding a row.
 */
import { DatabaseSync } from 'node:sqlite'
import { DatabaseUnavailable, type Engine, type Row, type Statement } from './db.ts'
import { createPrivateFile } from './private-files.ts'
import { createChangeClock } from './sqlite-clock.ts'
import { isBusy, toCallersError } from './sqlite-errors.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { migrateSqlite, schemaOfSqlite } from './sqlite-schema.ts'
import { createStatements } from './sqlite-statements.ts'

export function openSqlite(path: string): Engine {
  createPrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 20 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000')
  // What a statement that fails half way is undone with; in a file it would be written like everything else.
  database.exec('pragma temp_store = memory')
  // In pages of the log, 16 MB: what was written more than once by then is moved to its place once.
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

    asOf(statement) {
      refuseClosed()
      return reads.asOf(statement)
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
      written.catch(() => {}) // the caller sees the error when it asks
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
      return migrateSqlite(database, migrations)
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

/** Reads: one transaction for those of one turn, and one look in each turn whether another process has committed. */
function createReads(
  database: DatabaseSync,
  { statements, clock }: { statements: ReturnType<typeof createStatements>; clock: ReturnType<typeof createChangeClock> },
) {
  const begin = database.prepare('begin')
  const commit = database.prepare('commit')
  let is_reading = false
  let has_looked = false

  /** At the end of the turn, and before anything is written: what is read later sees what was committed by then. */
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

  /** Runs with the errors of SQLite turned into those of a caller. */
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

    asOf: (statement: Statement): number => reading(() => clock.lastChange(statements.prepare(statement).tables)),

    read: (statement: Statement): readonly Row[] =>
      reading(() => {
        if (!is_reading) begin.run()
        is_reading = true
        return statements.execute(statement).rows
      }),
  }
}

/**
 * Keeps a second `serve` off the same data directory. The lock is SQLite's own on a file beside the database, so it
 * ends with the process, however that ends. `null` where another process holds it.
 */
export function lockDataDirectory(path: string): { release(): void } | null {
  createPrivateFile(path)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (isBusy(error)) return null
    throw error
  }
  return { release: () => lock.close() }
}
