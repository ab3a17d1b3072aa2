/**
 * Measures in rounds: in each, every contestant once, one after the other, so that what the machine does besides meets all
 * of them alike. A measurement during which somebody else used the server's core is made again, a few times at most.
 */
import type { Contestant, ContestantName } from './contestants.ts'
import type { Load } from './load.ts'
import { busySeconds } from './machine.ts'
import type { Options, ScenarioName } from './options.ts'

export interface Measurement extends Load {
  readonly scenario: ScenarioName
  readonly contestant: ContestantName
  readonly in_flight: number
  readonly round: number
  readonly per_second: number
  /** Processor time of the server for each, in microseconds. */
  readonly cpu_us: number
  /** How much of the server's core others used meanwhile. */
  readonly others_share: number
}

/** Above this somebody else was measured too. */
export const most_disturbed = 0.1
const most_tries = 3
/**
 * V8 makes the code that runs often faster for as long as this: on one core, processor time for a JWKS fell from 220 to 75 µs in
 * 6 s. Of what is answered some hundred times a second it takes longer: of the code flow it still compiled after 10,000.
 */
const warm_up_seconds = (scenario: ScenarioName) => (scenario === 'code' ? 25 : scenario === 'refresh' ? 15 : 8)

interface Place {
  readonly core: number | null
  readonly tell: (text: string) => void
}

export async function runRounds(options: Options, contestants: readonly Contestant[], { core, tell }: Place): Promise<Measurement[]> {
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
        tell(`${scenario}, ${in_flight} in flight, round ${round + 1} of ${rounds}`)
        // Each comes first in turn.
        const order = [...taking_part.slice(round % taking_part.length), ...taking_part.slice(0, round % taking_part.length)]
        for (const contestant of order) {
          const measured = await measureQuietly(contestant, scenario, { in_flight, seconds, core })
          measurements.push({ scenario, contestant: contestant.name, in_flight, round, ...measured })
        }
      }
    }
    if (profile) await writeProfile(taking_part, scenario, `${profile}/${scenario}.cpuprofile`, seconds * 2)
  }
  return measurements
}

type Figures = Omit<Measurement, 'scenario' | 'contestant' | 'in_flight' | 'round'>

interface Amount {
  readonly in_flight: number
  readonly seconds: number
  readonly core: number | null
}

/** The least disturbed of a few tries. */
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

/** Of the first contestant: Ostiary as it is here. */
async function writeProfile([first]: readonly Contestant[], scenario: ScenarioName, file: string, seconds: number): Promise<void> {
  const run = await first?.prepare(scenario, 16)
  await first?.process.ask('beginProfile')
  await run?.(seconds)
  await first?.process.ask('endProfile', { file })
}
