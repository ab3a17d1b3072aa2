/**
 * Measures the cost of a database on three nodes: the processor time of all its nodes together for each refresh, code flow, UserInfo and
 * check of a key, beside one PostgreSQL of the same version, in turn in the same run. OSTIARY_TEST_CITUS_BIN names the programs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { createDistributedTemplate, noCitus, startCitus } from '../server/test/support/citus.ts'
import { startPostgres, template } from '../server/test/support/postgres.ts'
import { type Ground, root } from './contestants.ts'
import { check, load, median } from './load.ts'
import { onAllCores } from './machine.ts'
import type { Options } from './options.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'
import { common, own, type Prepare } from './scenarios.ts'

const operations = { refresh: common.refresh, code: common.code, userinfo: common.userinfo, whoami: own.whoami } as const satisfies Record<
  string,
  Prepare<Seeded>
>
type Operation = keyof typeof operations
const in_flight = 4
const people = 16
/** The clock of /proc has this many ticks a second on Linux. */
const ticks_per_second = 100

/** A database of one server or several. */
interface Place {
  readonly database_url: string
  /** The first process of each server. */
  readonly servers: readonly number[]
  readonly stop: () => Promise<void>
}

type Progress = (text: string) => void

/** Another checkout takes part on one PostgreSQL, where one is named. */
export async function surveyCitus({ folder }: Ground, { rounds, seconds, against }: Options, progress: Progress) {
  const bin = process.env.OSTIARY_TEST_CITUS_BIN
  if (noCitus || bin === undefined) {
    progress(`no Citus: it ${noCitus}`)
    return null
  }
  return onAllCores(async () => {
    const citus = await startCitus()
    await createDistributedTemplate(citus)
    for (const url of citus.nodes) await query(url, `create database bench template ${template}`)
    const nodes = {
      database_url: citus.nodesOf('postgres://localhost/bench')[0] ?? '',
      servers: await Promise.all(citus.nodes.map(postmasterOf)),
      stop: () => citus.stop(),
    }
    const startOne = async (): Promise<Place> => {
      const postgres = await startPostgres({ other: { bin, settings: [], auth: 'trust' } })
      return { database_url: await postgres.freshDatabase(), servers: [await postmasterOf(postgres.url)], stop: () => postgres.stop() }
    }
    const start = async (name: 'plain' | 'citus' | 'before', checkout: string, place: Place) => {
      progress(`citus: starting on ${name}`)
      const { database_url } = place
      const started = await startOstiary(
        { root: checkout, folder: join(folder, `citus-${name}`), database_url, core: null },
        newMasterKey(),
      )
      return { name, place, started, seeded: await seedOstiary(checkout, started, people), found: none() }
    }
    const sides = [await start('plain', root, await startOne()), await start('citus', root, nodes)]
    if (against) sides.push(await start('before', against, await startOne()))
    for (let round = 0; round < rounds; round++)
      for (const operation of Object.keys(operations) as Operation[]) // as: the keys of the table
        for (const { name, place, seeded, found } of sides) {
          progress(`citus: ${operation} on ${name}, round ${round + 1} of ${rounds}`)
          const step = await operations[operation](seeded, in_flight)
          await check(seeded.address, step, { in_flight, times: 5 })
          const before = processorOf(place.servers)
          const { answered } = await load(seeded.address, step, { in_flight, seconds })
          found[operation].push((processorOf(place.servers) - before) / answered)
        }
    for (const { started, place } of sides) {
      await started.process.stop()
      await place.stop()
    }
    const figures = (operation: Operation) => {
      const [one = 0, many = 0, before] = sides.map(({ found }) => median(found[operation]))
      return { plain_ms: one, citus_ms: many, times: many / one, ...(before && { before_ms: before, times_before: many / before }) }
    }
    return { refresh: figures('refresh'), code: figures('code'), userinfo: figures('userinfo'), whoami: figures('whoami') }
  })
}

const none = (): Record<Operation, number[]> => ({ refresh: [], code: [], userinfo: [], whoami: [] })

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

/** The process that all others of a server are children of. */
async function postmasterOf(url: string): Promise<number> {
  const [row] = await query(url, 'show data_directory')
  return Number(readFileSync(join(String(row?.data_directory), 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Milliseconds of the processor that servers have used, with their processes that ended. */
function processorOf(postmasters: readonly number[]): number {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name)
    if (fields === null) continue
    const [parent, user, system, user_of_ended, system_of_ended] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]))
    const is_server = postmasters.includes(Number(name))
    if (!is_server && !postmasters.includes(parent ?? 0)) continue
    ticks += (user ?? 0) + (system ?? 0) + (is_server ? (user_of_ended ?? 0) + (system_of_ended ?? 0) : 0)
  }
  return (ticks * 1000) / ticks_per_second
}

/** The fields after the name of the program, or `null` for a process that has ended. */
function statOf(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
