/**
 * `ostiary serve --workers N`: N processes that share the port, each a complete service. This process serves no requests. It replaces
 * workers that end, forwards signals, and adds up their metrics.
 */
import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { CannotStart } from '@ostiary/server/base/cannot-start.ts'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { createLog } from '@ostiary/server/base/log.ts'
import { outputTo } from '@ostiary/server/base/output.ts'
import { listenForMetrics, refuseTakenPort } from '@ostiary/server/http/listen.ts'
import { joinQuietWorkers } from '@ostiary/server/http/quiet-workers.ts'
import { onStopSignals } from './signals.ts'

/** A worker takes at most 10 s to finish the requests in flight. */
const stop_limit_ms = 15_000
/** The pause before a worker is replaced doubles with each early end. */
const first_pause_ms = 500
const longest_pause_ms = 30_000
/** A worker that lived this long did not end early. */
const early_ms = 60_000

/** The exit code of a worker that no other would replace: its standard error says what to change first. */
const refused_code = 78 // EX_CONFIG of sysexits.h

/** The exit code of a process that cannot serve for a reason that lies outside of it. */
export const codeOfRefusal = () => (cluster.isWorker ? refused_code : 1)

/** The message of a worker that serves, to the process that started it. */
const ready = 'ready'

export const isWorker = () => cluster.isWorker
export const sayReady = () => process.send?.(ready)
/** Reports whether this is the only process or the first worker. It logs what every worker would log. */
export const isFirst = () => (cluster.worker?.id ?? 1) === 1

/** The token of the page of the first start, which any worker may answer. The process that started this one sends it. */
export async function sharedSetupToken(): Promise<string> {
  const [message]: unknown[] = await once(process, 'message')
  return String((message as { setup_token: unknown }).setup_token) // as: the first message of `fork`
}

const setup_token = randomBytes(32).toString('base64url')

function fork(): Worker {
  const worker = cluster.fork()
  worker.send({ setup_token })
  return worker
}

export async function superviseWorkers(config: Config, count: number): Promise<number | null> {
  if (config.database_url === null)
    throw new CannotStart(
      'Several workers need a PostgreSQL database, since an embedded one serves a single process: set OSTIARY_DATABASE_URL, or leave out --workers.',
    )
  const log = createLog(config.log_level, () => new Date(), outputTo('stdout').write, process.stdout.isTTY ? 'text' : 'json')
  let is_stopping = false
  stopWorkersOnSignal(() => {
    is_stopping = true
  })
  joinQuietWorkers()

  await refuseTakenPort(config)
  const metrics_server = await exposeMetrics(config, servingWorkers())
  // The first worker migrates the schema and finds mistakes of the configuration, so each is reported once.
  const first = fork()
  if (!(await becomesReady(first))) {
    metrics_server?.close()
    return is_stopping ? 0 : 1
  }
  if (config.redis_url === null) log.warn('Each worker counts rate limits on its own. Set OSTIARY_REDIS_URL to count them together.')

  let early_ends = 0
  const replace = (worker: Worker, began: number) =>
    worker.once('exit', (code, signal) => {
      if (is_stopping) return
      if (code === refused_code) {
        log.error('A worker ended and no other can take its place. Its standard error says why.', { worker: worker.process.pid })
        is_stopping = true
        void stopWorkers().then(() => process.exit(1))
        return
      }
      early_ends = Date.now() - began < early_ms ? early_ends + 1 : 0
      const pause_ms = Math.min(longest_pause_ms, first_pause_ms * 2 ** early_ends)
      log.error('A worker ended and is replaced.', { worker: worker.process.pid, code, signal, pause_ms })
      setTimeout(() => is_stopping || start(), pause_ms)
    })
  const start = () => replace(fork(), Date.now())
  replace(first, Date.now())
  for (let i = 1; i < count; i++) start()
  const pids = Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid)
  log.info('workers', { count, pids: pids.join(' ') })
  return null
}

/** Resolves with false if the worker ends before it serves. Its standard error says why. */
function becomesReady(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve(false))
    worker.on('message', (message) => message === ready && resolve(true))
  })
}

const killWorkers = (how: 'SIGTERM' | 'SIGKILL') => {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(how)
}

/** Stops every worker gracefully. Reports whether all have ended so. */
async function stopWorkers(): Promise<boolean> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const ended = Promise.all(workers.map((worker) => once(worker, 'exit')))
  killWorkers('SIGTERM')
  const forced = setTimeout(killWorkers, stop_limit_ms, 'SIGKILL')
  const outcomes = await ended
  clearTimeout(forced)
  // A worker that SIGTERM ended was still starting, and had no requests.
  return outcomes.every(([code, signal]) => code === 0 || signal === 'SIGTERM')
}

/** Stops every worker gracefully and then this process. */
function stopWorkersOnSignal(onStop: () => void): void {
  onStopSignals({
    async stop() {
      onStop()
      process.exit((await stopWorkers()) ? 0 : 1)
    },
    stopAtOnce() {
      killWorkers('SIGKILL')
      process.exit(1)
    },
  })
}

/** The workers that serve now. */
function servingWorkers(): ReadonlySet<Worker> {
  const serving = new Set<Worker>()
  cluster.on('message', (worker: Worker, message: unknown) => message === ready && serving.add(worker))
  cluster.on('exit', (worker) => serving.delete(worker))
  return serving
}

/** Serves the sum of the metrics of the workers that serve. */
async function exposeMetrics(config: Config, serving: ReadonlySet<Worker>): Promise<Server | null> {
  if (config.metrics === null) return null
  const { createMetricsOfWorkers } = await import('@ostiary/server/workers/metrics.ts')
  return listenForMetrics(createMetricsOfWorkers(serving), config.metrics)
}
