/** The files of the embedded database are for the user that runs the service, whatever the umask says. Windows has no such modes. */
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the service keeps in its data directory. */
const own_file = /^(master\.key|(ostiary\.db|serve\.lock)(-wal|-shm|-journal)?)$/

const open_to_others = 0o077

/**
 * Creates an empty file with mode 0600 where there is none. SQLite gives the files beside it the same mode. An existing file is never
 * opened: to close it would end the locks that this process holds on it.
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
 * Creates the directory with mode 0700, or takes the rights of others away from the service's files in it. The directory itself is changed only
 * where it holds nothing else, since it may be one that others use.
 */
export function makePrivateDirectory(path: string): void {
  const created = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (created !== undefined) chmodSync(path, 0o700)
  const names = readdirSync(path)
  if (names.every((name) => own_file.test(name))) tighten(path, 0o700)
  for (const name of names) if (own_file.test(name)) tighten(join(path, name), 0o600)
}

/** The service's files in the directory that others can read or write. */
export function exposedFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => own_file.test(name))
    .map((name) => join(path, name))
    .filter((file) => (modeOf(file) & open_to_others) !== 0)
}

/** Can others replace files in the directory? */
export function isWritableByOthers(path: string): boolean {
  return (modeOf(path) & 0o022) !== 0
}

/** What belongs to another user cannot be changed; `ostiary doctor` reports it. */
function tighten(path: string, mode: number): void {
  if ((modeOf(path) & open_to_others) === 0) return
  try {
    chmodSync(path, mode)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'ENOENT'].includes(codeOf(error))) throw error
  }
}

/** 0 where there is nothing: SQLite removes the files beside the database when the last process closes it. */
function modeOf(path: string): number {
  return process.platform === 'win32' ? 0 : (statSync(path, { throwIfNoEntry: false })?.mode ?? 0)
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '' // as: node:fs throws these
