/** Leases: one process of a deployment does the work, and another takes over when it stops. */
import { type Db, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'

/**
 * Takes or renews a lease. Returns `false` while another process holds it. The clocks of processes differ, so two may hold a
 * lease at once: correctness must not depend on it. A lease that ends later than `length_ms` from now comes from a wrong clock
 * and is treated as expired.
 */
export async function takeLease(
  db: Db,
  name: string,
  { holder, length_ms }: { holder: string; length_ms: number },
  now: Date,
): Promise<boolean> {
  const until = new Date(now.getTime() + length_ms)
  const taken = await db.run(
    insertInto(
      'leases',
      { name, holder, expires_at: until },
      sql`on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where leases.holder = ${holder} or leases.expires_at <= ${now} or leases.expires_at > ${until}`,
    ),
  )
  return taken === 1
}

/** Returns a function that says whether this process has a lease. It renews one of which less than half is left. */
export function createLease({ db, now, random }: Pick<Deployment, 'db' | 'now' | 'random'>, name: string, length_ms: number) {
  const holder = random(16).toString('base64url')
  let held_until_ms = 0
  return async function isHeld(): Promise<boolean> {
    const at = now()
    const left_ms = held_until_ms - at.getTime()
    if (left_ms > length_ms / 2 && left_ms <= length_ms) return true
    const has = await takeLease(db, name, { holder, length_ms }, at)
    held_until_ms = has ? at.getTime() + length_ms : 0
    return has
  }
}
