/** Surveys are measured once, not in rounds: start time, memory, and answers while passwords are hashed. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, openConnection } from './connection.ts'
import { type ContestantName, type Ground, root } from './contestants.ts'
import { load, median, percentile } from './load.ts'
import type { Options } from './options.ts'
import { newMasterKey, type Seeded, seedOstiary, sendWhenFree, signInRequests, startOstiary } from './ostiary.ts'
import { startPeer } from './peer.ts'
import type { ServerProcess } from './process.ts'
import { common, own } from './scenarios.ts'

const mebibyte = 1_048_576

/** Measures the time to the first answer and the memory of an idle process, in turns. The first start creates the database. */
export async function surveyStart({ folder, core, freshDatabase }: Ground, { rounds, against }: Pick<Options, 'rounds' | 'against'>) {
  const starter = (root: string, name: string, database_url: string | null = null) => {
    const checkout = { root, folder: join(folder, `start-${name}`), database_url, core }
    const master_key = newMasterKey()
    return async () => (await startOstiary(checkout, master_key)).process
  }
  const start = starter(root, 'ostiary')
  const first = await start()
  await first.stop()
  const all: Starting[] = [starting('ostiary', start)]
  if (against) all.push(starting('before', starter(against, 'before')))
  all.push(starting('peer', async () => (await startPeer({ folder: join(folder, 'start-peer'), database_url: null, core })).process))
  if (freshDatabase) {
    all.push(starting('ostiary, PostgreSQL', starter(root, 'postgres', await freshDatabase())))
    if (against) all.push(starting('before, PostgreSQL', starter(against, 'before-postgres', await freshDatabase())))
  }
  for (let round = 0; round < rounds; round++)
    for (const { start, ms, idle_mib } of all) {
      const process = await start()
      ms.push(process.started_ms)
      await sleep(3_000)
      idle_mib.push((await process.usage()).resident_bytes / mebibyte)
      await process.stop()
    }
  const contestants = all.map(({ name, ms, idle_mib }) => ({ name, start_ms: median(ms), idle_mib: median(idle_mib) }))
  return { first_start_ms: first.started_ms, contestants }
}

interface Starting {
  name: ContestantName
  start: () => Promise<ServerProcess>
  ms: number[]
  idle_mib: number[]
}

const starting = (name: ContestantName, start: Starting['start']): Starting => ({ name, start, ms: [], idle_mib: [] })

/** Measures memory after many requests of every kind, and whether it still grows. */
export async function surveyMemory({ folder, core }: Ground, requests: number, progress: (text: string) => void) {
  const started = await startOstiary({ root, folder: join(folder, 'memory'), database_url: null, core })
  const seeded = await seedOstiary(root, started, 64)
  const samples: { requests: number; resident_mib: number; heap_mib: number }[] = []
  let done = 0
  const sample = async () => {
    const { resident_bytes } = await started.process.usage()
    const { heap_bytes } = await started.process.collect()
    samples.push({ requests: done, resident_mib: resident_bytes / mebibyte, heap_mib: heap_bytes / mebibyte })
  }
  await sample()
  while (done < requests) {
    // A seventh of the requests each; slow scenarios get more time.
    for (const [scenario, seconds] of mixture(requests)) {
      const prepare = { ...common, validate: own.validate, whoami: own.whoami }[scenario]
      done += (await load(seeded.address, await prepare(seeded, 16), { in_flight: 16, seconds })).answered
    }
    progress(`memory, ${done} requests`)
    await sample()
  }
  await sleep(3_000)
  await sample()
  await started.process.stop()
  return {
    samples,
    after_mib: samples.at(-1)?.resident_mib ?? Number.NaN,
    most_mib: Math.max(...samples.map(({ resident_mib }) => resident_mib)),
  }
}

function mixture(requests: number) {
  const unit = Math.min(10, requests / 20_000)
  return [
    ['refresh', 2 * unit],
    ['code', 2 * unit],
    ['userinfo', unit],
    ['validate', unit],
    ['whoami', unit],
    ['jwks', unit],
    ['discovery', unit],
  ] as const
}

/** Measures the JWKS of an environment while 100 people sign in at once. */
export async function surveyBusy(seeded: Seeded) {
  const requests = await Promise.all(seeded.people.slice(0, 100).map((person) => signInRequests(seeded, person)))
  let left = requests.length
  const signing_in = requests.map(async (asked) => {
    const connection = await openConnection(seeded.address)
    expectStatus(303, await sendWhenFree(connection, asked()))
    connection.close()
    left--
  })
  const step = await common.jwks(seeded, 4)
  const latencies: number[] = []
  const began = performance.now()
  const asking = Array.from({ length: 4 }, async (_, slot) => {
    const connection = await openConnection(seeded.address)
    while (left > 0) {
      const at = performance.now()
      await step(connection, slot)
      latencies.push(performance.now() - at)
    }
    connection.close()
  })
  await Promise.all([...signing_in, ...asking])
  latencies.sort((a, b) => a - b)
  const seconds = (performance.now() - began) / 1000
  return {
    sign_ins: requests.length,
    seconds,
    jwks_answers: latencies.length,
    jwks_p50_ms: percentile(latencies, 0.5),
    jwks_p99_ms: percentile(latencies, 0.99),
  }
}
