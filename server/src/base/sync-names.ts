/** Brings the names of files to the disk. A file that was created and synced is lost with its name until its directory is synced. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Does nothing on Windows, which has no such sync. */
export function syncNames(directory: string): void {
  if (process.platform === 'win32') return
  const opened = openSync(directory, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
