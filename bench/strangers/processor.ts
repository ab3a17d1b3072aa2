/**
 * The processor time of single requests of strangers. Each route of the contract's tables gets every input of `inputs.ts`; the worst ones are
 * measured again, and the worst of those is the route's. A hosted page and the other answers of its route are judged apart.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { oidcRoutes, routes, serviceRoutes } from '../../contract/src/routes.ts'
import { sdkFile } from '../../contract/src/sdk-package.ts'
import { type Answer, type Connection, headerOf, openConnection } from '../connection.ts'
import { median } from '../load.ts'
import type { Times } from '../probe.ts'
import type { ServerProcess } from '../process.ts'
import { aligned } from '../report.ts'
import type { Strangers } from './ground.ts'
import { combinationsOf, type Inputs, of_every_route, ofEveryCall, ofForms, ofRoute, type Sent } from './inputs.ts'

const samples = { first: 3, again: 7, last: 21 }
/** Requests before the last measurement: who attacks repeats what is worst, and repeated code is compiled. */
const warming = 60
const measured_again = 3
/** Combinations of the generator for each route. */
const combinations = { open: 16, call: 4 }
const longest_ms = 5_000

/** Routes that hash a password, which is meant to cost much: the hash runs beside the main thread, and only the main thread counts. */
const hashing = ['signIn', 'signUp', 'newPassword', 'acceptInvitation', 'changeOwnPassword', 'createFirst']
const demanded_ms = { page: 2, other: 5 }

export interface Row {
  readonly group: 'site' | 'issuer' | 'API'
  readonly route: string
  readonly is_page: boolean
  /** `null` where the measured version has no such route. */
  readonly worst: { readonly input: string; readonly status: number; readonly ms: number } | null
  readonly demanded_ms: number
  readonly inputs: number
}

interface Named {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly group: Row['group']
  readonly is_page: boolean
  readonly takes_body: boolean
  readonly takes_form: boolean
}

/** Every route of the tables, in their order. */
export const all_routes: readonly Named[] = [
  ...Object.entries(serviceRoutes).map(([name, route]) => ({ name, route, group: 'site' as const })),
  ...Object.entries(oidcRoutes).map(([name, route]) => ({ name, route, group: 'issuer' as const })),
  ...Object.entries(routes).map(([name, route]) => ({ name, route, group: 'API' as const })),
].map(({ name, route: { method, path, credential, ...more }, group }) => ({
  name,
  method,
  path,
  group,
  is_page: 'page' in more && group === 'issuer' && method === 'GET',
  takes_body: method !== 'GET' && group !== 'API',
  takes_form: method === 'POST' && credential.kind === 'session',
}))

export async function measureProcessor(
  strangers: Strangers,
  root: string,
  most_routes: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const there = await namesIn(root)
  const process = await strangers.start()
  const sender = createSender(strangers, process)
  await sender.begin()
  const rows: Row[] = []
  for (const [n, route] of all_routes.slice(0, most_routes).entries()) {
    if (n % 20 === 0) progress(`processor time, route ${n + 1} of ${all_routes.length}`)
    if (there.has(route.name)) rows.push(...(await worstOf(strangers, route, sender)))
    else rows.push({ group: route.group, route: titleOf(route), is_page: false, worst: null, demanded_ms: demanded_ms.other, inputs: 0 })
  }
  sender.close()
  await process.stop()
  return rows
}

const titleOf = ({ name, method, path }: Named) => `${method} ${path}${hashing.includes(name) ? ', without the hash' : ''}`

/** The names of the routes that the measured version has. */
async function namesIn(root: string): Promise<Set<string>> {
  const tables = await import(join(root, 'contract/src/routes.ts'))
  return new Set([tables.serviceRoutes, tables.oidcRoutes, tables.routes].flatMap((table) => Object.keys(table ?? {})))
}

/** All inputs of a route. */
export function inputsOf(strangers: Strangers, { name, group, takes_body, takes_form }: Named): Inputs {
  return {
    ...of_every_route,
    ...(group === 'API' ? ofEveryCall(strangers) : {}),
    ...(takes_form ? ofForms(strangers, name) : {}),
    ...ofRoute(strangers, name),
    ...combinationsOf(name, { takes_body, count: group === 'API' ? combinations.call : combinations.open }),
  }
}

interface Measured {
  readonly input: string
  readonly status: number
  readonly is_page: boolean
  readonly ms: number
}

async function worstOf(strangers: Strangers, route: Named, sender: Sender): Promise<Row[]> {
  const inputs = inputsOf(strangers, route)
  const measure = async (input: string, count: number): Promise<Measured> => {
    const taken: number[] = []
    let status = 0
    let is_page = false
    for (let n = 0; n < count; n++) {
      const { answer, times } = await sender.send(route, inputs[input]?.(sender.turn()) ?? {})
      status = answer?.status ?? 0
      is_page = route.is_page && status === 200
      taken.push((hashing.includes(route.name) ? times.main_us : times.cpu_us) / 1_000)
    }
    return { input, status, is_page, ms: median(taken) }
  }
  const first: Measured[] = []
  for (const input of Object.keys(inputs)) first.push(await measure(input, samples.first))
  const rows: Row[] = []
  for (const is_page of [true, false]) {
    const candidates = first.filter((each) => each.is_page === is_page).toSorted((a, b) => b.ms - a.ms)
    if (candidates.length === 0) continue
    const again: Measured[] = []
    for (const { input } of candidates.slice(0, measured_again)) again.push(await measure(input, samples.again))
    const [worst] = again.toSorted((a, b) => b.ms - a.ms)
    if (!worst) continue
    await measure(worst.input, warming)
    const { input, status, ms } = await measure(worst.input, samples.last)
    rows.push({
      group: route.group,
      route: titleOf(route),
      is_page,
      worst: { input, status, ms },
      demanded_ms: is_page ? demanded_ms.page : demanded_ms.other,
      inputs: candidates.length,
    })
  }
  return rows
}

type Sender = ReturnType<typeof createSender>

/** Sends one request at a time, each from another address, and measures the processor time of the service meanwhile. */
function createSender({ seeded, provider_id }: Strangers, process: ServerProcess) {
  let turn = 0
  let connection: Connection | null = null
  let before: Times = { cpu_us: 0, main_us: 0 }
  const own: Times = { cpu_us: 0, main_us: 0 }
  const ask = () => process.ask<Times>('times')
  const since = (after: Times): Times => ({
    cpu_us: Math.max(0, after.cpu_us - before.cpu_us - own.cpu_us),
    main_us: Math.max(0, after.main_us - before.main_us - own.main_us),
  })
  const lasts: Record<string, string> = {
    document: 'operate',
    guide: 'federation',
    settingsPage: 'sessions',
    example: 'express',
    decision: '0014-performance',
    operatorExample: 'nginx.conf',
    referenceGroup: 'schemas',
    errorPage: 'not_found',
    sdkPackage: sdkFile(),
    getApplicationTemplate: 'grafana',
    dashboardApi: 'v1/me',
  }

  function bytesOf({ name, method, path }: Named, { query, headers = {}, body, last }: Sent): Buffer {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
      if (parameter === 'environment_id') return seeded.environment_id
      if (parameter === 'project_id') return seeded.project_id
      if (parameter === 'provider_id') return provider_id
      return last ?? lasts[name] ?? `${parameter.slice(0, 3)}_01m7wwr5ftevtv5yxb47hmb4ht`
    })
    const all: Record<string, string> = {
      host: `${seeded.address.host}:${seeded.address.port}`,
      'x-forwarded-for': `198.${18 + ((turn >> 16) & 1)}.${(turn >> 8) & 255}.${turn & 255}`,
      ...headers,
      ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }),
    }
    const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`)
    const head = `${method} ${filled}${query === undefined ? '' : `?${query}`} HTTP/1.1\r\n${lines.join('')}\r\n`
    return Buffer.concat([Buffer.from(head, 'latin1'), method === 'GET' ? Buffer.alloc(0) : Buffer.from(body ?? '')])
  }

  async function exchange(bytes: Buffer): Promise<Answer | null> {
    connection ??= await openConnection(seeded.address)
    const late = new AbortController()
    const answer = await Promise.race([
      connection.send(bytes).catch(() => null),
      sleep(longest_ms, null, { signal: late.signal }).catch(() => null),
    ])
    late.abort()
    if (answer && headerOf(answer, 'connection') !== 'close') return answer
    connection.close()
    connection = null
    return answer
  }

  return {
    turn: () => ++turn,
    /** Measures what a question itself costs. */
    async begin() {
      const asked: Times[] = []
      for (let n = 0; n <= 101; n++) asked.push(await ask())
      const steps = (name: keyof Times) => median(asked.slice(1).map((each, n) => each[name] - (asked[n]?.[name] ?? 0)))
      Object.assign(own, { cpu_us: steps('cpu_us'), main_us: steps('main_us') })
    },
    async send(route: Named, sent: Sent) {
      const bytes = bytesOf(route, sent)
      connection ??= await openConnection(seeded.address)
      before = await ask()
      const answer = await exchange(bytes)
      return { answer, times: since(await ask()) }
    },
    close: () => connection?.close(),
  }
}

/** The table of all routes, the most costly first. */
export function tableOfRoutes(rows: readonly Row[]): string[] {
  const judged = rows.toSorted((a, b) => (b.worst?.ms ?? -1) / b.demanded_ms - (a.worst?.ms ?? -1) / a.demanded_ms)
  const cells = judged.map(({ route, is_page, worst, demanded_ms: most }) => [
    worst === null || worst.ms <= most ? '✔' : '✖',
    `${route}${is_page ? ' (page)' : ''}`,
    worst === null ? 'not there' : `${worst.ms.toFixed(2)} ms`,
    `at most ${most} ms`,
    worst === null ? '' : String(worst.status),
    worst?.input ?? '',
  ])
  return aligned(cells).split('\n')
}
