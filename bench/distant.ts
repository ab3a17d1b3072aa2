/**
 * A database at a distance: how long each kind of request takes at one in flight through a line with a delay, and how often it waits for the
 * database. What runs in the background can only add to a count, so the least is exact.
 */
import { join } from 'node:path'
import { countTrips, openLine } from '../server/test/support/tcp-proxy.ts'
import { type Ground, root } from './contestants.ts'
import { check, load, median, type Step } from './load.ts'
import type { Options } from './options.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'
import { common, own, type Prepare } from './scenarios.ts'

const operations = {
  refresh: common.refresh,
  code: common.code,
  userinfo: common.userinfo,
  whoami: own.whoami,
  discovery: common.discovery,
  jwks: common.jwks,
} as const satisfies Record<string, Prepare<Seeded>>
type Operation = keyof typeof operations
const names = Object.keys(operations) as Operation[] // as: the keys of the table

/** Of each direction. */
const delay_ms = 10
const people = 4

interface Found {
  times: number[]
  trips: number[]
}
const none = (): Found => ({ times: [], trips: [] })

type Progress = (text: string) => void

/** `null` without PostgreSQL. Another checkout takes part in turn, where one is named. */
export async function surveyDistant({ folder, core, freshDatabase }: Ground, { rounds, seconds, against }: Options, progress: Progress) {
  if (!freshDatabase) return null
  const start = async (name: 'now' | 'before', checkout: string) => {
    progress(`distant: starting ${name}`)
    const line = await openLine(await freshDatabase())
    const place = { root: checkout, folder: join(folder, `distant-${name}`), database_url: line.url, core }
    const started = await startOstiary(place, newMasterKey())
    const seeded = await seedOstiary(checkout, started, people)
    const found = Object.fromEntries(names.map((operation) => [operation, none()])) as Record<Operation, Found> // as: the names
    return { name, line, tripsSince: countTrips(line), started, seeded, found }
  }
  const sides = [await start('now', root)]
  if (against) sides.push(await start('before', against))
  for (let round = 0; round < rounds; round++)
    for (const operation of names)
      for (const { name, line, tripsSince, seeded, found } of sides) {
        progress(`distant: ${operation} ${name}, round ${round + 1} of ${rounds}`)
        const step = await operations[operation](seeded, 1)
        await check(seeded.address, step, { in_flight: 1, times: 20 })
        const { times, trips } = found[operation]
        const counted: Step = async (connection, slot) => {
          tripsSince()
          const prove = await step(connection, slot)
          trips.push(tripsSince())
          return prove
        }
        line.delay_ms = delay_ms
        times.push((await load(seeded.address, counted, { in_flight: 1, seconds })).p50_ms)
        line.delay_ms = 0
      }
  for (const { started, line } of sides) {
    await started.process.stop()
    line.close()
  }
  const figures = (operation: Operation) => {
    const [now, before] = sides.map(({ found }) => ({ p50_ms: median(found[operation].times), trips: Math.min(...found[operation].trips) }))
    return { p50_ms: Number.NaN, trips: Number.NaN, ...now, ...(before && { before }) }
  }
  return {
    refresh: figures('refresh'),
    code: figures('code'),
    userinfo: figures('userinfo'),
    whoami: figures('whoami'),
    discovery: figures('discovery'),
    jwks: figures('jwks'),
  }
}
