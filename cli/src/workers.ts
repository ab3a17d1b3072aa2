/**
 * `ostiary serve --workers N`: N processes that share the port, each a whole service. This process serves nothing itself:
 * it replaces workers that end, passes signals on, and adds up their metrics.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { CannotStart } from '@ostiary/server/cannot-start.ts'
import type { Config } from '@ostiary/server/config.ts'
import { createServer } from '@ostiary/server/http/node-http.ts'
import { createLog } from '@ostiary/server/log.ts'

/** A worker takes 10 s at most to finish what is in flight. */
const stop_limit_ms = 15_000
const first_pause_ms = 500
const longest_pause_ms = 30_000
/** A worker that lived this long was sound: if it ends, the next one need not wait. */
const sound_after_ms = 60_000

/** What a worker says to the process that started it, once it serves. */
const ready = 'ready'

export const isWorker = () => cluster.isWorker
export const sayReady = () => process.send?.(ready)
/** Whether this process says what every worker would say. */
export const tellsForAll = () => (cluster.worker?.id ?? 1) === 1

export async function superviseWorkers(config: Config, count: number): Promise<number | null> {
  if (config.database_url === null)
    throw new CannotStart(
      'Several workers need a PostgreSQL database, since the embedded one belongs to one process: set OSTIARY_DATABASE_URL, or leave out --workers.',
    )
  const log = createLog(
    config.log_level,
    () => new Date(),
    (line) => process.stdout.write(line),
  )
  let is_stopping = false
  stopOnSignal(() => {
    is_stopping = true
  })

  // The first one brings the schema up to date and finds every mistake, which is then told once.
  const first = cluster.fork()
  if (!(await becomesReady(first))) return is_stopping ? 0 : 1
  if (config.redis_url === null) log.warn('Each worker counts rate limits for itself. Set OSTIARY_REDIS_URL to count them together.')

  let early_ends = 0
  const replace = (worker: Worker, began: number) =>
    worker.once('exit', (code, signal) => {
      if (is_stopping) return
      early_ends = Date.now() - began < sound_after_ms ? early_ends + 1 : 0
      const pause_ms = Math.min(longest_pause_ms, first_pause_ms * 2 ** early_ends)
      log.error('A worker ended and is replaced.', { worker: worker.process.pid, code, signal, pause_ms })
      setTimeout(() => is_stopping || start(), pause_ms)
    })
  const start = () => replace(cluster.fork(), Date.now())
  replace(first, Date.now())
  for (let i = 1; i < count; i++) start()
  if (config.metrics_port !== null) await exposeMetrics(config.metrics_port, config.host[0] ?? '127.0.0.1')
  const pids = Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid)
  log.info('workers', { count, pids: pids.join(' ') })
  return null
}

/** False where it ends before it serves; why is on its standard error. */
function becomesReady(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve(false))
    worker.on('message', (message) => message === ready && resolve(true))
  })
}

/** The first signal stops every worker gracefully and then this process; a second one ends all at once. */
function stopOnSignal(onStop: () => void): void {
  let signals = 0
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, async () => {
      signals += 1
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      const end = (how: 'SIGTERM' | 'SIGKILL') => workers.map((worker) => worker.process.kill(how))
      if (signals > 1) {
        end('SIGKILL')
        process.exit(1)
      }
      onStop()
      const ended = Promise.all(workers.map((worker) => once(worker, 'exit')))
      end('SIGTERM')
      const forced = setTimeout(end, stop_limit_ms, 'SIGKILL')
      const outcomes = await ended
      clearTimeout(forced)
      process.exit(outcomes.every(([code]) => code === 0) ? 0 : 1)
    })
}

async function exposeMetrics(port: number, host: string): Promise<void> {
  const { createMetricsOfWorkers } = await import('@ostiary/server/metrics.ts')
  const metrics = createMetricsOfWorkers()
  const server = createServer((_, response) => {
    metrics.expose().then(
      ({ type, text }) => response.setHeader('content-type', type).end(text),
      () => response.writeHead(503).end(),
    )
  })
  await once(server.listen(port, host), 'listening')
}
