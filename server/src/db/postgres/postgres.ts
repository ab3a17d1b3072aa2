/**
 * The engine for PostgreSQL 14 or later: a few connections, each with many batches in flight (`postgres-pool.ts`). A call that gets no
 * answer in time fails with `DatabaseUnavailable`, and the next call connects again. All calls of one request end by one deadline.
 *
 * A batch runs at READ COMMITTED: each of its statements sees the rows that were committed when it began, and the changes of the batch.
 * The head of db.ts says what follows for a batch.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { withDeadline } from '../../base/database-time.ts'
import { type Distribution, findDistribution, Misplaced, Redistributed } from '../citus/distribution.ts'
import { type Need, needOf } from '../citus/need.ts'
import { createNodes } from '../citus/nodes.ts'
import { no_rows, type Rows } from '../codec.ts'
import { DatabaseUnavailable, type Engine, GuardFailed, type Owner, type Result, type Statement, sql } from '../db.ts'
import { createStatementKeys } from '../statement-key.ts'
import type { Connection } from './connection.ts'
import {
  ConnectionLost,
  isCancelled,
  isOfOneNode,
  isRepeatable,
  isStaleConnection,
  isUndoneOnPurpose,
  toCallersError,
  undone_on_purpose,
} from './errors.ts'
import { createPool, type Pool } from './pool.ts'
import { premised } from './premised.ts'
import { migratePostgres, runAlone, schemaOfPostgres } from './schema.ts'
import { addressAt, type NodeAddress, type Opened, type PostgresServer, postgresServer } from './server.ts'
import { refuseLate, type TimeLimits, time_limits, within } from './time.ts'

const most_tries = 5
/** The pause before the second try. Before the n-th try it is (n - 1)² times as long. */
const retry_pause_ms = 1
/** Between two looks whether the tables are where they belong. */
const placed_pause_ms = 1_000

export interface PostgresOptions {
  application_name?: string
  connections?: number
  limits?: TimeLimits
}

export function openPostgres(address: string, options: PostgresOptions = {}): Engine {
  const { application_name = 'ostiary', connections = 6, limits = time_limits } = options
  const serverAt = (at: string) => watched(postgresServer(at, application_name, limits.connect_ms))
  const server = serverAt(address)
  const coordinator = createPool((limit_ms, onEnd) => openForBatches(server, limit_ms, onEnd), connections, limits)
  const nodes = createNodes(coordinator, openNode, (statement) => read(statement, 'coordinator'))
  const pools = () => [coordinator, ...nodes.pools()]

  /** Whether the tables were distributed when this process opened its first connection; `null` before. */
  let is_distributed: boolean | null = null
  let asked_at = Number.NEGATIVE_INFINITY
  /** Why this process sends nothing more. */
  let refused: Redistributed | null = null
  const { promise: unusable, resolve: becomeUnusable } = Promise.withResolvers<Error>()

  /** A process that meets the other kind of database ends all its connections: what they send may already be half a batch. */
  function compare(distribution: Distribution): void {
    if (is_distributed === null || (distribution.is_distributed === is_distributed && distribution.misplaced.length === 0)) return
    refused ??= new Redistributed(is_distributed)
    for (const pool of pools()) pool.destroy()
    becomeUnusable(refused)
  }

  function watched(unwatched: PostgresServer): PostgresServer {
    return {
      async connect(limit_ms, onEnd): Promise<Opened> {
        if (refused) throw refused
        const opened = await unwatched.connect(limit_ms, onEnd)
        compare(opened.distribution)
        if (!refused) return opened
        opened.connection.destroy()
        throw refused
      },
    }
  }

  /** Migrations can run while tables are not where they belong, and batches cannot. */
  async function openForBatches(server: PostgresServer, limit_ms: number, onEnd: (connection: Connection) => void): Promise<Connection> {
    const { connection, distribution } = await server.connect(limit_ms, onEnd)
    if (distribution.misplaced.length > 0) {
      connection.destroy()
      throw new Misplaced(distribution.misplaced)
    }
    is_distributed ??= distribution.is_distributed
    asked_at = performance.now()
    return connection
  }

  function openNode(node: NodeAddress | null, onFailure = () => {}): Pool {
    const server_of_node = node === null ? server : serverAt(addressAt(address, node))
    const open: typeof openForBatches = (...of_attempt) =>
      openForBatches(...of_attempt).catch((error) => {
        onFailure()
        throw error
      })
    return createPool((limit_ms, onEnd) => open(server_of_node, limit_ms, onEnd), connections, limits)
  }

  /** A process whose connections are all open asks again now and then, whether its tables have been distributed. */
  function askAgain(connection: Connection): void {
    if (performance.now() - asked_at < limits.asked_ms) return
    asked_at = performance.now()
    findDistribution(connection).then(compare, () => {}) // where the connection fails, the batch on it says so
  }

  /** Waits while another process distributes the tables, or places new ones. */
  async function untilPlaced(): Promise<void> {
    const until = performance.now() + limits.placed_ms
    for (;;) {
      try {
        await read(sql`select 1 as is_placed`, 'coordinator')
        return
      } catch (error) {
        if (!(error instanceof Misplaced) || performance.now() > until) throw error
      }
      await sleep(Math.min(placed_pause_ms, limits.placed_ms))
    }
  }

  let in_flight = 0
  let is_closed = false
  let whenIdle = () => {}

  /** Statements that are sent in one write. */
  interface Batch {
    readonly statements: readonly Statement[]
    readonly is_read: boolean
    readonly need: Need
  }

  async function run(batch: Batch, deadline: number): Promise<readonly Result[]> {
    if (is_closed) throw new DatabaseUnavailable('The database is closed.')
    in_flight += 1
    try {
      return await attempt(batch, deadline)
    } catch (error) {
      throw error instanceof Redistributed ? new DatabaseUnavailable(error.message) : error
    } finally {
      in_flight -= 1
      if (in_flight === 0) whenIdle()
    }
  }

  /** On one server there is no other node. */
  const needIfNodes = (owner: Owner, statements: readonly Statement[]): Need => (is_distributed ? needOf(owner, statements) : 'coordinator')

  async function attempt(batch: Batch, deadline: number): Promise<readonly Result[]> {
    const { statements, is_read } = batch
    for (let tries = 1; ; tries++) {
      refuseLate(deadline)
      if (refused) throw refused
      const pool = nodes.poolFor(batch.need)
      // Nothing is awaited between the choice and the sending, so that batches of one turn spread over the connections.
      let connection = pool.pick(is_read)
      while (!connection) {
        await pool.next(deadline)
        connection = pool.pick(is_read)
      }
      askAgain(connection)
      try {
        if (is_read) return await readOn(pool, connection, batch, deadline)
        return await within(pool.send(connection, statements, false), deadline, unanswered(false))
      } catch (error) {
        if (isStaleConnection(error)) pool.retire(connection)
        pool.judge(connection)
        // A lost read is repeated, since it changed nothing. A lost change may have been committed, so the caller decides.
        const is_repeated = isRepeatable(error) || (is_distributed && isCancelled(error)) || (is_read && error instanceof ConnectionLost)
        if (!is_repeated || tries === most_tries || performance.now() > deadline) throw toCallersError(error, is_read)
      }
      await sleep(tries * tries * retry_pause_ms)
    }
  }

  /** A read behind a commit that hangs is sent again on another connection. The first answer is used. */
  async function readOn(pool: Pool, connection: Connection, batch: Batch, deadline: number): Promise<readonly Result[]> {
    const sent = pool.send(connection, batch.statements, true)
    for (;;) {
      try {
        return await within(sent, Math.min(deadline, performance.now() + limits.held_ms), unanswered(true))
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() >= deadline) throw error
      }
      if (!pool.isHeld(connection)) continue
      const elsewhere = attempt(batch, deadline)
      return Promise.any([within(sent, deadline, unanswered(true)), elsewhere]).catch(firstError)
    }
  }

  interface LookUp extends PromiseWithResolvers<Rows> {
    statement: Statement
    need: Need
    /** The latest deadline of its callers. */
    deadline: number
  }
  const keyOf = createStatementKeys()
  let pending = new Map<string, LookUp>()

  /**
   * Sends the look-ups of one event-loop turn as one batch to each node, since a round trip costs both sides more than finding a row. Equal
   * ones are one statement: each caller decodes the rows for itself, and waits until its own deadline.
   */
  function lookUp(statement: Statement, owner: Owner): Promise<Rows> {
    return withDeadline(limits.answer_ms, async (deadline) => {
      refuseLate(deadline)
      if (pending.size === 0) setImmediate(sendPending)
      const key = `${owner} ${keyOf(statement)}`
      let lookup = pending.get(key)
      if (!lookup) {
        lookup = { statement, need: needIfNodes(owner, [statement]), deadline, ...Promise.withResolvers<Rows>() }
        pending.set(key, lookup)
      }
      lookup.deadline = Math.max(lookup.deadline, deadline)
      return within(lookup.promise, deadline, unanswered(true))
    })
  }

  function sendPending(): void {
    const of_turn = [...pending.values()]
    pending = new Map()
    for (const lookups of Map.groupBy(of_turn, ({ need }) => nodes.poolFor(need)).values()) sendOrEachAlone(lookups)
  }

  function sendOrEachAlone(lookups: readonly LookUp[]): void {
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
    const statements = lookups.map(({ statement }) => statement)
    const batch = { statements, is_read: true, need: lookups[0]?.need ?? 'coordinator' } // one pool is for all of them
    const results = await run(batch, Math.max(...lookups.map(({ deadline }) => deadline)))
    for (const [index, { resolve }] of lookups.entries()) resolve(results[index] ?? no_rows)
  }

  async function read(statement: Statement, need: Need): Promise<Rows> {
    const batch = { statements: [statement], is_read: true, need }
    return (await withDeadline(limits.answer_ms, (deadline) => run(batch, deadline)))[0] ?? no_rows
  }

  async function write(statements: readonly Statement[], owner: Owner): Promise<readonly Result[]> {
    const [first] = statements
    const is_bare = statements.length === 1 && first?.is_of_key === true
    const batch = { statements: is_bare ? statements : statements.map(withGuard), is_read: false, need: needIfNodes(owner, statements) }
    const results = await withDeadline(limits.answer_ms, (deadline) => run(batch, deadline)).catch((error) => {
      throw isUndoneOnPurpose(error) ? new GuardFailed() : error
    })
    if (is_bare && results[0]?.changed !== first.guard) throw new GuardFailed()
    return results
  }

  return premised({
    name: 'postgres',
    versionOf: null,
    unusable,
    read: (statement, owner) => read(statement, needIfNodes(owner, [statement])),
    lookUp,
    write,
    // The server works in parallel, so sending the batch at once delays nothing.
    writeLater(statements, owner) {
      const written = write(statements, owner)
      written.catch(() => {}) // the caller gets the error from `written`
      return () => written
    },
    schema: () => schemaOfPostgres(server),
    async migrate(migrations) {
      const migrated = await migratePostgres(server, migrations)
      await untilPlaced()
      return migrated
    },
    runAlone: (statement, signal) => runAlone(server, statement, signal),
    load() {
      const loads = pools().map((pool) => pool.load())
      const sum = (of: 'open' | 'in_use') => loads.reduce((all, load) => all + load[of], 0)
      return { open: sum('open'), in_use: sum('in_use'), waiting: Math.max(0, in_flight - sum('in_use')) }
    },
    async close() {
      if (is_closed) return
      is_closed = true
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        if (in_flight === 0) resolve()
      })
      await Promise.all(pools().map((pool) => pool.close()))
    },
  })
}

/**
 * Returns a guard as PostgreSQL runs it: a statement that fails if it changes another number of rows. The failure undoes the batch, whose
 * later statements are already sent. A cast of text that is not a number is the only failure that carries a message of ours.
 */
function withGuard({ guard, distributed, ...statement }: Statement): Statement {
  if (guard === undefined) return distributed ? { ...statement, distributed } : statement
  const built = guarded.get(statement.parts) ?? asGuard(statement).parts
  guarded.set(statement.parts, built)
  const as_guard = { ...statement, parts: built, values: [...statement.values, BigInt(guard), undone_on_purpose] }
  return distributed ? { ...as_guard, distributed: withGuard({ ...distributed, guard }) } : as_guard
}

/** The texts of guards, each built once: there are more of them than one template keeps. */
const guarded = new WeakMap<Statement['parts'], Statement['parts']>()

function asGuard(statement: Statement): Statement {
  const returning = /^\s*select\b/.test(statement.parts[0] ?? '') ? sql`` : sql` returning 1`
  return sql`with changed as (${statement}${returning})
    select cast(case when count(*) = ${0} then '1' else ${''} end as integer) as held from changed`
}

const unanswered = (is_read: boolean) =>
  `The database did not answer in time.${is_read ? '' : ' It is not known whether the change was made.'}`

/** Of two failed tries the first error is for the caller. */
function firstError(error: unknown): never {
  throw error instanceof AggregateError ? error.errors[0] : error
}
