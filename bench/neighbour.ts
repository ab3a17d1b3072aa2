/** How much one tenant notices of what another does: its discovery document, in rounds with and without the disturbance. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, expectStatus, openConnection, request } from './connection.ts'
import { median, percentile } from './load.ts'

const rounds = 5
const between_probes_ms = 4

interface Neighbour {
  readonly address: Address
  /** The path of the document. */
  readonly path: string
  /** The length of a round. */
  readonly seconds: number
}

/**
 * Measures p99 in alternating rounds. `disturb` works until its signal is aborted, and may end early.
 * @returns the medians, and the median of how much each disturbed round is slower than the quiet one before it
 */
export async function measureNeighbour({ address, path, seconds }: Neighbour, disturb: (until: AbortSignal) => Promise<void>) {
  const connection = await openConnection(address)
  const asked = request(address, 'GET', path)
  const p99Of = async () => {
    const taken: number[] = []
    for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(between_probes_ms)) {
      const at = performance.now()
      expectStatus(200, await connection.send(asked))
      taken.push(performance.now() - at)
    }
    taken.sort((a, b) => a - b)
    return percentile(taken, 0.99)
  }
  const pairs: { quiet: number; disturbed: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const quiet = await p99Of()
    const over = new AbortController()
    const disturbing = disturb(over.signal)
    const disturbed = await p99Of()
    over.abort()
    await disturbing
    pairs.push({ quiet, disturbed })
  }
  connection.close()
  return {
    quiet_p99_ms: median(pairs.map(({ quiet }) => quiet)),
    disturbed_p99_ms: median(pairs.map(({ disturbed }) => disturbed)),
    rise_ms: median(pairs.map(({ quiet, disturbed }) => disturbed - quiet)),
  }
}
