/**
 * Where the processor goes: the shares of signing, SQLite, garbage collection, Node and our own code in each scenario, as a table for
 * RESULTS.md. `perf` samples every thread of the service and the kernel for it. Without `perf`, Node's own profiler samples the main thread
 * alone, and the processor time of the other threads is one row.
 *
 * The service runs from its sources, so that a function has the name of its file. A share says where the processor was, not on whose behalf:
 * what a function calls in SQLite counts for SQLite.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Ground, root } from './contestants.ts'
import { load } from './load.ts'
import type { ScenarioName } from './options.ts'
import { seedOstiary, startOstiary } from './ostiary.ts'
import type { ServerProcess } from './process.ts'
import { aligned } from './report.ts'
import { common, own } from './scenarios.ts'
import { count, placeOfFrame, placesInScript } from './where.ts'

const scenarios = ['refresh', 'code', 'userinfo', 'whoami'] as const satisfies readonly ScenarioName[]
const in_flight = 16
const warm_up_seconds = 20
/** More people than code flows that bring one of them to the bound of grants. */
const people = 200

export interface Breakdown {
  readonly by: 'perf' | 'the profiler of Node'
  readonly scenarios: readonly { readonly scenario: ScenarioName; readonly cpu_us: number; readonly shares: Shares }[]
}

/** The share of each place, of 1. */
type Shares = Readonly<Record<string, number>>

export async function surveyBreakdown({ folder, core }: Ground, seconds: number, progress: (text: string) => void): Promise<Breakdown> {
  const by = spawnSync('perf', ['--version']).status === 0 ? 'perf' : 'the profiler of Node'
  const checkout = { root, folder: join(folder, 'breakdown'), database_url: null, core, from_sources: true }
  // Beside the names for `perf` V8 writes a log, by default into the folder of the caller.
  const naming = ['--perf-basic-prof', '--no-logfile-per-isolate', `--logfile=${join(folder, 'v8.log')}`]
  const started = await startOstiary({ ...checkout, flags: by === 'perf' ? naming : [] })
  const seeded = await seedOstiary(root, started, people)
  const sample = by === 'perf' ? sampleByPerf : sampleByNode
  const measured: Breakdown['scenarios'][number][] = []
  for (const scenario of scenarios) {
    progress(`where the processor goes: ${scenario}`)
    const step = scenario === 'whoami' ? await own.whoami(seeded, in_flight) : await common[scenario](seeded, in_flight)
    await load(seeded.address, step, { in_flight, seconds: warm_up_seconds })
    const before = await started.process.usage()
    const run = () => load(seeded.address, step, { in_flight, seconds })
    const { shares, answered } = await sample(started.process, join(folder, `breakdown-${scenario}`), run)
    measured.push({ scenario, cpu_us: ((await started.process.usage()).cpu_us - before.cpu_us) / answered, shares })
  }
  await started.process.stop()
  rmSync(`/tmp/perf-${started.process.pid}.map`, { force: true }) // Node writes it there for `perf`
  return { by, scenarios: measured }
}

type Sample = (
  process: ServerProcess,
  file: string,
  run: () => Promise<{ answered: number }>,
) => Promise<{ shares: Shares; answered: number }>

const sampleByPerf: Sample = async ({ pid }, file, run) => {
  const recording = spawn('perf', ['record', '-q', '-F', '1999', '-g', '-p', String(pid), '-o', file], { stdio: 'ignore' })
  const { answered } = await run()
  recording.kill('SIGINT')
  await once(recording, 'exit')
  const printed = spawnSync('perf', ['script', '-i', file, '-F', 'comm,ip,sym,dso'], { encoding: 'utf8', maxBuffer: 2 ** 30 })
  rmSync(file, { force: true })
  return { shares: sharesOf(placesInScript(printed.stdout)), answered }
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string; readonly url: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const sampleByNode: Sample = async (server, file, run) => {
  const times = () => server.ask<{ cpu_us: number; main_us: number }>('times')
  const before = await times()
  await server.ask('beginProfile')
  const { answered } = await run()
  await server.ask('endProfile', { file })
  const after = await times()
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile // as: the probe writes it
  rmSync(file, { force: true })
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOfFrame(callFrame)]))
  const places = new Map<string, number>()
  for (const [at, id] of profile.samples.entries()) {
    const place = frames.get(id) ?? null
    if (place !== null) count(places, place, profile.timeDeltas[at] ?? 0)
  }
  const main_us = after.main_us - before.main_us
  const of_main = sharesOf(places)
  const other_threads = 1 - main_us / (after.cpu_us - before.cpu_us)
  const shares = Object.entries(of_main).map(([place, share]) => [place, share * (1 - other_threads)] as const)
  return { shares: { ...Object.fromEntries(shares), 'other threads: signing, syncs, V8': other_threads }, answered }
}

function sharesOf(places: ReadonlyMap<string, number>): Shares {
  const all = [...places.values()].reduce((sum, each) => sum + each, 0)
  return Object.fromEntries([...places].map(([place, amount]) => [place, amount / all]))
}

/** The largest first, in percent; each column adds up to 100. */
export function breakdownTable({ by, scenarios }: Breakdown): string {
  const places = [...new Set(scenarios.flatMap(({ shares }) => Object.keys(shares)))]
  const total = (place: string) => scenarios.reduce((sum, { shares }) => sum + (shares[place] ?? 0), 0)
  const percent = (share = 0) => (100 * share).toFixed(1)
  const rows = places.sort((a, b) => total(b) - total(a)).map((place) => [place, ...scenarios.map(({ shares }) => percent(shares[place]))])
  const head = [`percent, by ${by}`, ...scenarios.map(({ scenario }) => scenario)]
  return aligned([head, ['processor time, µs', ...scenarios.map(({ cpu_us }) => cpu_us.toFixed(0))], ...rows])
}
