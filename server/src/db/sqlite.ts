/**
 * The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`. Writes asked for within one turn of the
 * event loop, and those that nobody waits for yet, share one commit, so a durable write costs a fraction of a sync to disk. Reads see committed data only:
 * a group of writes runs without giving way in between. Reads of one turn share one look at the database, since taking and
 * returning SQLite's lock on it costs more than finding a row.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { DatabaseUnavailable, type Engine, GuardFailed, type Migration, type Result, type Row, type Statement } from './db.ts'

interface Job {
  statements: readonly Statement[]
  resolve(results: readonly Result[]): void
  reject(error: unknown): void
}

interface Prepared {
  readonly run: StatementSync
  /** Asked once: asking takes longer than a short query. */
  readonly has_rows: boolean
  /** Every table that is named in the text, so at least those it reads or writes. */
  readonly tables: readonly string[]
}

/** How long a group of writes waits for another process (bootstrap, migrate, doctor) to finish its own, in all. */
const busy_limit_ms = 1_500
const busy_pause_ms = 5
/** Texts are few, but for lists of values and combinations of filters: what is prepared stays bounded all the same. */
const most_prepared = 500

export function openSqlite(path: string): Engine {
  const database = new DatabaseSync(path, { timeout: 20 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000')
  // What a statement that fails half way is undone with; in a file it is written like everything else.
  database.exec('pragma temp_store = memory')
  // In pages of the log, 16 MB: what was written more than once by then is moved to its place once.
  database.exec('pragma wal_autocheckpoint = 4000')

  const prepared = new Map<string, Prepared>()
  const prepared_for = new WeakMap<readonly string[], Prepared>()
  let is_reading = false
  let has_looked = false
  // https://www.sqlite.org/pragma.html#pragma_data_version: it is another one where another connection has committed.
  const dataVersion = database.prepare('pragma data_version')
  let seen_version = -1
  let commits_seen = 0
  /** Which commit last concerned a table; one of another process may concern all. */
  const changed_at = new Map<string, number>()
  let all_changed_at = 0
  let tables_in_group = new Set<string>()
  let known_tables: readonly string[] | null = null
  const command = (text: string) => {
    const statement = database.prepare(text)
    return () => void statement.run()
  }
  const beginReading = command('begin')
  const begin = command('begin immediate')
  const commit = command('commit')
  const beginJob = command('savepoint job')
  const endJob = command('release job')
  let queue: Job[] = []
  let is_flushing = false
  let closed = false

  /** By the array of its parts, which is the same for the same text almost always, or else by the text. */
  function prepare({ parts }: Statement): Prepared {
    const found = prepared_for.get(parts)
    if (found) return found
    const text = parts.join('?')
    const made = prepared.get(text) ?? prepareText(text)
    prepared_for.set(parts, made)
    return made
  }

  function prepareText(text: string): Prepared {
    const run = database.prepare(text)
    known_tables ??= tablesOf(database)
    const words = new Set(text.match(/\w+/g))
    const fresh = { run, has_rows: run.columns().length > 0, tables: known_tables.filter((table) => words.has(table)) }
    const [oldest] = prepared.keys()
    if (prepared.size >= most_prepared && oldest !== undefined) prepared.delete(oldest)
    prepared.set(text, fresh)
    return fresh
  }

  function execute(statement: Statement): Result {
    const { run, has_rows } = prepare(statement)
    if (!has_rows) return { changed: Number(run.run(...statement.values).changes), rows: [] }
    const rows = run.all(...statement.values) as Row[] // as: node:sqlite returns plain objects
    return { changed: rows.length, rows }
  }

  function executeAll({ statements }: Job): Result[] {
    return statements.map((statement) => {
      const result = execute(statement)
      if (statement.guard !== undefined && result.changed !== statement.guard) throw new GuardFailed()
      if (result.changed > 0) for (const table of prepare(statement).tables) tables_in_group.add(table)
      return result
    })
  }

  /** Looks once in each turn whether another process has committed. */
  function look(): void {
    if (closed) throw new DatabaseUnavailable('The database is closed.')
    if (has_looked) return
    try {
      const { data_version } = dataVersion.get() as { data_version: number } // as: the pragma's own column
      if (data_version !== seen_version) all_changed_at = ++commits_seen
      seen_version = data_version
      has_looked = true
      setImmediate(endReading)
    } catch (error) {
      throw toCallersError(error)
    }
  }

  /** The last commit seen so far that may concern this statement. */
  function asOf(statement: Statement): number {
    look()
    let latest = all_changed_at
    for (const table of prepare(statement).tables) latest = Math.max(latest, changed_at.get(table) ?? 0)
    return latest
  }

  function read(statement: Statement): readonly Row[] {
    look() // the turn has an end
    if (!is_reading) beginReading()
    is_reading = true
    return execute(statement).rows
  }

  async function tryToRead(statement: Statement): Promise<readonly Row[]> {
    try {
      return read(statement)
    } catch (error) {
      throw toCallersError(error)
    }
  }

  /** At the end of the turn, and before anything else is done here: what comes later sees what was committed by then. */
  function endReading(): void {
    if (is_reading && database.isTransaction) commit()
    is_reading = false
    has_looked = false
  }

  /** @param apart each batch in a savepoint of its own, which takes longer than most batches: needed only where one of them fails */
  function commitGroup(jobs: readonly Job[], apart = false, waited_ms = 0): void {
    endReading()
    try {
      begin()
    } catch (error) {
      if (isBusy(error) && waited_ms < busy_limit_ms) setTimeout(commitGroup, busy_pause_ms, jobs, apart, waited_ms + busy_pause_ms)
      else rejectAll(jobs, new DatabaseUnavailable('The database cannot be written. Nothing was changed.', { cause: error }))
      return
    }
    let outcomes: (() => void)[] | null = null
    try {
      tables_in_group = new Set()
      outcomes = jobs.map(apart ? runApart : run)
      if (database.isTransaction) commit()
      commits_seen += 1
      for (const table of tables_in_group) changed_at.set(table, commits_seen)
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      if (!apart && outcomes === null) commitGroup(jobs, true, waited_ms)
      else rejectAll(jobs, new DatabaseUnavailable('The commit failed. Nothing was changed.', { cause: error }))
      return
    }
    for (const settle of outcomes) settle()
  }

  function run(job: Job): () => void {
    const results = executeAll(job)
    return () => job.resolve(results)
  }

  /** Stands or falls alone within the shared commit. */
  function runApart(job: Job): () => void {
    beginJob()
    try {
      const settle = run(job)
      endJob()
      return settle
    } catch (error) {
      // After a full disk or the like SQLite has undone the whole group by itself, which then fails as one.
      database.exec('rollback to job; release job')
      return () => job.reject(toCallersError(error))
    }
  }

  function flush(): void {
    is_flushing = false
    const jobs = queue
    queue = []
    if (jobs.length > 0) commitGroup(jobs)
  }

  function flushSoon(): void {
    if (!is_flushing) setImmediate(flush)
    is_flushing = true
  }

  function add(statements: readonly Statement[]): Promise<readonly Result[]> {
    if (closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'))
    return new Promise((resolve, reject) => {
      queue.push({ statements, resolve, reject })
    })
  }

  return {
    name: 'sqlite',
    asOf,

    read: tryToRead,
    lookUp: tryToRead,

    write(statements) {
      flushSoon()
      return add(statements)
    },

    writeLater(statements) {
      const written = add(statements)
      const job = queue.at(-1)
      written.catch(() => {}) // told to whoever asks
      return () => {
        if (job && queue.includes(job)) flushSoon() // else others were in a hurry before
        return written
      }
    },

    schema: async () => schemaOfSqlite(database),

    async migrate(migrations) {
      endReading()
      all_changed_at = ++commits_seen
      known_tables = null
      return migrateSqlite(database, migrations)
    },

    async close() {
      if (closed) return
      flush()
      endReading()
      closed = true
      database.close()
    },
  }
}

function rejectAll(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}

// https://www.sqlite.org/rescode.html
const busy = [5, 6] // SQLITE_BUSY, SQLITE_LOCKED
const out_of_service = [...busy, 8, 10, 13, 14] // READONLY, IOERR, FULL, CANTOPEN

function codeOf(error: unknown): number {
  const { errcode = 0 } = error as { errcode?: number } // as: node:sqlite puts SQLite's extended code there
  return errcode & 0xff
}

const isBusy = (error: unknown) => busy.includes(codeOf(error))

function toCallersError(error: unknown): unknown {
  if (!out_of_service.includes(codeOf(error))) return error
  return new DatabaseUnavailable('The database cannot be used. Nothing was changed.', { cause: error })
}

const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare(`select name from sqlite_schema where type = 'table'`)
    .all()
    .map(({ name }) => String(name))

function schemaOfSqlite(database: DatabaseSync): number {
  const has_table = database.prepare(`select 1 from sqlite_schema where name = 'schema_migrations'`).get()
  if (!has_table) return 0
  const { newest } = database.prepare('select coalesce(max(number), 0) as newest from schema_migrations').get() as { newest: number } // as: the query's own column
  return newest
}

function migrateSqlite(database: DatabaseSync, migrations: readonly Migration[]) {
  database.exec('pragma busy_timeout = 10000')
  database.exec('begin immediate')
  try {
    database.exec('create table if not exists schema_migrations (number integer primary key, name text not null)')
    const from = schemaOfSqlite(database)
    const pending = migrations.filter((migration) => migration.number > from)
    for (const migration of pending) {
      for (const statement of migration.statements)
        if (!statement.startsWith('{postgres}')) database.exec(statement.replaceAll('{int}', 'integer'))
      database.prepare('insert into schema_migrations (number, name) values (?, ?)').run(migration.number, migration.name)
    }
    database.exec('commit')
    return { from, to: Math.max(from, ...migrations.map((migration) => migration.number)) }
  } catch (error) {
    database.exec('rollback')
    throw error
  } finally {
    database.exec('pragma busy_timeout = 20')
  }
}

/**
 * Keeps a second `serve` off the same data directory. The lock is SQLite's own on a file beside the database, so it
 * ends with the process, however that ends. `null` where another process holds it.
 */
export function lockDataDirectory(path: string): { release(): void } | null {
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
