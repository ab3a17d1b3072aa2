/** The passwords of a service whose hashes a test holds: one runs at a time, and a clock of the test measures them. */
import { hash, verify } from '@node-rs/argon2'
import { createPasswords, type Turn } from '../../src/domain/users/password.ts'
import { until } from './receiver.ts'

const short_ms = 1
const long_ms = 100_000
/** As many hashes as the mean is made of. */
const measured = 20

/** Its turn comes before that of every newcomer. */
const of_another_tenant: Turn = {
  place: { tenant_id: 'another', environment_id: '', network: '', source: 'another', marked_account: null },
}

export function createHeldPasswords() {
  let clock_ms = 0
  let hash_ms = short_ms
  let is_holding = false
  const held: (() => void)[] = []

  async function inTime<T>(work: () => Promise<T>): Promise<T> {
    if (is_holding) await new Promise<void>((resolve) => held.push(resolve))
    clock_ms += hash_ms
    return work()
  }
  const argon2: Parameters<typeof createPasswords>[1] = {
    hash: (password, options) => inTime(() => hash(password, { ...options, memoryCost: 8, timeCost: 1 })),
    verify: (...checked) => inTime(() => verify(...checked)),
  }
  const passwords = createPasswords(1, argon2, () => clock_ms)

  function release(): void {
    is_holding = false
    for (const go of held.splice(0)) go()
  }

  return {
    passwords,

    /** Holds the hashes that begin from now on. */
    hold(): void {
      is_holding = true
    },
    /** Ends the hash that runs. */
    releaseOne(): void {
      held.shift()?.()
    },
    release,

    /** Waits until one hash runs and this many wait. */
    untilWaiting: (count: number) =>
      until(`${count} hashes wait`, async () => {
        const { running, waiting } = passwords.load()
        return running === 1 && waiting === count
      }),

    /** Asks while a hash that comes after another one would wait for too long. Any other source has as many waiting as the asker. */
    async whileFull<T>(ask: () => Promise<T>): Promise<T> {
      hash_ms = long_ms
      await passwords.hash('a long hash')
      hash_ms = short_ms
      is_holding = true
      const others = [passwords.hash('one runs'), passwords.hash('one waits', of_another_tenant)]
      try {
        return await ask()
      } finally {
        release()
        await Promise.all(others)
        for (let i = 0; i < measured; i++) await passwords.hash('a short hash')
      }
    },
  }
}
