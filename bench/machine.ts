/**
 * The machine of a benchmark: one core for the server, another for the loader, and how much of the server's core other processes
 * used meanwhile. Reports when cores cannot be chosen (no Linux, no `taskset`, one core).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'

export interface Cores {
  readonly server: number
  readonly loader: number
}

/** Chooses two cores that this process may use, or explains why it cannot. */
export function chooseCores(): { cores: Cores } | { why_not: string } {
  if (process.platform !== 'linux') return { why_not: `cores cannot be chosen on ${process.platform}` }
  const list = affinity()
  if (list === null) return { why_not: 'there is no taskset' }
  const [server, loader] = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  return server === undefined || loader === undefined ? { why_not: 'there is one core only' } : { cores: { server, loader } }
}

/** The cores that this process may use, such as `0,1` or `0-3`; null where they cannot be chosen. */
function affinity(): string | null {
  const asked = spawnSync('taskset', ['-pc', String(process.pid)], { encoding: 'utf8' })
  return asked.status === 0 ? (asked.stdout.split(':').at(-1)?.trim() ?? null) : null
}

/** Moves this process to a core. Child processes inherit it by default. */
export function moveTo(core: number): void {
  execFileSync('taskset', ['-apc', String(core), String(process.pid)], { stdio: 'ignore' })
}

/** Runs on all cores what has processes of its own for its parts, such as a browser, and goes back to its core afterwards. */
export async function onAllCores<Result>(run: () => Promise<Result>): Promise<Result> {
  const placed = affinity()
  if (placed === null) return run()
  const move = (list: string) => execFileSync('taskset', ['-apc', list, String(process.pid)], { stdio: 'ignore' })
  move(`0-${cpus().length - 1}`)
  try {
    return await run()
  } finally {
    move(placed)
  }
}

/** Makes a command line that runs on one core. */
export function onCore(core: number | null, file: string, args: readonly string[]): [string, string[]] {
  return core === null ? [file, [...args]] : ['taskset', ['-c', String(core), file, ...args]]
}

const ticks_per_second = 100

/** The seconds that a core was busy since the machine started, for all processes. */
export function busySeconds(core: number | null): number {
  if (core === null) return Number.NaN
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(' ').map(Number)
  return (user + nice + system + irq + softirq + steal) / ticks_per_second
}

export function describeMachine(placed: ReturnType<typeof chooseCores>): Record<string, string | number> {
  return {
    node: process.version,
    openssl: process.versions.openssl ?? '',
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    placement:
      'cores' in placed ? `server on core ${placed.cores.server}, loader on core ${placed.cores.loader}` : `not pinned: ${placed.why_not}`,
  }
}
