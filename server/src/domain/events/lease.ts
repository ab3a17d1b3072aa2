/** Leases: one process of a deployment does the work, and another takes over when it stops. */
import { type Db, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'

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
