/**
 * The engine for PostgreSQL 14 or later: a few connections, each with many batches in flight. A call that gets no answer in time fails
 * with `DatabaseUnavailable`, and the next call connects again.
 *
 * A batch runs at READ COMMITTED: each of its statements sees the rows that were committed when it began, and the changes of the batch.
 * The head of db.ts says what follows for a batch.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, type Engine, GuardFailed, type Result, type Row, type Statement, sql } from './db.ts'
import type { Connection } from './postgres-connection.ts'
import { ConnectionLost, isRepeatable, isStaleConnection, isUndoneOnPurpose, toCallersError, undone_on_purpose } from './postgres-errors.ts'
import { migratePostgres, schemaOfPostgres } from './postgres-schema.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

export interface TimeLimits {
  /** To open a connection. */
  readonly connect_ms: number
  /** The server cancels a statement after this time. Its `deadlock_timeout` of 1 s is shorter, so deadlocks are reported as such. */
  readonly statement_ms: number
  /** The server would have cancelled any statement by now, so a connection that is silent for longer is dead. */
  readonly silence_ms: number
  /** The caller gets an error after this time. */
  readonly answer_ms: number
}

/** A request may take 2 s to notice that the database is gone. */
export const time_limits: TimeLimits = { connect_ms: 1_000, statement_ms: 1_200, silence_ms: 1_400, answer_ms: 1_600 }

const most_tries = 5
/** The pause before the second try. Before the n-th try it is (n - 1)² times as long. */
const retry_pause_ms = 1
/** After a failed attempt to open one more connection. */
const growth_pause_ms = 2_000

export interface PostgresOptions {
  application_name?: string
  connections?: number
  limits?: TimeLimits
}

export function openPostgres(address: string, options: PostgresOptions = {}): Engine {
  const { application_name = 'ostiary', connections = 6, limits = time_limits } = options
  const server = postgresServer(address, application_name, limits.connect_ms)
  const pool = createPool(server, connections, limits)

  let in_flight = 0
  let is_closed = false
  let whenIdle = () => {}

  async function run(statements: readonly Statement[], is_read: boolean): Promise<readonly Result[]> {
    if (is_closed) throw new DatabaseUnavailable('The database is closed.')
    in_flight += 1
    try {
      return await attempt(statements, is_read)
    } finally {
      in_flight -= 1
      if (in_flight === 0) whenIdle()
    }
  }

  async function attempt(statements: readonly Statement[], is_read: boolean): Promise<readonly Result[]> {
    const deadline = performance.now() + limits.answer_ms
    for (let tries = 1; ; tries++) {
      const connection = pool.pick() ?? (await within(pool.add(), deadline, 'The database cannot be reached in time. Nothing was changed.'))
      try {
        return await within(connection.send(statements), deadline, unanswered(is_read))
      } catch (error) {
        if (isStaleConnection(error)) pool.retire(connection)
        if (connection.silence_ms() > limits.silence_ms) pool.drop(connection)
        // A lost read is repeated, since it changed nothing. A lost change may have been committed, so the caller decides.
        const is_repeated = isRepeatable(error) || (is_read && error instanceof ConnectionLost)
        if (!is_repeated || tries === most_tries || performance.now() > deadline) throw toCallersError(error, is_read)
      }
      await sleep(tries * tries * retry_pause_ms)
    }
  }

  interface LookUp {
    statement: Statement
    resolve(rows: readonly Row[]): void
    reject(error: unknown): void
  }
  let pending: LookUp[] = []

  /** Sends the look-ups of one event-loop turn as one batch, since a round trip costs both sides more than finding a row. */
  function lookUp(statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(sendPending)
      pending.push({ statement, resolve, reject })
    })
  }

  function sendPending(): void {
    const lookups = pending
    pending = []
    sendTogether(lookups).catch((error) => {
      // One faulty look-up fails the batch. Sent alone, only the faulty one fails.
      const is_refusal = lookups.length > 1 && !(error instanceof DatabaseUnavailable)
      for (const lookup of lookups) {
        if (is_refusal) sendTogether([lookup]).catch(lookup.reject)
        else lookup.reject(error)
      }
    })
  }

  async function sendTogether(lookups: readonly LookUp[]): Promise<void> {
    const results = await run(
      lookups.map(({ statement }) => statement),
      true,
    )
    for (const [index, { resolve }] of lookups.entries()) resolve(results[index]?.rows ?? [])
  }

  async function write(statements: readonly Statement[]): Promise<readonly Result[]> {
    try {
      return await run(statements.map(withGuard), false)
    } catch (error) {
      throw isUndoneOnPurpose(error) ? new GuardFailed() : error
    }
  }

  return {
    name: 'postgres',
    versionOf: null,
    read: async (statement) => (await run([statement], true))[0]?.rows ?? [],
    lookUp,
    write,
    // The server works in parallel, so sending the batch at once delays nothing.
    writeLater(statements) {
      const written = write(statements)
      written.catch(() => {}) // the caller gets the error from `written`
      return () => written
    },
    schema: () => schemaOfPostgres(server),
    migrate: (migrations) => migratePostgres(server, migrations),
    load() {
      const { open, in_use } = pool.load()
      return { open, in_use, waiting: Math.max(0, in_flight - in_use) }
    },
    async close() {
      if (is_closed) return
      is_closed = true
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        if (in_flight === 0) resolve()
      })
      await pool.close()
    },
  }
}

/**
 * Returns a guard as PostgreSQL runs it: a statement that fails if it changes another number of rows. The failure undoes the batch, whose
 * later statements are already sent. A cast of text that is no number is the only failure that carries a message of ours.
 */
function withGuard(statement: Statement): Statement {
  if (statement.guard === undefined) return statement
  return sql`with changed as (${statement} returning 1)
    select cast(case when count(*) = ${statement.guard} then '1' else ${undone_on_purpose} end as integer) as held from changed`
}

const unanswered = (is_read: boolean) =>
  `The database did not answer in time.${is_read ? '' : ' It is not known whether the change was made.'}`

function createPool(server: PostgresServer, size: number, limits: TimeLimits) {
  const open = new Set<Connection>()
  let opening: Promise<Connection> | null = null
  let grows_from = 0

  /** Opens a connection. Concurrent callers wait for the same one. */
  function add(): Promise<Connection> {
    opening ??= server
      .connect(limits.statement_ms, (ended) => open.delete(ended))
      .then((connection) => {
        open.add(connection)
        return connection
      })
      .finally(() => {
        opening = null
      })
    return opening
  }

  return {
    add,

    load(): { open: number; in_use: number } {
      return { open: open.size, in_use: [...open].filter(({ pending }) => pending > 0).length }
    },

    /** Returns the least busy connection. If that is busy too and the pool has room, opens another one for later callers. */
    pick(): Connection | undefined {
      let least: Connection | undefined
      for (const connection of open) if (!least || connection.pending < least.pending) least = connection
      if (least && least.pending > 0 && open.size < size && !opening && performance.now() > grows_from)
        add().catch(() => {
          grows_from = performance.now() + growth_pause_ms
        })
      return least
    },

    /** Removes a connection from the pool. The batches in flight on it are answered. */
    retire(connection: Connection): void {
      if (open.delete(connection)) void connection.end()
    },

    /** Removes a dead connection. The batches in flight on it fail. */
    drop(connection: Connection): void {
      open.delete(connection)
      connection.destroy()
    },

    async close(): Promise<void> {
      await opening?.catch(() => {}) // its error no longer matters
      const forced = setTimeout(() => {
        for (const connection of open) connection.destroy()
      }, limits.answer_ms)
      await Promise.all([...open].map((connection) => connection.end()))
      clearTimeout(forced)
    },
  }
}

/** Resolves like the promise, or rejects with `DatabaseUnavailable` at the deadline. */
function within<T>(promise: Promise<T>, deadline: number, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // `setImmediate` first reads an answer that arrived while this process was busy.
    const timer = setTimeout(() => setImmediate(() => reject(new DatabaseUnavailable(problem))), Math.max(1, deadline - performance.now()))
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        how(value)
      }
    promise.then(settle(resolve), settle(reject))
  })
}
