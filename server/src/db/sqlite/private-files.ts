/** Restricts the files of the embedded database to the service's user, whatever the umask. Windows has no such modes. */
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Matches the service's files in its data directory. */
const own_file = /^(master\.key|(ostiary\.db|serve\.lock)(-wal|-shm|-journal)?)$/

const open_to_others = 0o077

/**
 * Creates an empty file with mode 0600 if it does not exist. SQLite gives the same mode to the files beside it. An existing file is not
 * opened, since closing it would release the locks that this process holds on it.
 */
export function createPrivateFile(path: string): void {
  try {
    const file = openSync(path, 'wx', 0o600)
    fchmodSync(file, 0o600)
    closeSync(file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/**
 * Creates the directory with mode 0700, or removes the rights of other users from the service's files in it. The mode of an existing
 * directory changes only if it contains no other files, since other programs may use it.
 */
export function makePrivateDirectory(path: string): void {
  const created = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (created !== undefined) chmodSync(path, 0o700)
  const names = readdirSync(path)
  if (names.every((name) => own_file.test(name))) tighten(path, 0o700)
  for (const name of names) if (own_file.test(name)) tighten(join(path, name), 0o600)
}

/** Lists the service's files in the directory that other users can read or write. */
export function exposedFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => own_file.test(name))
    .map((name) => join(path, name))
    .filter((file) => (modeOf(file) & open_to_others) !== 0)
}

/** Reports whether other users can replace files in the directory. */
export function isWritableByOthers(path: string): boolean {
  return (modeOf(path) & 0o022) !== 0
}

/** Leaves a file of another user as it is; `ostiary doctor` reports it. */
function tighten(path: string, mode: number): void {
  if ((modeOf(path) & open_to_others) === 0) return
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'ENOENT'].includes(codeOf(error))) throw error
  }
}

/** Returns 0 for a missing file: SQLite removes the files beside the database when the last process closes it. */
function modeOf(path: string): number {
  return process.platform === 'win32' ? 0 : (statSync(path, { throwIfNoEntry: false })?.mode ?? 0)
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '' // as: node:fs throws these
