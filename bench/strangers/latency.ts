/** How long another person waits for a sign-in page beside an attack, and beside as many ordinary requests in its place (open loop). */
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, openConnection, request } from '../connection.ts'
import { percentile } from '../load.ts'
import { atPace, createPool } from '../pace.ts'
import { authorization } from '../provider.ts'
import { type Attack, startAttacker } from './attacks.ts'
import type { Strangers } from './ground.ts'
import { kindsOfLatency, ordinary } from './kinds.ts'

const a_second = 40
const window_ms = 3_000
/** The person comes first, so that the begin of the attack is in the schedule. */
const before_ms = 250
const rounds = 2
const longest_settling_ms = 15_000
const is_quiet_ms = 20
const longest_wait_ms = 20_000
const source = { 'x-forwarded-for': '198.51.100.7' }

export interface Beside {
  readonly kind: string
  readonly calls: number
  readonly failed: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly ordinary_p99_ms: number
  /** 1.5 times that beside ordinary requests, or 10 ms more. */
  readonly demanded_ms: number
}

export async function measureLatency(strangers: Strangers, connections: number, progress: (text: string) => void): Promise<Beside[]> {
  const process = await strangers.start()
  const found: Beside[] = []
  for (const [kind, attack] of Object.entries(kindsOfLatency(strangers, connections))) {
    progress(`a person beside ${kind}`)
    const attacked: Outcome[] = []
    const instead: Outcome[] = []
    for (let round = 0; round < rounds; round++) {
      attacked.push(await beside(strangers, attack))
      instead.push(await beside(strangers, ordinary(strangers, attack)))
    }
    const [under, of_ordinary] = [figures(attacked), figures(instead)]
    const demanded_ms = Math.max(1.5 * of_ordinary.p99_ms, of_ordinary.p99_ms + 10)
    found.push({ kind, ...under, ordinary_p99_ms: of_ordinary.p99_ms, demanded_ms })
  }
  await process.kill()
  return found
}

type Outcome = Awaited<ReturnType<ReturnType<typeof atPace>>>

function figures(outcomes: readonly Outcome[]) {
  const ms = outcomes.flatMap((each) => each.ms).sort((a, b) => a - b)
  const failed = outcomes.reduce((sum, each) => sum + each.failed, 0)
  // One that failed has waited without end.
  const all = [...ms, ...Array.from({ length: failed }, () => Number.POSITIVE_INFINITY)]
  return { calls: all.length, failed, p50_ms: percentile(all, 0.5), p99_ms: percentile(all, 0.99) }
}

async function beside(strangers: Strangers, attack: Attack): Promise<Outcome> {
  const { seeded } = strangers
  await untilQuiet(strangers)
  const attacker = startAttacker(seeded.address)
  const pool = createPool(seeded.address)
  await attacker.state()
  const stop = atPace(a_second, () =>
    pool.within(async (connection) => {
      const asked = request(seeded.address, 'GET', authorization(seeded, {}).path, { headers: source })
      const late = new AbortController()
      const answer = await Promise.race([connection.send(asked), sleep(longest_wait_ms, null, { signal: late.signal })])
      late.abort()
      if (answer === null) throw new Error('No answer came.')
      expectStatus(200, answer)
    }),
  )
  await sleep(before_ms)
  await attacker.begin(attack)
  await sleep(window_ms - before_ms)
  const outcome = await stop()
  pool.close()
  await attacker.end()
  await attacker.stop()
  return outcome
}

/** Waits until the service has done what the attack before left behind. */
async function untilQuiet({ seeded: { address } }: Strangers): Promise<void> {
  const connection = await openConnection(address)
  let quiet = 0
  for (const until = performance.now() + longest_settling_ms; performance.now() < until && quiet < 5; await sleep(20)) {
    const at = performance.now()
    await connection.send(request(address, 'GET', '/healthz'))
    quiet = performance.now() - at < is_quiet_ms ? quiet + 1 : 0
  }
  connection.close()
}
