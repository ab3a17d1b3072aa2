/** Leases: work that one process of a deployment does at a time, and another takes over when that one is gone. */
import { type Db, sql } from '../db/db.ts'

/**
 * Takes a lease or prolongs one's own. False while another process has it. Clocks of processes differ, so this may not
 * be what keeps two from doing harm; a lease that ends later than it can was given by a clock that is wrong, and counts
 * as ended.
 */
export async function takeLease(db: Db, name: string, holder: string, length_ms: number, now: Date): Promise<boolean> {
  const until = new Date(now.getTime() + length_ms)
  const taken = await db.run(sql`insert into leases (name, holder, expires_at) values (${name}, ${holder}, ${until})
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where leases.holder = ${holder} or leases.expires_at <= ${now} or leases.expires_at > ${until}`)
  return taken === 1
}
