/**
 * The connections of the PostgreSQL engine, and which of them takes a batch. A change whose commit hangs holds its connection: nothing
 * else is sent there, and one connection of a full pool never gets a change, so that reads go on. See docs/decisions/0070.
 */
import type { Result, Statement } from '../db.ts'
import type { Connection } from './connection.ts'
import { type TimeLimits, too_late, within } from './time.ts'

/** After a failed attempt to open one more connection. */
const growth_pause_ms = 2_000

/** Opens a connection with this limit of the time of a statement. */
type Open = (statement_limit_ms: number, onEnd: (connection: Connection) => void) => Promise<Connection>

export type Pool = ReturnType<typeof createPool>

export function createPool(openConnection: Open, size: number, limits: TimeLimits) {
  const open = new Set<Connection>()
  /** In a full pool this connection gets no changes. It has had none before, since the pool was not full. */
  let newest: Connection | null = null
  let opening: Promise<Connection> | null = null
  let grows_from = 0
  /** When the server was last asked about a silent connection. */
  const asked_at = new WeakMap<Connection, number>()
  const waiting = new Set<() => void>()

  /** Lets batches that wait for a connection look again. */
  function changed(): void {
    for (const look of waiting) look()
  }

  /** Opens a connection. Concurrent callers wait for the same one. */
  function add(): Promise<Connection> {
    opening ??= openConnection(limits.statement_ms, (ended) => {
      open.delete(ended)
      changed()
    })
      .then((connection) => {
        open.add(connection)
        newest = connection
        return connection
      })
      .finally(() => {
        opening = null
        changed()
      })
    return opening
  }

  const isSilent = (connection: Connection) => connection.silence_ms() > limits.silence_ms
  const isHeld = (connection: Connection) => connection.waitsForChange() && connection.silence_ms() > limits.held_ms

  /** Reports whether a connection may take a batch now. A pool of one has no choice. */
  function mayTake(connection: Connection, is_read: boolean): boolean {
    if (connection.is_in_block) return false
    if (size === 1) return true
    if (isHeld(connection) || isSilent(connection)) return false
    return is_read || connection !== newest || open.size < size
  }

  /** Returns the least busy connection. If that is busy too and the pool has room, opens another one for later callers. */
  function pick(is_read: boolean): Connection | undefined {
    let least: Connection | undefined
    for (const connection of open) {
      judge(connection)
      if (mayTake(connection, is_read) && (!least || connection.pending < least.pending)) least = connection
    }
    if (least && least.pending > 0 && open.size < size && !opening && performance.now() > grows_from)
      add().catch(() => {
        grows_from = performance.now() + growth_pause_ms
      })
    return least
  }

  /**
   * Decides about a connection if its server is silent for longer than any statement may take. If the server itself says that the
   * connection is at work, a commit hangs there: another connection would only hang too, and leave one more process at the server. Otherwise
   * the connection is dead and removed, and the batches in flight on it fail.
   */
  function judge(connection: Connection): void {
    if (!isSilent(connection)) return
    const now = performance.now()
    if (now - (asked_at.get(connection) ?? Number.NEGATIVE_INFINITY) < limits.silence_ms) return
    asked_at.set(connection, now)
    isAtWork(connection).then(
      (is_at_work) => is_at_work || drop(connection),
      () => drop(connection),
    )
  }

  async function isAtWork(connection: Connection): Promise<boolean> {
    if (!connection.waitsForChange()) return false
    const other = [...open].find((each) => each !== connection && mayTake(each, true))
    const asked = other ?? (open.size < size ? await add() : null)
    if (!asked) return false
    const parts = ['select 1 as at_work from pg_stat_activity where pid = ', " and state = 'active'"]
    const asking = asked.send([{ parts, values: [BigInt(connection.server_pid)] }], true)
    const [answer] = await within(asking, performance.now() + limits.connect_ms, too_late)
    return (answer?.rows.length ?? 0) > 0
  }

  function drop(connection: Connection): void {
    open.delete(connection)
    connection.destroy()
    changed()
  }

  return {
    pick,

    /** Opens a connection, where there is none yet. */
    async open(): Promise<void> {
      if (open.size === 0) await add()
    },

    /** Reports whether a batch on this connection waits behind a commit that hangs. */
    isHeld,

    judge,

    send(connection: Connection, statements: readonly Statement[], is_read: boolean): Promise<readonly Result[]> {
      const sent = connection.send(statements, is_read)
      const answered = () => {
        if (waiting.size > 0 && mayTake(connection, false)) changed()
      }
      sent.then(answered, answered)
      return sent
    },

    /** Waits until a connection may be free for a batch that found none: opens one, or waits until one answers. */
    async next(deadline: number): Promise<void> {
      if (open.size < size) {
        await within(add(), deadline, too_late)
        return
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      try {
        await within(promise, deadline, too_late)
      } finally {
        waiting.delete(resolve)
      }
    },

    load(): { open: number; in_use: number } {
      return { open: open.size, in_use: [...open].filter(({ pending }) => pending > 0).length }
    },

    /** Removes a connection from the pool. The batches in flight on it are answered. */
    retire(connection: Connection): void {
      if (open.delete(connection)) void connection.end()
      changed()
    },

    /** Ends every connection at once, with the batches in flight. */
    destroy(): void {
      for (const connection of [...open]) drop(connection)
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
