/** The master key file of a deployment that sets no OSTIARY_MASTER_KEY. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../cannot-start.ts'
import { syncNames } from '../sync-names.ts'

/**
 * Reads the key: 32 bytes in base64, readable by the owner only. Creates it on the first start; of two first starts, one creates it. It is on
 * the disk before it seals anything, since what it sealed is lost with it.
 */
export function readMasterKey(data_dir: string, random: (bytes: number) => Buffer): Buffer {
  const path = join(data_dir, 'master.key')
  try {
    writeFileSync(path, `${random(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(path, 0o600) // the umask may have removed rights of the owner
    syncNames(data_dir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // as: node:fs throws these
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32)
    throw new CannotStart(
      `${path} does not hold 32 bytes in base64. Restore it from your backup: without it, the sealed data in the database cannot be read.`,
    )
  return key
}
