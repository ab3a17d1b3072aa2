/** UserInfo beside refreshes: what one of them costs the other. The embedded engine only, and another checkout beside this one. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ContestantName, type Ground, root } from './contestants.ts'
import { inRandomOrder, type Load, load, median } from './load.ts'
import type { Options } from './options.ts'
import { newMasterKey, seedOstiary, startOstiary } from './ostiary.ts'
import { common } from './scenarios.ts'

const in_flight_of_each = 8
const people = 64

export async function surveyBeside(
  ground: Ground,
  { rounds, seconds, longest_warm_up, against }: Pick<Options, 'rounds' | 'seconds' | 'longest_warm_up' | 'against'>,
  progress: (text: string) => void,
) {
  const all = [await enter('ostiary', root, ground), ...(against ? [await enter('before', against, ground)] : [])]
  for (const { measure } of all) await measure(Math.min(10, longest_warm_up))
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    progress(`UserInfo beside refreshes, round ${round + 1} of ${rounds}`)
    for (const { name, measure } of inRandomOrder(all)) measured.push({ contestant: name, ...(await measure(seconds)) })
  }
  for (const { process } of all) await process.stop()
  return all.map(({ name }) =>
    summaryOf(
      measured.filter(({ contestant }) => contestant === name),
      name,
    ),
  )
}

interface Measured {
  readonly contestant: ContestantName
  readonly userinfo: Load
  readonly refresh: Load
}

async function enter(name: ContestantName, root: string, { folder, core }: Ground) {
  const own = join(folder, `beside-${name}`)
  mkdirSync(own)
  const started = await startOstiary({ root, folder: own, database_url: null, core }, newMasterKey())
  const seeded = await seedOstiary(root, started, people)
  const options = (seconds: number) => ({ in_flight: in_flight_of_each, seconds })
  async function measure(seconds: number): Promise<Omit<Measured, 'contestant'>> {
    const [ask, refresh] = [await common.userinfo(seeded, in_flight_of_each), await common.refresh(seeded, in_flight_of_each)]
    const [userinfo, refreshes] = await Promise.all([
      load(seeded.address, ask, options(seconds)),
      load(seeded.address, refresh, options(seconds)),
    ])
    return { userinfo, refresh: refreshes }
  }
  return { name, process: started.process, measure }
}

/** The medians of the rounds, each in requests a second. */
function summaryOf(rounds: readonly Measured[], contestant: ContestantName) {
  const perSecond = (of: (each: Measured) => Load) =>
    Number(median(rounds.map(of).map(({ answered, seconds }) => answered / seconds)).toFixed(1))
  return { contestant, userinfo: perSecond(({ userinfo }) => userinfo), refresh: perSecond(({ refresh }) => refresh) }
}
