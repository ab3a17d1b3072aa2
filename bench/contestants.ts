/** The contestants and their scenarios. Each runs in its own process for the whole run. */
import { join } from 'node:path'
import { freePort } from '../server/test/support/free-port.ts'
import { type Address, expectStatus, openConnection, request } from './connection.ts'
import { check, type Load, load, type Step } from './load.ts'
import type { Options, ScenarioName } from './options.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'
import { type Peer, signInAtPeer, startPeer } from './peer.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { common, own } from './scenarios.ts'

export interface Contestant {
  readonly name: ContestantName
  readonly process: ServerProcess
  takesPart(scenario: ScenarioName): boolean
  /** Makes a few requests and verifies every answer. */
  check(scenario: ScenarioName): Promise<void>
  /** Prepares a measurement (not timed) and returns the function that measures. */
  prepare(scenario: ScenarioName, in_flight: number): Promise<(seconds: number) => Promise<Load>>
}

/** The environments of the survey "roles". */
export type ColumnName = 'no roles' | '20 roles' | '20 roles in claims' | 'an organization and 20 roles'

export type ContestantName =
  | 'ostiary'
  | 'before'
  | 'ostiary, PostgreSQL'
  | 'before, PostgreSQL'
  | 'below the bound'
  | 'below the bound, PostgreSQL'
  | 'peer'
  | 'peer, PostgreSQL'
  | 'trivial handler'
  | 'ceiling'
  | ColumnName
  | `${ColumnName}, PostgreSQL`

export interface Ground {
  /** A folder that is removed after the run. */
  readonly folder: string
  readonly core: number | null
  /** Creates an empty database; `null` without PostgreSQL. */
  readonly freshDatabase: (() => Promise<string>) | null
}

export const root = join(import.meta.dirname, '..')
/** The most people that sign in at once: in the survey "busy". */
const people = 250
/** Nobody reaches this bound of grants. */
const unreached = { OSTIARY_LIMITS: JSON.stringify({ grants_per_person: 1_000_000 }) }

export async function startContestants({ against, scenarios }: Options, ground: Ground): Promise<{ all: Contestant[]; ostiary: Seeded }> {
  const { folder, core, freshDatabase } = ground
  const ostiary = await enterOstiary('ostiary', { root, folder: join(folder, 'ostiary'), database_url: null, core })
  const all = [ostiary.contestant]
  const enter = async (name: ContestantName, root: string, database_url: string | null) => {
    const { contestant } = await enterOstiary(name, { root, folder: join(folder, name.replace(', ', '-')), database_url, core })
    all.push(contestant)
  }
  const enterUnbound = async (name: ContestantName, database_url: string | null) => {
    if (!scenarios.includes('bound')) return
    const checkout = { root, folder: join(folder, name.replaceAll(/,? /g, '-')), database_url, core, env: unreached }
    all.push({ ...(await enterOstiary(name, checkout)).contestant, takesPart: (scenario) => scenario === 'bound' })
  }
  await enterUnbound('below the bound', null)
  if (against) await enter('before', against, null)
  all.push(enterPeer('peer', await startPeer({ folder: join(folder, 'peer'), database_url: null, core })))
  if (freshDatabase) {
    await enter('ostiary, PostgreSQL', root, await freshDatabase())
    if (against) await enter('before, PostgreSQL', against, await freshDatabase())
    await enterUnbound('below the bound, PostgreSQL', await freshDatabase())
    const peer = await startPeer({ folder: join(folder, 'peer-postgres'), database_url: await freshDatabase(), core })
    all.push(enterPeer('peer, PostgreSQL', peer))
  }
  all.push(await enterTrivial(ostiary.seeded, ground), await enterCeiling(ground))
  return { all, ostiary: ostiary.seeded }
}

async function enterOstiary(name: ContestantName, checkout: Parameters<typeof startOstiary>[0]) {
  const started = await startOstiary(checkout, newMasterKey())
  const seeded = await seedOstiary(checkout.root, started, people)
  const prepare = (scenario: ScenarioName, in_flight: number) =>
    isCommon(scenario) ? common[scenario](seeded, in_flight) : own[scenario](seeded, in_flight)
  // Another checkout may be older than ES256, and than requests without openid.
  const takesPart = (scenario: ScenarioName) =>
    checkout.root === root || (scenario !== 'refresh-es256' && scenario !== 'refresh-without-openid')
  return { seeded, contestant: server({ name, process: started.process, address: seeded.address, takesPart, prepare }) }
}

function enterPeer(name: ContestantName, peer: Peer): Contestant {
  return server({
    name,
    process: peer.process,
    address: peer.address,
    takesPart: (scenario) => stepOfPeer(scenario) !== null,
    prepare: async (scenario, in_flight) => {
      const step = stepOfPeer(scenario)
      if (!step) throw new Error(`The peer takes no part in ${scenario}.`)
      return common[step](await signInAtPeer(peer, 64), in_flight)
    },
  })
}

/** `validate` is compared with the peer's userinfo, in the same rounds, because the speed of the machine changes over minutes. */
function stepOfPeer(scenario: ScenarioName): keyof typeof common | null {
  if (scenario === 'validate') return 'userinfo'
  return isCommon(scenario) ? scenario : null
}

const isCommon = (scenario: ScenarioName): scenario is keyof typeof common => scenario in common

/** The baseline of `whoami`: a handler that returns the same JSON without any work. */
async function enterTrivial({ address: ostiary, secret_key }: Seeded, { folder, core }: Ground): Promise<Contestant> {
  const connection = await openConnection(ostiary)
  const whoami = await connection.send(request(ostiary, 'GET', '/v1/api-keys/whoami', { headers: { 'x-api-key': secret_key } }))
  connection.close()
  const address = { host: 'localhost', port: await freePort() }
  const process = await startProcess({
    script: join(import.meta.dirname, 'servers/trivial.ts'),
    env: { TRIVIAL_PORT: String(address.port), TRIVIAL_ANSWER: expectStatus(200, whoami).body },
    core,
    log: join(folder, 'trivial.log'),
    ready: { address, path: '/whoami' },
  })
  const asked = request(address, 'GET', '/whoami')
  const step: Step = async (running) => {
    JSON.parse(expectStatus(200, await running.send(asked)).body)
    return async () => {}
  }
  return server({
    name: 'trivial handler',
    process,
    address,
    takesPart: (scenario) => scenario === 'whoami',
    prepare: async () => step,
  })
}

interface Server {
  name: ContestantName
  process: ServerProcess
  address: Address
  takesPart: (scenario: ScenarioName) => boolean
  prepare: (scenario: ScenarioName, in_flight: number) => Promise<Step>
}

/** A contestant that is asked over HTTP. */
export function server({ name, process, address, takesPart, prepare }: Server): Contestant {
  return {
    name,
    process,
    takesPart,
    check: async (scenario) => check(address, await prepare(scenario, 8), { in_flight: 8, times: 3 }),
    async prepare(scenario, in_flight) {
      const step = await prepare(scenario, in_flight)
      return (seconds) => load(address, step, { in_flight, seconds })
    },
  }
}

/** The ceiling of the core: two signatures per token response, one password hash per sign-in. */
async function enterCeiling({ folder, core }: Ground): Promise<Contestant> {
  const address = { host: 'localhost', port: await freePort() }
  const script = join(import.meta.dirname, 'servers/yardstick.ts')
  const env = { YARDSTICK_PORT: String(address.port) }
  const process = await startProcess({ script, env, core, log: join(folder, 'yardstick.log'), ready: { address, path: '/' } })
  const work: Partial<Record<ScenarioName, { question: string; each: number }>> = {
    refresh: { question: 'signatures', each: 2 },
    code: { question: 'signatures', each: 2 },
    'sign-in': { question: 'passwords', each: 1 },
  }
  return {
    name: 'ceiling',
    process,
    takesPart: (scenario) => scenario in work,
    check: async () => {},
    prepare: async (scenario) => async (seconds) => {
      const { question = '', each = 1 } = work[scenario] ?? {}
      const done = await process.ask<{ made: number; seconds: number }>(question, { seconds })
      return { answered: done.made / each, proved: 0, seconds: done.seconds, p50_ms: Number.NaN, p99_ms: Number.NaN, loader_share: 0 }
    },
  }
}
