/**
 * The packages of the client library, which npm installs from here: that of this version and those of the releases before it. The launcher
 * or the release puts them into a folder; nothing is built for a request. See docs/decisions/0152.
 */
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sdkFile } from '@ostiary/contract/sdk-package.ts'

interface Package {
  readonly body: Buffer
  readonly etag: string
  /** RFC 9530 §3. The same hash is `integrity` in a lock file. */
  readonly digest: string
}

const is_name = /^ostiary-sdk-\d+\.\d+\.\d+\.tgz$/

/** @param folder may be missing, as long as nothing is packed */
export function createPackages(folder: string) {
  const kept = new Map<string, Package & { made_at: number }>()

  return {
    /** `waiting` for the package of this version while it is not packed yet; `null` for a version that is not here. */
    find(name: string): Package | 'waiting' | null {
      if (!is_name.test(name)) return null
      const made_at = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs
      if (made_at === undefined) return name === sdkFile() ? 'waiting' : null
      const known = kept.get(name)
      if (known?.made_at === made_at) return known
      const body = readFileSync(join(folder, name))
      const sum = hash('sha512', body, 'buffer')
      const made = { body, etag: `"${sum.toString('base64url').slice(0, 22)}"`, digest: `sha-512=:${sum.toString('base64')}:`, made_at }
      kept.set(name, made) // at most one for each file of the folder
      return made
    },
  }
}
