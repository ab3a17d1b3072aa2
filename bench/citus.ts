/**
 * What a database on three nodes costs: the processor time of all its nodes together for each refresh, code flow, UserInfo and check of a key,
 * beside one PostgreSQL of the same version, in turn in the same run. OSTIARY_TEST_CITUS_BIN names the programs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { createDistributedTemplate, noCitus, startCitus } from '../server/test/support/citus.ts'
import { startPostgres, template } from '../server/test/support/postgres.ts'
import { type Ground, root } from './contestants.ts'
import { check, load, median } from './load.ts'
import { onAllCores } from './machine.ts'
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

type Progress = (text: string) => void

export async function surveyCitus({ folder }: Ground, rounds: number, seconds: number, progress: Progress) {
  const bin = process.env.OSTIARY_TEST_CITUS_BIN
  if (noCitus || bin === undefined) {
    progress(`no Citus: it ${noCitus}`)
    return null
  }
  return onAllCores(async () => {
    const plain = await startPostgres({ other: { bin, settings: [], auth: 'trust' } })
    const citus = await startCitus()
    await createDistributedTemplate(citus)
    for (const url of citus.nodes) await query(url, `create database bench template ${template}`)
    const urls = { plain: await plain.freshDatabase(), citus: citus.nodesOf('postgres://localhost/bench')[0] ?? '' }
    const servers = { plain: [await postmasterOf(plain.url)], citus: await Promise.all(citus.nodes.map(postmasterOf)) }

    const start = async (name: keyof typeof urls) => {
      progress(`citus: starting on ${name}`)
      const started = await startOstiary(
        { root, folder: join(folder, `citus-${name}`), database_url: urls[name], core: null },
        newMasterKey(),
      )
      return { started, seeded: await seedOstiary(root, started, people) }
    }
    const sides = { plain: await start('plain'), citus: await start('citus') }
    const found: Record<keyof typeof urls, Record<Operation, number[]>> = { plain: none(), citus: none() }
    for (let round = 0; round < rounds; round++)
      for (const operation of Object.keys(operations) as Operation[]) // as: the keys of the table
        for (const name of ['plain', 'citus'] as const) {
          progress(`citus: ${operation} on ${name}, round ${round + 1} of ${rounds}`)
          const { seeded } = sides[name]
          const step = await operations[operation](seeded, in_flight)
          await check(seeded.address, step, { in_flight, times: 5 })
          const before = processorOf(servers[name])
          const { answered } = await load(seeded.address, step, { in_flight, seconds })
          found[name][operation].push((processorOf(servers[name]) - before) / answered)
        }
    for (const { started } of Object.values(sides)) await started.process.stop()
    await Promise.all([plain.stop(), citus.stop()])
    const figures = (operation: Operation) => {
      const [one, many] = [median(found.plain[operation]), median(found.citus[operation])]
      return { plain_ms: one, citus_ms: many, times: many / one }
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
