/** Loads a server: repeats one step on several connections for some time. */
import type { Address, Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import type { Proof } from './provider.ts'

/** One exchange, or several that belong together. Throws if the answer is wrong. Returns a function that verifies it in full. */
export type Step = (connection: Connection, slot: number) => Promise<Proof>

export interface Load {
  readonly answered: number
  readonly proved: number
  readonly seconds: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** How much of a core the loader itself used. Near 1, the loader was the bottleneck. */
  readonly loader_share: number
}

/** One answer in this many is verified in full. */
const sample = 20

export async function load(address: Address, step: Step, { in_flight, seconds }: { in_flight: number; seconds: number }): Promise<Load> {
  const connections = await Promise.all(Array.from({ length: in_flight }, () => openConnection(address)))
  const latencies: number[] = []
  const proofs: Promise<unknown>[] = []
  const cpu = process.cpuUsage()
  const began = performance.now()
  const until = began + seconds * 1000

  async function repeat(connection: Connection, slot: number): Promise<void> {
    for (let at = performance.now(); at < until; ) {
      const prove = await step(connection, slot)
      const now = performance.now()
      latencies.push(now - at)
      if (latencies.length % sample === 1) proofs.push(prove())
      at = now
    }
  }
  try {
    await Promise.all(connections.map(repeat))
    const elapsed = (performance.now() - began) / 1000
    const { user, system } = process.cpuUsage(cpu)
    await Promise.all(proofs)
    latencies.sort((a, b) => a - b)
    return {
      answered: latencies.length,
      proved: proofs.length,
      seconds: elapsed,
      p50_ms: percentile(latencies, 0.5),
      p99_ms: percentile(latencies, 0.99),
      loader_share: (user + system) / 1e6 / elapsed,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Repeats a step a few times on each of several connections and verifies every answer in full. */
export async function check(address: Address, step: Step, { in_flight, times }: { in_flight: number; times: number }): Promise<void> {
  const slots = Array.from({ length: in_flight }, (_, slot) => slot)
  await Promise.all(
    slots.map(async (slot) => {
      const connection = await openConnection(address)
      for (let time = 0; time < times; time++) await (await step(connection, slot))()
      connection.close()
    }),
  )
}

export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? percentile(sorted, 0.5) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** Contestants are measured in random order, so that none has always the same one before it. */
export const inRandomOrder = <T>(all: readonly T[]): T[] =>
  all
    .map((each) => ({ each, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
