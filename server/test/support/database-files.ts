/** New paths for embedded databases of a test file, in a folder that is removed after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

export function databaseFiles(): { folder: string; freshFile: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-sqlite-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  let files = 0
  const freshFile = () => {
    files += 1
    return join(folder, `${files}.db`)
  }
  return { folder, freshFile }
}
