/** Classifies errors of PostgreSQL: the batch can run again, the database is unavailable, or the program has a bug. */
import { DatabaseError } from 'pg'
import { DatabaseUnavailable } from './db.ts'

/** The connection ended during a batch, so it is unknown whether the server committed it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/**
 * Reports whether the server undid the batch because of other transactions or the state of the connection. The same batch may run
 * again: it holds all its conditions, so the second run equals a later request.
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
  if (lacksRight(error))
    return new DatabaseUnavailable(
      `The user of the database lacks a right: ${error.message}. Make that user the owner of the database. Nothing was changed.`,
      { cause: error },
    )
  if (lost_statements.has(code))
    return new DatabaseUnavailable(
      `A pooler before the database lost a prepared statement: ${error.message}. Let PgBouncer keep them (version 1.21 or later with max_prepared_statements above 0), or give each client its own session (pool_mode = session). Nothing was changed.`,
      { cause: error },
    )
  if (lost_a_race.has(code) || code === '25006' || too_slow.has(code) || out_of_service.has(code.slice(0, 2)))
    return new DatabaseUnavailable(`The database refuses for now: ${error.message}. Nothing was changed.`, { cause: error })
  return error
}

/**
 * Reports whether a node of a distributed database lost its connection to another node, or was shut down itself, during a statement or a commit.
 * Citus says so by an error of the class of connections, or by an internal error with one of these texts.
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
const lost_statements = new Set(['26000', '42P05']) // invalid_sql_statement_name, duplicate_prepared_statement
const too_slow = new Set(['57014', '55P03']) // canceled by statement_timeout, lock_not_available
const out_of_service = new Set(['53', '57', '58']) // classes: resources, operator, disk
