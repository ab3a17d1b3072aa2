/** What a failure of PostgreSQL means: run the batch again, tell that the database is out of reach, or a fault of ours. */
import { DatabaseError } from 'pg'
import { DatabaseUnavailable } from './db.ts'

/** The connection ended, or was given up, while a batch was under way: nobody knows whether the server committed it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/**
 * The server undid the batch because of others, not because of what it says: it may be run again as it is. Safe because
 * a batch carries all its conditions with it, so the second run is the same as having come a moment later.
 */
export function isWorthRepeating(error: unknown): boolean {
  return isRefusal(error) && (lost_a_race.has(error.code ?? '') || worn_out.has(error.code ?? '') || error.code === unique_violation)
}

/**
 * This connection is of no more use, another one may be: what was prepared on it is gone (a pooler, `discard all`) or
 * does not fit a schema that changed, or its server became a standby.
 */
export function isWornOut(error: unknown): boolean {
  return isRefusal(error) && worn_out.has(error.code ?? '')
}

/** Turns what the driver throws into what a caller should see. */
export function toCallersError(error: unknown, is_read: boolean): unknown {
  if (error instanceof ConnectionLost) {
    const outcome = is_read ? '' : ' It is not known whether the change was made.'
    return new DatabaseUnavailable(`The connection to the database was lost.${outcome}`, { cause: error })
  }
  if (!isRefusal(error) || error.code === undefined) return error
  const { code } = error
  if (code === insufficient_privilege)
    return new DatabaseUnavailable(
      `The user of the database lacks a right: ${error.message}. Make that user the owner of the database. Nothing was changed.`,
      { cause: error },
    )
  if (lost_a_race.has(code) || code === '25006' || too_slow.has(code) || out_of_service.has(code.slice(0, 2)))
    return new DatabaseUnavailable(`The database refuses for now: ${error.message}. Nothing was changed.`, { cause: error })
  return error
}

/** An error of severity ERROR: the transaction is undone and the connection goes on. What is worse ends the connection. */
export function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && (error.severity === 'ERROR' || error.severity === undefined)
}

/** What stands in the server's log where a batch undid itself: whoever reads it there should know that nothing is wrong. */
export const undone_on_purpose = 'undone on purpose: another change came first'

export function isUndoneOnPurpose(error: unknown): boolean {
  return isRefusal(error) && error.message.includes(undone_on_purpose)
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const insufficient_privilege = '42501'
const unique_violation = '23505' // a batch took the key after a guard of this one saw it free; run again, the guard fails
const lost_a_race = new Set(['40001', '40P01']) // serialization_failure, deadlock_detected
const worn_out = new Set(['26000', '0A000', '25006']) // invalid_sql_statement_name, "cached plan must not change", read_only_sql_transaction
const too_slow = new Set(['57014', '55P03']) // canceled by statement_timeout, lock_not_available
const out_of_service = new Set(['08', '53', '57', '58']) // classes: connection, resources, operator, disk
