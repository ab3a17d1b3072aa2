/**
 * Packs the client library as npm would, into `dist/sdk/`, from where the service serves it. The same sources make the same bytes, and a
 * version that was released keeps the bytes of its release: `sdk/releases/` has those. See docs/decisions/0152.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeTar } from '../packaging/tar.ts'
import { buildSdk } from './build.ts'

const here = import.meta.dirname
/** npm gives every file this time too. */
const file_time = new Date('1985-10-26T08:15:00Z')
const is_package = /^ostiary-sdk-.*\.tgz$/

/** Writes the packages of this version and of all releases into a folder, and removes those of other builds. */
export function packSdk(folder: string): void {
  const released = join(here, 'releases')
  const kept = existsSync(released) ? readdirSync(released).filter((name) => is_package.test(name)) : []
  const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string } // as: a package.json
  const current = `ostiary-sdk-${version}.tgz`
  mkdirSync(folder, { recursive: true })
  for (const name of kept) copyFileSync(join(released, name), join(folder, name))
  if (!kept.includes(current)) {
    writeFileSync(join(folder, `${current}.tmp`), packedSdk())
    renameSync(join(folder, `${current}.tmp`), join(folder, current))
  }
  for (const name of readdirSync(folder)) if (name !== current && !kept.includes(name)) rmSync(join(folder, name))
}

/** Returns the archive that npm installs: everything stands in the folder `package`. */
export function packedSdk(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-sdk-'))
  try {
    buildSdk(folder)
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    const files = paths.map((path) => ({
      path: `package/${path.slice(folder.length + 1).replaceAll('\\', '/')}`,
      mode: 0o644,
      content: readFileSync(path),
    }))
    return gzipSync(writeTar(files, file_time), { level: 9 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) packSdk(join(here, '../dist/sdk'))
