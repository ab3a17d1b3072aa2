/**
 * What a slow disk costs: code flows on disks whose syncs take 2 and 5 ms (a volume of a cloud), and an API call and the sign-in page beside
 * them. The embedded engine only. A layer below the service makes the syncs slow (`server/test/support/disk/layer.c`), so it needs Linux with
 * glibc and a C compiler.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { diskLayer } from '../server/test/support/disk/layer.ts'
import { expectStatus, request } from './connection.ts'
import { type ContestantName, type Ground, root } from './contestants.ts'
import { inRandomOrder, type Load, load, median, type Step } from './load.ts'
import type { Options } from './options.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'
import { authorization } from './provider.ts'
import { common, own } from './scenarios.ts'

/** What a sync takes more than on this machine. */
const sync_ms = [0, 2, 5] as const
const flows_in_flight = 16
const people = 64

type Layer = NonNullable<ReturnType<typeof diskLayer>['layer']>

export async function surveyDisk(
  ground: Ground,
  { rounds, seconds, longest_warm_up, against }: Pick<Options, 'rounds' | 'seconds' | 'longest_warm_up' | 'against'>,
  progress: (text: string) => void,
) {
  const { layer, skip } = diskLayer()
  if (!layer) {
    progress(`no slow disk: it ${skip}`)
    return { skipped: skip }
  }
  const all = [await enter('ostiary', root, { layer, ground })]
  if (against) all.push(await enter('before', against, { layer, ground }))
  for (const { seeded } of all) {
    const warm_up = { in_flight: flows_in_flight, seconds: Math.min(25, longest_warm_up) }
    await load(seeded.address, await common.code(seeded), warm_up)
  }
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++)
    for (const each of sync_ms) {
      progress(`disk with syncs of ${each} ms, round ${round + 1} of ${rounds}`)
      for (const contestant of inRandomOrder(all)) {
        contestant.setSyncs(each)
        measured.push({ contestant: contestant.name, sync_ms: each, ...(await measure(contestant.seeded, seconds)) })
        contestant.setSyncs(0)
      }
    }
  for (const { process } of all) await process.stop()
  return { disks: sync_ms.flatMap((each) => all.map(({ name }) => summaryOf(measured, name, each))) }
}

async function enter(name: ContestantName, root: string, { layer, ground }: { layer: Layer; ground: Ground }) {
  const folder = join(ground.folder, `disk-${name}`)
  mkdirSync(folder)
  const watched = layer.watch(folder, { traces: false })
  const { process, ...started } = await startOstiary(
    { root, folder, database_url: null, core: ground.core, env: watched.env },
    newMasterKey(),
  )
  // Its commands are not slow.
  const env = Object.fromEntries(Object.entries(started.env).filter(([variable]) => !(variable in watched.env)))
  const seeded = await seedOstiary(root, { ...started, env }, people)
  return { name, process, seeded, setSyncs: (ms: number) => watched.set({ delay_us: ms * 1_000 }) }
}

interface Measured {
  readonly contestant: ContestantName
  readonly sync_ms: number
  readonly code: Load
  readonly whoami: Load
  readonly page: Load
  readonly whoami_beside: Load
  readonly page_beside: Load
}

/** Each alone, and then each of the two beside code flows. */
async function measure(seeded: Seeded, seconds: number): Promise<Omit<Measured, 'contestant' | 'sync_ms'>> {
  const whoami = await own.whoami(seeded, 1)
  const page = signInPage(seeded)
  const alone = (step: Step) => load(seeded.address, step, { in_flight: 1, seconds })
  const flows = async () => load(seeded.address, await common.code(seeded), { in_flight: flows_in_flight, seconds })
  const beside = async (step: Step) => (await Promise.all([alone(step), flows()]))[0]
  return {
    code: await flows(),
    whoami: await alone(whoami),
    page: await alone(page),
    whoami_beside: await beside(whoami),
    page_beside: await beside(page),
  }
}

/** The sign-in page of a browser that is new here. */
function signInPage(seeded: Seeded): Step {
  return async (connection) => {
    const { body } = expectStatus(200, await connection.send(request(seeded.address, 'GET', authorization(seeded, {}).path)))
    if (!body.includes('name="password"')) throw new Error(`This is not the sign-in page: ${body.slice(0, 500)}`)
    return async () => {}
  }
}

/** The medians of the rounds. */
function summaryOf(measured: readonly Measured[], contestant: ContestantName, sync_ms: number) {
  const rounds = measured.filter((each) => each.contestant === contestant && each.sync_ms === sync_ms)
  const of = (figure: (each: Measured) => number) => Number(median(rounds.map(figure)).toFixed(3))
  const times = (load: (each: Measured) => Load) => ({ p50_ms: of((each) => load(each).p50_ms), p99_ms: of((each) => load(each).p99_ms) })
  return {
    sync_ms,
    contestant,
    code: { per_second: of(({ code }) => code.answered / code.seconds), ...times(({ code }) => code) },
    whoami: { alone: times(({ whoami }) => whoami), beside_code_flows: times(({ whoami_beside }) => whoami_beside) },
    page: { alone: times(({ page }) => page), beside_code_flows: times(({ page_beside }) => page_beside) },
  }
}
