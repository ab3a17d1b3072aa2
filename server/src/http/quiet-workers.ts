/**
 * Workers that share a port close it together. The first one to close would let its clients ask again, and the last one would then close
 * the port while their connections wait to be accepted.
 */
import cluster, { type Worker } from 'node:cluster'

const quiet = 'quiet'
const close = 'close'

/** Resolves when all workers of this deployment are quiet, or after `longest_ms`. At once in a process that shares no port. */
export function untilAllAreQuiet(longest_ms: number): Promise<void> {
  if (!cluster.isWorker || !process.connected) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      process.off('message', receive)
      resolve()
    }
    const receive = (message: unknown) => message === close && end()
    const timer = setTimeout(end, longest_ms)
    process.on('message', receive)
    process.send?.(quiet, undefined, {}, (error) => error && end()) // the first process has ended
  })
}

/** Lets the workers go on as soon as each of them is quiet or has ended. For the process that started them. */
export function joinQuietWorkers(): void {
  const are_quiet = new Set<Worker>()
  const check = () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    if (are_quiet.size === 0 || !workers.every((worker) => are_quiet.has(worker))) return
    for (const worker of workers) if (worker.isConnected()) worker.send(close)
  }
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (message !== quiet) return
    are_quiet.add(worker)
    check()
  })
  cluster.on('exit', (worker) => {
    are_quiet.delete(worker)
    check()
  })
}
