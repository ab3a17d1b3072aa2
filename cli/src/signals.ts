/**
 * Handles SIGTERM and SIGINT for the service. A signal to the process group (systemd's default, or a shell's) reaches the launcher, the
 * first process and its workers, and each forwards it: signals within a second of the first one are the same signal. A later one means
 * "at once".
 */
import cluster from 'node:cluster'

const one_signal_ms = 1_000

export interface Stopping {
  stop(): void
  stopAtOnce(): void
}

/** Only the process that started a worker ends it at once, by SIGKILL. */
export function onStopSignals({ stop, stopAtOnce }: Stopping): void {
  let began: number | null = null
  const receive = () => {
    const now = performance.now()
    if (began === null) {
      began = now
      stop()
    } else if (now - began >= one_signal_ms && !cluster.isWorker) stopAtOnce()
  }
  process.on('SIGTERM', receive)
  // Ctrl-C reaches every process of a terminal. A worker waits for SIGTERM from the process that started it.
  process.on('SIGINT', cluster.isWorker ? () => {} : receive)
}
