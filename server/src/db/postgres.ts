/**
 * The engine for PostgreSQL 14 or later: a few connections, each with many batches under way. Nothing waits for long:
 * what the database does not answer in time is `DatabaseUnavailable`, and the next call finds it again by itself.
 *
 * A batch runs at READ COMMITTED: each of its statements sees what was committed when that statement began, and what the
 * batch itself did. See `batch` in db.ts for what that asks of a batch.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, type Engine, GuardFailed, type Result, type Row, type Statement, sql } from './db.ts'
import type { Connection } from './postgres-connection.ts'
import { ConnectionLost, isUndoneOnPurpose, isWornOut, isWorthRepeating, toCallersError, undone_on_purpose } from './postgres-errors.ts'
import { migratePostgres, schemaOfPostgres } from './postgres-schema.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

/** The server gives a statement up. Longer than its own `deadlock_timeout` of a second, so that a deadlock is seen as one. */
const statement_limit_ms = 1_200
/** The caller is told, whatever the server does: within the two seconds that a request may take to find the database gone. */
const answer_limit_ms = 1_600
/** The server would have given up any statement by now: what is silent for longer is no connection any more. */
const silence_limit_ms = 1_400
const most_tries = 5
const pause_after_refusal_ms = 2_000

export function openPostgres(address: string, { application_name = 'ostiary', connections = 6 } = {}): Engine {
  const server = postgresServer(address, application_name)
  const pool = createPool(server, connections)

  let under_way = 0
  let is_closed = false
  let whenIdle = () => {}

  async function run(statements: readonly Statement[], is_read: boolean): Promise<readonly Result[]> {
    if (is_closed) throw new DatabaseUnavailable('The database is closed.')
    under_way += 1
    try {
      return await attempt(statements, is_read)
    } finally {
      under_way -= 1
      if (under_way === 0) whenIdle()
    }
  }

  async function attempt(statements: readonly Statement[], is_read: boolean): Promise<readonly Result[]> {
    const until = performance.now() + answer_limit_ms
    for (let tries = 1; ; tries++) {
      const connection = pool.pick() ?? (await within(pool.add(), until, 'The database cannot be reached in time. Nothing was changed.'))
      try {
        return await within(connection.send(statements), until, unanswered(is_read))
      } catch (error) {
        if (isWornOut(error)) pool.retire(connection)
        if (connection.silence_ms() > silence_limit_ms) pool.drop(connection)
        // A read that was lost on its way did nothing. A change may have been made: whoever asked decides.
        const is_repeated = isWorthRepeating(error) || (is_read && error instanceof ConnectionLost)
        if (!is_repeated || tries === most_tries || performance.now() > until) throw toCallersError(error, is_read)
      }
      await sleep(tries * tries)
    }
  }

  interface LookUp {
    statement: Statement
    resolve(rows: readonly Row[]): void
    reject(error: unknown): void
  }
  let gathered: LookUp[] = []

  /** What is looked up in one turn goes out as one batch: a round trip costs both sides more than finding a row. */
  function lookUp(statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      if (gathered.length === 0) setImmediate(sendGathered)
      gathered.push({ statement, resolve, reject })
    })
  }

  function sendGathered(): void {
    const together = gathered
    gathered = []
    askTogether(together).catch((error) => {
      // What the server refuses is the fault of one of them: asked alone, each hears of its own only.
      const is_refusal = together.length > 1 && !(error instanceof DatabaseUnavailable)
      for (const one of together) {
        if (is_refusal) askTogether([one]).catch(one.reject)
        else one.reject(error)
      }
    })
  }

  async function askTogether(lookups: readonly LookUp[]): Promise<void> {
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
    asOf: null,
    read: async (statement) => (await run([statement], true))[0]?.rows ?? [],
    lookUp,
    write,
    // The server commits beside our own work: what is sent at once is done when it is asked for.
    writeLater(statements) {
      const written = write(statements)
      written.catch(() => {}) // told to whoever asks
      return () => written
    },
    schema: () => schemaOfPostgres(server),
    migrate: (migrations) => migratePostgres(server, migrations),
    async close() {
      if (is_closed) return
      is_closed = true
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        if (under_way === 0) resolve()
      })
      await pool.close()
    },
  }
}

/**
 * A guard as PostgreSQL runs it: a statement that fails where it changes another number of rows, and so undoes the batch, whose
 * later statements are under way already. A cast of text that is no number is the only failure that lets a statement say why.
 */
function withGuard(statement: Statement): Statement {
  if (statement.guard === undefined) return statement
  return sql`with changed as (${statement} returning 1)
    select cast(case when count(*) = ${statement.guard} then '1' else ${undone_on_purpose} end as integer) as held from changed`
}

const unanswered = (is_read: boolean) =>
  `The database did not answer in time.${is_read ? '' : ' It is not known whether the change was made.'}`

function createPool(server: PostgresServer, size: number) {
  const open = new Set<Connection>()
  let opening: Promise<Connection> | null = null
  let grows_from = 0

  /** Callers that find no connection wait for the same one, and hear the same of it. */
  function add(): Promise<Connection> {
    opening ??= server
      .connect(statement_limit_ms, (ended) => open.delete(ended))
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

    /** The least busy connection; where that is busy too and there is room, another one is opened for those who come later. */
    pick(): Connection | undefined {
      let least: Connection | undefined
      for (const connection of open) if (!least || connection.pending < least.pending) least = connection
      if (least && least.pending > 0 && open.size < size && !opening && performance.now() > grows_from)
        add().catch(() => {
          grows_from = performance.now() + pause_after_refusal_ms
        })
      return least
    },

    /** Gets nothing new; what is under way on it is answered. */
    retire(connection: Connection): void {
      if (open.delete(connection)) void connection.end()
    },

    /** Nothing will come of it any more. */
    drop(connection: Connection): void {
      open.delete(connection)
      connection.destroy()
    },

    async close(): Promise<void> {
      await opening?.catch(() => {}) // it is not needed any more
      const forced = setTimeout(() => {
        for (const connection of open) connection.destroy()
      }, answer_limit_ms)
      await Promise.all([...open].map((connection) => connection.end()))
      clearTimeout(forced)
    },
  }
}

/** The promise, or `DatabaseUnavailable` where it takes longer. */
function within<T>(promise: Promise<T>, until: number, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that arrived while this process was busy is read before the limit is felt.
    const timer = setTimeout(() => setImmediate(() => reject(new DatabaseUnavailable(problem))), Math.max(1, until - performance.now()))
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer)
        how(value)
      }
    promise.then(settle(resolve), settle(reject))
  })
}
