/** Classifies errors of PostgreSQL: the batch can run again, the database is unavailable, or the program has a bug. */
import { DatabaseError } from 'pg'
import { DatabaseUnavailable, WritesFail } from '../db.ts'

/** The connection ended during a batch, so it is unknown whether the server committed it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/**
 * Reports whether the server undid the batch because of other transactions or the state of the connection. The same batch may run
 * again: it contains all its conditions, so the second run equals a later request.
 */
export function isRepeatable(error: unknown): boolean {
  return (
    isRefusal(error) && (lost_a_race.has(error.code ?? '') || stale_connection.has(error.code ?? '') || error.code === unique_violation)
  )
}

/**
 * Reports whether the connection must be replaced: its prepared statements are gone (a pooler, `discard all`) or do not match a changed
 * schema, or its server became a standby.
 */
export function isStaleConnection(error: unknown): boolean {
  return isRefusal(error) && stale_connection.has(error.code ?? '')
}

/** Maps an error of the driver to the error for the caller. */
export function toCallersError(error: unknown, is_read: boolean): unknown {
  if (error instanceof ConnectionLost) {
    const outcome = is_read ? '' : ' It is not known whether the change was made.'
    return new DatabaseUnavailable(`The connection to the database was lost.${outcome}`, { cause: error })
  }
  if (!isRefusal(error) || error.code === undefined) return error
  const { code } = error
  if (lostNode(error)) {
    const outcome = is_read ? 'Nothing was changed.' : 'It is not known whether the change was made.'
    return new DatabaseUnavailable(`The database refuses for now: ${error.message}. ${outcome}`, { cause: error })
  }
  const advised = adviceFor(error)
  if (advised) return new (of_disk.has(code) ? WritesFail : DatabaseUnavailable)(`${advised} Nothing was changed.`, { cause: error })
  if (lost_a_race.has(code) || too_slow.has(code) || out_of_service.has(code.slice(0, 2)))
    return new DatabaseUnavailable(`The database refuses for now: ${error.message}. Nothing was changed.`, { cause: error })
  return error
}

/** Says what to change, for errors of the server that another try does not repair; `null` for all others. */
export function adviceFor(error: unknown): string | null {
  const answered = error instanceof ConnectionLost ? error.cause : error
  if (!(answered instanceof DatabaseError)) return null
  const { code = '', message } = answered
  const [, advise] = advice.find(([codes]) => codes.includes(code)) ?? []
  return advise?.(message) ?? null
}

type Advice = readonly [codes: readonly string[], advise: (message: string) => string]

const advice: readonly Advice[] = [
  [['42501'], (why) => `The user of the database lacks a right: ${why}. Make that user the owner of the database.`],
  [
    ['26000', '42P05'],
    (why) =>
      `A pooler before the database lost a prepared statement: ${why}. Let PgBouncer keep them (version 1.21 or later with max_prepared_statements above 0), or give each client its own session (pool_mode = session).`,
  ],
  [['28000', '28P01'], (why) => `The database refuses the login: ${why}. Compare the user and the password of OSTIARY_DATABASE_URL.`],
  [['3D000'], (why) => `The server has no such database: ${why}. Create it, or correct its name in OSTIARY_DATABASE_URL.`],
  [
    ['53300'],
    (why) =>
      `The database has no connection left: ${why}. Raise its max_connections, or the limit of the user or the database, or end other processes.`,
  ],
  [['53100', '58030'], (why) => `The disk of the database is full or fails: ${why}. Make room there.`],
  [
    ['25006'],
    (why) => `The database is read-only: ${why}. Let OSTIARY_DATABASE_URL name the primary, and turn default_transaction_read_only off.`,
  ],
]

/**
 * Reports whether a node of a distributed database lost its connection to another node, or was shut down itself, during a statement or a
 * commit. Citus says so by an error of the class of connections, or by an internal error with one of these texts.
 */
function lostNode({ code = '', message }: DatabaseError): boolean {
  return code.startsWith('08') || (code === internal_error && lost_node.some((text) => message.includes(text)))
}

const lost_node = [
  'postmaster was shut down',
  'server closed the connection unexpectedly',
  'failure on connection marked as essential',
  'could not commit transaction',
]

/** Reports whether the server could not reach another server, which has the rows of some environments. Other rows may be in reach. */
export function isOfOneNode({ cause }: DatabaseUnavailable): boolean {
  return isRefusal(cause) && lostNode(cause)
}

/** Reports whether the user of the database may not do what a statement does. */
export const lacksRight = (error: unknown): boolean => isRefusal(error) && error.code === insufficient_privilege

/** Reports whether another session cancelled the statement. Citus does that to one of the batches of a deadlock over several nodes. */
export const isCancelled = (error: unknown): boolean => isRefusal(error) && error.code === '57014' && error.message.includes('user request')

/** Reports an error of severity ERROR: the transaction is undone and the connection goes on. A higher severity ends the connection. */
export function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && (error.severity === 'ERROR' || error.severity === undefined)
}

/** The server logs this text when a guard fails. It shows the reader of the log that nothing is wrong. */
export const undone_on_purpose = 'undone on purpose: another change came first'

export function isUndoneOnPurpose(error: unknown): boolean {
  return isRefusal(error) && error.message.includes(undone_on_purpose)
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const insufficient_privilege = '42501'
const internal_error = 'XX000'
const unique_violation = '23505' // a batch took the key after a guard of this one saw it free; run again, the guard fails
const lost_a_race = new Set(['40001', '40P01']) // serialization_failure, deadlock_detected
const stale_connection = new Set(['26000', '0A000', '25006']) // invalid_sql_statement_name, "cached plan must not change", read_only_sql_transaction
const of_disk = new Set(['25006', '53100', '58030']) // read_only_sql_transaction, disk_full, io_error
const too_slow = new Set(['57014', '55P03']) // canceled by statement_timeout, lock_not_available
const out_of_service = new Set(['53', '57', '58']) // classes: resources, operator, disk
