/**
 * The engine for PostgreSQL 14 or later: a few connections, each with many batches in flight (`postgres-pool.ts`). A call that gets no
 * answer in time fails with `DatabaseUnavailable`, and the next call connects again. All calls of one request end by one deadline.
 *
 * A batch runs at READ COMMITTED: each of its statements sees the rows that were committed when it began, and the changes of the batch.
 * The head of db.ts says what follows for a batch.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { withDeadline } from '../base/database-time.ts'
import { DatabaseUnavailable, type Engine, GuardFailed, type Result, type Row, type Statement, sql } from './db.ts'
import type { Connection } from './postgres-connection.ts'
import { Distributed, prepareBlocks, prepareConnection } from './postgres-distribution.ts'
import {
  ConnectionLost,
  isCancelled,
  isOfOneNode,
  isRepeatable,
  isStaleConnection,
  isUndoneOnPurpose,
  toCallersError,
  undone_on_purpose,
} from './postgres-errors.ts'
import { createPool } from './postgres-pool.ts'
import { migratePostgres, runAlone, schemaOfPostgres } from './postgres-schema.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'
import { refuseLate, type TimeLimits, time_limits, within } from './postgres-time.ts'

const most_tries = 5
/** The pause before the second try. Before the n-th try it is (n - 1)² times as long. */
const retry_pause_ms = 1

export interface PostgresOptions {
  application_name?: string
  connections?: number
  limits?: TimeLimits
  /** The tables are distributed, and batches are sent as blocks. For tests of the engine: the service refuses such a database so far. */
  has_blocks?: boolean
}

export function openPostgres(address: string, options: PostgresOptions = {}): Engine {
  const { application_name = 'ostiary', connections = 6, limits = time_limits, has_blocks = false } = options
  const server = watched(postgresServer(address, application_name, limits.connect_ms, has_blocks ? prepareBlocks : prepareConnection))
  const pool = createPool(server, connections, limits)

  /** Why this process sends nothing more. */
  let refused: Distributed | null = null
  const { promise: unusable, resolve: becomeUnusable } = Promise.withResolvers<Error>()

  /** A connection that meets distributed tables ends all others too: what they send may already be half a batch. */
  function watched(unwatched: PostgresServer): PostgresServer {
    return {
      connect: (limit_ms, onEnd) =>
        unwatched.connect(limit_ms, onEnd).catch((error) => {
          if (error instanceof Distributed) {
            refused = error
            pool.destroy()
            becomeUnusable(error)
          }
          throw error
        }),
    }
  }

  let in_flight = 0
  let is_closed = false
  let whenIdle = () => {}

  async function run(statements: readonly Statement[], is_read: boolean, deadline: number): Promise<readonly Result[]> {
    if (is_closed) throw new DatabaseUnavailable('The database is closed.')
    in_flight += 1
    try {
      return await attempt(statements, is_read, deadline)
    } catch (error) {
      throw error instanceof Distributed ? new DatabaseUnavailable(error.message) : error
    } finally {
      in_flight -= 1
      if (in_flight === 0) whenIdle()
    }
  }

  async function attempt(statements: readonly Statement[], is_read: boolean, deadline: number): Promise<readonly Result[]> {
    for (let tries = 1; ; tries++) {
      refuseLate(deadline)
      if (refused) throw refused
      // Nothing is awaited between the choice and the sending, so that batches of one turn spread over the connections.
      let connection = pool.pick(is_read)
      while (!connection) {
        await pool.next(deadline)
        connection = pool.pick(is_read)
      }
      try {
        if (is_read) return await readOn(connection, statements, deadline)
        return await within(pool.send(connection, statements, false), deadline, unanswered(false))
      } catch (error) {
        if (isStaleConnection(error)) pool.retire(connection)
        pool.judge(connection)
        // A lost read is repeated, since it changed nothing. A lost change may have been committed, so the caller decides.
        const is_repeated = isRepeatable(error) || (has_blocks && isCancelled(error)) || (is_read && error instanceof ConnectionLost)
        if (!is_repeated || tries === most_tries || performance.now() > deadline) throw toCallersError(error, is_read)
      }
      await sleep(tries * tries * retry_pause_ms)
    }
  }

  /** A read behind a commit that hangs is sent again on another connection. The first answer counts. */
  async function readOn(connection: Connection, statements: readonly Statement[], deadline: number): Promise<readonly Result[]> {
    const sent = pool.send(connection, statements, true)
    for (;;) {
      try {
        return await within(sent, Math.min(deadline, performance.now() + limits.held_ms), unanswered(true))
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() >= deadline) throw error
      }
      if (!pool.isHeld(connection)) continue
      const elsewhere = attempt(statements, true, deadline)
      return Promise.any([within(sent, deadline, unanswered(true)), elsewhere]).catch(firstError)
    }
  }

  interface LookUp {
    statement: Statement
    deadline: number
    resolve(rows: readonly Row[]): void
    reject(error: unknown): void
  }
  let pending: LookUp[] = []

  /** Sends the look-ups of one event-loop turn as one batch, since a round trip costs both sides more than finding a row. */
  function lookUp(statement: Statement): Promise<readonly Row[]> {
    return withDeadline(limits.answer_ms, async (deadline) => {
      refuseLate(deadline)
      const found = new Promise<readonly Row[]>((resolve, reject) => {
        if (pending.length === 0) setImmediate(sendPending)
        pending.push({ statement, deadline, resolve, reject })
      })
      return within(found, deadline, unanswered(true))
    })
  }

  function sendPending(): void {
    const lookups = pending
    pending = []
    sendTogether(lookups).catch((error) => {
      // One look-up fails the batch: it is faulty, or one node of a distributed database is out of reach. Sent alone, only that one fails.
      const is_of_one = lookups.length > 1 && (!(error instanceof DatabaseUnavailable) || isOfOneNode(error))
      for (const lookup of lookups) {
        if (is_of_one) sendTogether([lookup]).catch(lookup.reject)
        else lookup.reject(error)
      }
    })
  }

  /** The batch may take as long as the last of its look-ups. The others end by their own deadlines. */
  async function sendTogether(lookups: readonly LookUp[]): Promise<void> {
    const results = await run(
      lookups.map(({ statement }) => statement),
      true,
      Math.max(...lookups.map(({ deadline }) => deadline)),
    )
    for (const [index, { resolve }] of lookups.entries()) resolve(results[index]?.rows ?? [])
  }

  async function read(statement: Statement): Promise<readonly Row[]> {
    return (await withDeadline(limits.answer_ms, (deadline) => run([statement], true, deadline)))[0]?.rows ?? []
  }

  async function write(statements: readonly Statement[]): Promise<readonly Result[]> {
    try {
      return await withDeadline(limits.answer_ms, (deadline) => run(statements.map(withGuard), false, deadline))
    } catch (error) {
      throw isUndoneOnPurpose(error) ? new GuardFailed() : error
    }
  }

  return {
    name: 'postgres',
    versionOf: null,
    unusable,
    read,
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
    runAlone: (statement, signal) => runAlone(server, statement, signal),
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
 * later statements are already sent. A cast of text that is not a number is the only failure that carries a message of ours.
 */
function withGuard(statement: Statement): Statement {
  if (statement.guard === undefined) return statement
  const returning = /^\s*select\b/.test(statement.parts[0] ?? '') ? sql`` : sql` returning 1`
  return sql`with changed as (${statement}${returning})
    select cast(case when count(*) = ${statement.guard} then '1' else ${undone_on_purpose} end as integer) as held from changed`
}

const unanswered = (is_read: boolean) =>
  `The database did not answer in time.${is_read ? '' : ' It is not known whether the change was made.'}`

/** Of two failed tries the first error is for the caller. */
function firstError(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}
