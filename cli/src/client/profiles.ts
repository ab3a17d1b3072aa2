/**
 * Profiles: where a person signed in, with the tokens and defaults of that sign-in. All of them are in `profiles.json`, which only its
 * owner can read, and which is replaced as a whole. A change holds the lock, so that two commands never spend one refresh token.
 */
import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { UsageError } from '../usage.ts'
import { Refused } from './refused.ts'

const Tokens = z.object({
  access_token: z.string(),
  expires_at: z.iso.datetime(),
  refresh_token: z.string().nullable(),
})
export type Tokens = z.infer<typeof Tokens>

/** The defaults of options that a command line omits. */
const Defaults = z.object({
  tenant: z.string().nullable(),
  project: z.string().nullable(),
  env: z.string().nullable(),
})
export type Defaults = z.infer<typeof Defaults>

export const Profile = z.object({
  base_url: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  user_id: z.string(),
  /** `null` after the sign-in has ended. */
  tokens: Tokens.nullable(),
  defaults: Defaults,
})
export type Profile = z.infer<typeof Profile>

const Profiles = z.object({ current: z.string(), profiles: z.record(z.string(), Profile) })
export type Profiles = z.infer<typeof Profiles>

const none: Profiles = { current: 'default', profiles: {} }

export const isProfileName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

export const profilesFile = (folder: string) => join(folder, 'profiles.json')

/** @throws UsageError if the file is broken or others can read it */
export function readProfiles(folder: string): Profiles {
  return readPrivate(profilesFile(folder), Profiles) ?? none
}

/** Changes the profiles while no other command does. `change` gets the current ones and can wait, such as for new tokens. */
export async function changeProfiles<T>(
  folder: string,
  change: (profiles: Profiles) => Promise<{ profiles: Profiles; result: T }>,
): Promise<T> {
  makeFolder(folder)
  return withLock(join(folder, 'profiles.lock'), async () => {
    const before = readProfiles(folder)
    const { profiles, result } = await change(before)
    if (profiles !== before) writePrivate(profilesFile(folder), profiles)
    return result
  })
}

/** Reads a file of the client; `null` if there is none. */
export function readPrivate<T>(path: string, schema: z.ZodType<T>): T | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
    throw new UsageError(`Other users can read ${path}. Run "chmod 600 ${path}", and sign in again if one of them may have.`)
  if (process.getuid && ![process.getuid(), 0].includes(stat.uid))
    throw new UsageError(`${path} belongs to another user. Set XDG_CONFIG_HOME to a folder of yours.`)
  const text = readFileSync(path, 'utf8')
  const parsed = schema.safeParse(jsonOf(text))
  if (!parsed.success) throw new UsageError(`${path} is not a file of this command. Move it away, then sign in again.`)
  return parsed.data
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces a file. A reader, and a crash at any moment, finds the old or the new content. */
export function writePrivate(path: string, value: unknown): void {
  makeFolder(dirname(path))
  const file = openSync(`${path}.tmp`, 'w', 0o600)
  try {
    fchmodSync(file, 0o600) // a file that a crash left may have another mode
    writeSync(file, `${JSON.stringify(value, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.tmp`, path)
}

export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

const lock_timeout_ms = 60_000
const lock_interval_ms = 50

/** The lock is SQLite's on a file of its own, so it ends with the process, even after kill -9. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { lockFile } = await import('@ostiary/server/db/sqlite/file-lock.ts')
  for (let waited_ms = 0; ; waited_ms += lock_interval_ms) {
    const lock = lockFile(path)
    if (lock !== null) return work().finally(() => lock.release())
    if (waited_ms >= lock_timeout_ms)
      throw new Refused('Another command holds the profiles for more than a minute. End it, then try again.')
    await sleep(lock_interval_ms)
  }
}
