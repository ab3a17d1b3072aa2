/**
 * Prometheus metrics, served on a separate port; docs/metrics.md explains them. Labels are methods, route patterns, statuses and closed
 * sets of ours, so their number is bounded.
 */
import cluster, { type Worker } from 'node:cluster'
import { expiringKinds } from '@ostiary/contract/expiry.ts'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { OutputName } from '../base/output.ts'
import type { Db } from '../db/db.ts'
import { type Tallied, type Tally, tallied } from '../deployment/tally.ts'
import type { Telemetry } from '../deployment/telemetry/telemetry.ts'
import { countExpiring } from '../domain/expiry/sources.ts'
import { stages } from '../domain/expiry/stages.ts'
import { backlogOf } from '../domain/queue/queue.ts'
import type { Passwords } from '../domain/users/password.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** The sources that the metrics read when they are requested. */
export interface Observed {
  db: Db
  now: () => Date
  tally: Tally
  passwords: Passwords
  /** The lines of the log that found no reader, since the start. */
  droppedLines: () => Readonly<Record<OutputName, number>>
  telemetry: Pick<Telemetry, 'counts'> | null
}

/** Each counter of the tally, with its help. */
const counters: Record<Tallied, { name: string; help: string }> = {
  sign_ins: { name: 'ostiary_sign_ins_total', help: 'Sign-ins of people, by method and outcome' },
  tokens: { name: 'ostiary_tokens_issued_total', help: 'Token responses, by grant type' },
  refusals: { name: 'ostiary_refusals_total', help: 'Refused calls, by the code of the error' },
  deliveries: { name: 'ostiary_deliveries_total', help: 'Attempts to deliver webhooks and back-channel logouts, by kind and outcome' },
}

/** Gauges of prom-client with a name for counters, which `promtool check metrics` refuses. Each is the sum of one that has the type as a label. */
const misnamed_gauges = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

export function createMetrics(observed: Observed) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed_gauges) registry.removeSingleMetric(name)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests in seconds, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  addCounters(registry, observed.tally)
  addQueue(registry, observed)
  addPasswords(registry, observed.passwords)
  addLog(registry, observed)
  addTelemetry(registry, observed.telemetry)
  addWrites(registry, observed.db)
  addEnds(registry, observed)
  addDatabase(registry, observed.db)
  if (cluster.isWorker) answerQuestions(registry)
  return {
    observe(method: string, route: string, status: number, duration_ms: number): void {
      requests.observe({ method, route, status }, duration_ms / 1000)
    },
    async expose(): Promise<{ type: string; text: string }> {
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

function addCounters(registry: Registry, tally: Tally): void {
  for (const [counter, { name, help }] of Object.entries(counters) as [Tallied, (typeof counters)[Tallied]][]) // as: the names of the table
    new Counter({
      name,
      help,
      labelNames: tallied[counter],
      registers: [registry],
      collect() {
        this.reset()
        for (const { values, count } of tally.read(counter)) this.labels(...values).inc(count)
      },
    })
}

/** The workers of a deployment share the queue, so the sum of what they see would be wrong. */
const shared = { aggregator: 'max' } as const

function addQueue(registry: Registry, { db, now }: Observed): void {
  const options = { labelNames: ['kind'], registers: [registry], ...shared }
  /** Both gauges are asked at once, and read the queue once. Without the database nothing is known of it, and the other metrics matter most. */
  let reading: ReturnType<typeof read> | null = null
  async function read() {
    const at = now()
    const backlog = await backlogOf(db, at).catch(() => [])
    return backlog.map(({ kind, due, oldest }) => ({
      kind,
      due,
      age_ms: oldest === null ? 0 : Math.max(0, at.getTime() - oldest.getTime()),
    }))
  }
  function backlog() {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }
  new Gauge({
    ...options,
    name: 'ostiary_queue_due_jobs',
    help: 'Jobs of the queue that are due, by kind; at most 10000 are counted',
    async collect() {
      const kinds = await backlog()
      this.reset()
      for (const { kind, due } of kinds) this.set({ kind }, due)
    },
  })
  new Gauge({
    ...options,
    name: 'ostiary_queue_oldest_job_age_seconds',
    help: 'How long the oldest due job of the queue waits, by kind; 0 if none is due',
    async collect() {
      const kinds = await backlog()
      this.reset()
      for (const { kind, age_ms } of kinds) this.set({ kind }, age_ms / 1000)
    },
  })
}

function addPasswords(registry: Registry, passwords: Passwords): void {
  const registers = [registry]
  new Gauge({
    name: 'ostiary_password_hashes_running',
    help: 'Passwords that are hashed or checked right now',
    registers,
    collect() {
      this.set(passwords.load().running)
    },
  })
  new Gauge({
    name: 'ostiary_password_hashes_waiting',
    help: 'Passwords that wait to be hashed or checked',
    registers,
    collect() {
      this.set(passwords.load().waiting)
    },
  })
  new Counter({
    name: 'ostiary_password_hashes_refused_total',
    help: 'Passwords that were not hashed, by reason: too many waited, or the client was gone',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of Object.entries(passwords.load().refused)) this.inc({ reason }, count)
    },
  })
}

function addLog(registry: Registry, { droppedLines }: Observed): void {
  new Counter({
    name: 'ostiary_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, since nothing read them or they could not be written, by stream',
    labelNames: ['stream'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [stream, lines] of Object.entries(droppedLines())) this.inc({ stream }, lines)
    },
  })
}

/** The counts without a collector. */
const no_telemetry: ReturnType<Telemetry['counts']> = { dropped: { logs: 0, traces: 0 }, failed: { events: 0, logs: 0, traces: 0 } }

function addTelemetry(registry: Registry, telemetry: Observed['telemetry']): void {
  const kinds = {
    dropped: [
      'ostiary_telemetry_dropped_total',
      'Log lines and request spans that did not fit into the buffer before the collector, by signal',
    ],
    failed: ['ostiary_telemetry_failures_total', 'Requests that the collector of telemetry did not take, by signal'],
  } as const
  for (const [kind, [name, help]] of Object.entries(kinds) as [keyof typeof kinds, readonly [string, string]][]) // as: the names of the table
    new Counter({
      name,
      help,
      labelNames: ['signal'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [signal, count] of Object.entries((telemetry?.counts() ?? no_telemetry)[kind])) this.inc({ signal }, count)
      },
    })
}

function addWrites(registry: Registry, { writes }: Db): void {
  new Gauge({
    name: 'ostiary_database_writes_failing',
    help: '1 while the last write failed because the disk of the database is full or fails, or the database is read-only; else 0',
    registers: [registry],
    ...shared,
    collect() {
      this.set(writes.failure ? 1 : 0)
    },
  })
}

function addEnds(registry: Registry, { db, now }: Observed): void {
  new Gauge({
    name: 'ostiary_expiring',
    help: 'Client secrets, keys, secrets of providers and certificates that end within the days, by kind; at most 10000 are counted',
    labelNames: ['kind', 'days'],
    registers: [registry],
    ...shared,
    async collect() {
      const at = now()
      const counts = await Promise.all(
        expiringKinds.flatMap((kind) =>
          stages.map(async (days) => ({ kind, days, count: await countExpiring(db, kind, days, at).catch(() => null) })),
        ),
      )
      this.reset()
      for (const { kind, days, count } of counts) if (count !== null) this.set({ kind, days: String(days) }, count)
    },
  })
}

/** SQLite has no connections to wait for. */
function addDatabase(registry: Registry, { load }: Db): void {
  if (!load) return
  const registers = [registry]
  new Gauge({
    name: 'ostiary_database_connections',
    help: 'Connections to PostgreSQL, by state',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, in_use } = load()
      this.set({ state: 'in_use' }, in_use)
      this.set({ state: 'idle' }, open - in_use)
    },
  })
  new Gauge({
    name: 'ostiary_database_batches_waiting',
    help: 'Batches that wait for a connection to PostgreSQL, or behind another batch on theirs',
    registers,
    collect() {
      this.set(load().waiting)
    },
  })
}

type Values = MetricObjectWithValues<MetricValue<string>>[]
/** The process that started the workers asks each for its metrics by this message, which comes back with them. */
interface Question {
  readonly metrics_question: number
}
type Reply = Question & { readonly metrics: Values | null }

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'metrics_question' in message

function answerQuestions(registry: Registry): void {
  process.on('message', async (message) => {
    if (!isQuestion(message)) return
    const metrics = await registry.getMetricsAsJSON().catch(() => null) // such as the queue's, while the database is out of reach
    process.send?.({ ...message, metrics } satisfies Reply, undefined, {}, () => {}) // an error: the process that asked has ended
  })
}

const longest_answer_ms = 5_000

/**
 * The sum of the metrics of the workers that serve, for the process that started them. A worker that still starts cannot answer, and has
 * counted nothing. Rejects if one that serves does not answer.
 */
export function createMetricsOfWorkers(serving: ReadonlySet<Worker>): Pick<Metrics, 'expose'> {
  let questions = 0

  function ask(worker: Worker): Promise<Values> {
    const question: Question = { metrics_question: questions++ }
    return new Promise((resolve, reject) => {
      const onMessage = (message: unknown) => {
        if (isQuestion(message) && message.metrics_question === question.metrics_question) end((message as Reply).metrics) // as: the worker answers so
      }
      const onExit = () => end([])
      const timer = setTimeout(() => end(null), longest_answer_ms)
      const end = (metrics: Values | null) => {
        clearTimeout(timer)
        worker.off('message', onMessage).off('exit', onExit)
        if (metrics) resolve(metrics)
        else reject(new Error(`Worker ${worker.process.pid} gave no metrics.`))
      }
      worker.on('message', onMessage).on('exit', onExit)
      worker.send(question, undefined, {}, (error) => error && end([])) // it has ended
    })
  }

  return {
    async expose() {
      const all = AggregatorRegistry.aggregate(await Promise.all([...serving].map(ask)))
      return { type: all.contentType, text: await all.metrics() }
    },
  }
}
