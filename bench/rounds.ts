/**
 * Measures in rounds: each round measures every contestant once, one after the other, so that other load on the machine affects all
 * alike. A measurement is repeated, a few times at most, if other processes used the server's core meanwhile.
 */
import { join } from 'node:path'
import type { Contestant, ContestantName } from './contestants.ts'
import { inRandomOrder, type Load } from './load.ts'
import { busySeconds } from './machine.ts'
import type { Options, ScenarioName } from './options.ts'

export interface Measurement extends Load {
  readonly scenario: ScenarioName
  readonly contestant: ContestantName
  readonly in_flight: number
  readonly round: number
  readonly per_second: number
  /** Processor time of the server per request, in microseconds. */
  readonly cpu_us: number
  /** The share of the server's core that other processes used meanwhile. */
  readonly others_share: number
}

/** Above this share of other processes a measurement is disturbed. */
export const most_disturbed = 0.1
const most_tries = 3
/**
 * V8 needs this long to optimize frequent code: on one core, the processor time for a JWKS fell from 220 to 75 µs in 6 s. It takes
 * longer for scenarios with a few hundred answers per second: in the code flow V8 still compiled after 10,000 requests.
 */
const warm_up_seconds = (scenario: ScenarioName) =>
  scenario === 'code' || scenario === 'bound' ? 25 : scenario.startsWith('refresh') ? 15 : 8

interface RunContext {
  readonly core: number | null
  /** The number of the first round. */
  readonly first_round: number
  readonly progress: (text: string) => void
}

export async function runRounds(
  options: Options,
  contestants: readonly Contestant[],
  { core, first_round, progress }: RunContext,
): Promise<Measurement[]> {
  const { scenarios, rounds, seconds, longest_warm_up, profile } = options
  const measurements: Measurement[] = []
  for (const scenario of scenarios) {
    const taking_part = contestants.filter((contestant) => contestant.takesPart(scenario))
    for (const contestant of taking_part) {
      await contestant.check(scenario)
      const warmUp = await contestant.prepare(scenario, 16)
      await warmUp(Math.min(warm_up_seconds(scenario), longest_warm_up))
    }
    for (const in_flight of options.in_flight) {
      for (let round = 0; round < rounds; round++) {
        progress(`${scenario}, ${in_flight} in flight, round ${round + 1} of ${rounds}`)
        for (const contestant of inRandomOrder(taking_part)) {
          const measured = await measureQuietly(contestant, scenario, { in_flight, seconds, core })
          measurements.push({ scenario, contestant: contestant.name, in_flight, round: first_round + round, ...measured })
        }
      }
    }
    if (profile)
      for (const contestant of taking_part)
        await writeProfile(contestant, scenario, join(profile, `${scenario} of ${contestant.name}.cpuprofile`), seconds * 2)
  }
  return measurements
}

type Figures = Omit<Measurement, 'scenario' | 'contestant' | 'in_flight' | 'round'>

interface Amount {
  readonly in_flight: number
  readonly seconds: number
  readonly core: number | null
}

/** Measures a few times at most and returns the least disturbed result. */
async function measureQuietly(contestant: Contestant, scenario: ScenarioName, amount: Amount): Promise<Figures> {
  let best = await measure(contestant, scenario, amount)
  for (let tries = 1; tries < most_tries && best.others_share > most_disturbed; tries++) {
    const again = await measure(contestant, scenario, amount)
    if (again.others_share < best.others_share) best = again
  }
  return best
}

async function measure({ process, prepare }: Contestant, scenario: ScenarioName, { in_flight, seconds, core }: Amount): Promise<Figures> {
  const run = await prepare(scenario, in_flight)
  const busy = busySeconds(core)
  const { cpu_us } = await process.usage()
  const load = await run(seconds)
  const used_us = (await process.usage()).cpu_us - cpu_us
  const others_share = core === null ? 0 : Math.max(0, (busySeconds(core) - busy - used_us / 1e6) / load.seconds)
  return { ...load, per_second: load.answered / load.seconds, cpu_us: used_us / load.answered, others_share }
}

async function writeProfile({ process, prepare }: Contestant, scenario: ScenarioName, file: string, seconds: number): Promise<void> {
  const run = await prepare(scenario, 16)
  await process.ask('beginProfile')
  await run(seconds)
  await process.ask('endProfile', { file })
}
