/**
 * Preloaded into every measured server. Answers questions about the process over its channel to the benchmark, and exits when the
 * benchmark ends. It is idle otherwise.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Usage {
  /** Processor time of all threads, in microseconds. */
  readonly cpu_us: number
  readonly resident_bytes: number
  readonly heap_bytes: number
}

export interface Times {
  readonly cpu_us: number
  /** That of the main thread, in microseconds. */
  readonly main_us: number
}

let profiler: Session | null = null

const answers: Record<string, (file: string) => Promise<unknown> | unknown> = {
  usage: (): Usage => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    return { cpu_us: user + system, resident_bytes: rss, heap_bytes: heapUsed }
  },
  /** Processor time alone, which costs little to ask for. */
  times(): Times {
    const all = process.cpuUsage()
    const main = process.threadCpuUsage()
    return { cpu_us: all.user + all.system, main_us: main.user + main.system }
  },
  /** Returns the usage after garbage collection. */
  async collect() {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    for (let times = 0; times < 4; times++) {
      collect()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return answers.usage?.('')
  },
  async beginProfile() {
    profiler = new Session()
    profiler.connect()
    await profiler.post('Profiler.enable')
    await profiler.post('Profiler.setSamplingInterval', { interval: 200 })
    await profiler.post('Profiler.start')
  },
  async endProfile(file) {
    if (!profiler) return
    const { profile } = await profiler.post('Profiler.stop')
    writeFileSync(file, JSON.stringify(profile))
    profiler.disconnect()
  },
}

process.on('message', async ({ id, ask, file }: { id: number; ask: string; file: string }) => {
  const answer = answers[ask]
  if (answer) process.send?.({ id, answer: await answer(file) })
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
