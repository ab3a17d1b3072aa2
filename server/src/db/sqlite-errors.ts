/** Classifies errors of SQLite: try again later, the database is unavailable, or the program has a bug. */
import { DatabaseUnavailable } from './db.ts'

// https://www.sqlite.org/rescode.html
const busy = [5, 6] // SQLITE_BUSY, SQLITE_LOCKED
const out_of_service = [...busy, 8, 10, 13, 14] // READONLY, IOERR, FULL, CANTOPEN

function codeOf(error: unknown): number {
  const { errcode = 0 } = error as { errcode?: number } // as: node:sqlite puts SQLite's extended code there
  return errcode & 0xff
}

export const isBusy = (error: unknown) => busy.includes(codeOf(error))

/** Maps an error of node:sqlite to the error for the caller. */
export function toCallersError(error: unknown): unknown {
  if (!out_of_service.includes(codeOf(error))) return error
  return new DatabaseUnavailable('The database cannot be used. Nothing was changed.', { cause: error })
}
