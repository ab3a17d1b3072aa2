/** Classifies errors of SQLite: try again later, the database is unavailable, or the program has a bug. */
import { DatabaseUnavailable, Unconfirmed, WritesFail } from '../db.ts'

// https://www.sqlite.org/rescode.html
const busy = [5, 6] // SQLITE_BUSY, SQLITE_LOCKED
const of_disk = [8, 10, 13] // READONLY, IOERR, FULL
const out_of_service = [...busy, ...of_disk, 14] // CANTOPEN

const of_syncs = [1034, 1290] // IOERR_FSYNC, IOERR_DIR_FSYNC

function extendedCodeOf(error: unknown): number {
  const { errcode = 0 } = error as { errcode?: number } // as: node:sqlite puts SQLite's extended code there
  return errcode
}

const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A sync of SQLite failed, so the disk may lack what earlier commits wrote. */
export const isFailedSync = (error: unknown) => of_syncs.includes(extendedCodeOf(error))

export const isBusy = (error: unknown) => busy.includes(codeOf(error))

/** Maps an error of node:sqlite to the error for the caller. */
export function toCallersError(error: unknown): unknown {
  if (of_disk.includes(codeOf(error)))
    return new WritesFail(`The database takes no changes: ${messageOf(error)}. Nothing was changed.`, { cause: error })
  if (!out_of_service.includes(codeOf(error))) return error
  return new DatabaseUnavailable('The database cannot be used. Nothing was changed.', { cause: error })
}

/** Maps the error of a group that was not committed. */
export function unwritten(what: string, error: unknown): DatabaseUnavailable {
  const problem = `${what}: ${messageOf(error)}. Nothing was changed.`
  if (!of_disk.includes(codeOf(error))) return new DatabaseUnavailable(problem, { cause: error })
  return new WritesFail(problem, { cause: error })
}

/** The disk may lack the last commits. */
export const unsynced = (error: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable(`The database could not be written to its disk: ${messageOf(error)}.`, { cause: error })

/** Maps the error of a group that was committed, and of which it is not known whether the disk has it. */
export const ofUnknownOutcome = (error: DatabaseUnavailable): Unconfirmed =>
  new Unconfirmed(`${error.message} It is not known whether the change was made.`, { cause: error })
