/** The memory of the service while hostile connections of one kind are open, beside that with as many calm ones. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type State, startAttacker } from './attacks.ts'
import type { Strangers } from './ground.ts'
import { calm, kindsOfMemory } from './kinds.ts'

const mebibyte = 1_048_576
/** A measurement ends when the process has so much more than with calm connections: the service is not meant to fall over the machine. */
const enough_mib = 512
const hold_ms = 6_000
const longest_ms = 24_000
const between_samples_ms = 100

export interface Held {
  readonly kind: string
  readonly most_mib: number
  /** How much more than with calm connections. */
  readonly more_mib: number
  readonly open: number
  readonly closed: number
  readonly statuses: Readonly<Record<string, number>>
  /** Why the measurement ended early, or `null`. */
  readonly ended: string | null
}

export async function measureMemory(strangers: Strangers, connections: number, progress: (text: string) => void) {
  progress(`memory with ${connections} calm connections`)
  const quiet = await hold(strangers, 'calm', calm(strangers, connections), Number.POSITIVE_INFINITY)
  const kinds: Held[] = []
  for (const [kind, attack] of Object.entries(kindsOfMemory(strangers, connections))) {
    progress(`memory, ${kind}`)
    const held = await hold(strangers, kind, attack, quiet.most_mib + enough_mib)
    kinds.push({ ...held, more_mib: held.most_mib - quiet.most_mib })
  }
  return { connections, calm_mib: quiet.most_mib, calm_open: quiet.open, kinds }
}

/** Each kind has a process of its own, whose memory is the most that is seen. */
async function hold(strangers: Strangers, kind: string, attack: Attack, most_mib: number): Promise<Omit<Held, 'more_mib'>> {
  const process = await strangers.start()
  const attacker = startAttacker(strangers.seeded.address)
  let most_bytes = 0
  let ended: string | null = null
  let state: State = await attacker.begin(attack)
  const began = performance.now()
  let begun_at: number | null = null
  while (ended === null && performance.now() - began < longest_ms && (begun_at === null || performance.now() - begun_at < hold_ms)) {
    await sleep(between_samples_ms)
    const usage = await Promise.race([process.usage().catch(() => 'gone' as const), sleep(longest_ms, 'silent' as const)])
    state = await attacker.state()
    if (state.is_begun) begun_at ??= performance.now()
    if (typeof usage === 'string') ended = usage === 'gone' ? 'the process ended' : 'the process did not answer'
    else most_bytes = Math.max(most_bytes, usage.resident_bytes)
    if (most_bytes / mebibyte > most_mib) ended = 'more than is measured'
  }
  await attacker.end()
  await attacker.stop()
  await process.kill()
  const { open, closed, statuses } = state
  return { kind, most_mib: ended === 'the process ended' ? Number.POSITIVE_INFINITY : most_bytes / mebibyte, open, closed, statuses, ended }
}
