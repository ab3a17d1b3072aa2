/**
 * Links new audit entries into the chains of their tenants, in the order of their ids. Why no entry is linked twice or
 * left out is said in `events/numbering.ts`: the head of the chain is the counter here.
 *
 * The head carries a seal under the deployment's secret, so that somebody who can write to the database, but has not the
 * master key, cannot compute a chain anew up to its end. A head whose seal is wrong never gets a right one again: the log
 * goes on, and `ostiary doctor` keeps reporting it.
 */
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import type { Secrets } from '../secrets.ts'
import { beginning, type ChainEnd, linkAfter } from './chain.ts'
import { EntryRow, entryColumns } from './store.ts'

const most_at_once = 500

const Unchained = EntryRow.extend({
  end_sequence: z.int().nullable(),
  end_hash: z.string().nullable(),
  end_seal: z.string().nullable(),
})
type Unchained = z.infer<typeof Unchained>

/** Entries that wait for their link, with the end of their chain as of the same moment. */
export function findUnchained(db: Db): Promise<Unchained[]> {
  return db.all(
    Unchained,
    sql`select ${entryColumns}, h.sequence as end_sequence, h.hash as end_hash, h.seal as end_seal
          from audit_log l left join audit_heads h on h.tenant_id = l.tenant_id
         where l.sequence is null order by l.id limit ${most_at_once}`,
  )
}

/** Links entries of one tenant. Returns how many: none where another process did it first. */
export async function chainEntries(db: Db, secrets: Pick<Secrets, 'mac'>, entries: readonly Unchained[]): Promise<number> {
  const [first] = entries
  if (!first) return 0
  const { tenant_id, end_sequence, end_hash, end_seal } = first
  const from = end_sequence === null || end_hash === null ? beginning : { sequence: end_sequence, hash: end_hash }
  let end: ChainEnd = from
  const links = entries.map((entry) => {
    const link = linkAfter(end, entry)
    end = link
    return { id: entry.id, ...link }
  })
  const is_trusted = end_seal === null || end_seal === headSeal(secrets, tenant_id, from)
  const seal = is_trusted ? headSeal(secrets, tenant_id, end) : end_seal
  const is_linked = await db.batch([
    guard(sql`insert into audit_heads (tenant_id, sequence, hash, seal) values (${tenant_id}, ${end.sequence}, ${end.hash}, ${seal})
        on conflict (tenant_id) do update set sequence = excluded.sequence, hash = excluded.hash, seal = excluded.seal
          where audit_heads.sequence = ${from.sequence} and audit_heads.hash = ${from.hash}`),
    ...links.map(
      ({
        id,
        sequence,
        previous_hash,
        hash,
      }): Statement => sql`update audit_log set sequence = ${sequence}, previous_hash = ${previous_hash}, hash = ${hash}
        where tenant_id = ${tenant_id} and id = ${id}`,
    ),
  ])
  return is_linked ? links.length : 0
}

export function headSeal(secrets: Pick<Secrets, 'mac'>, tenant_id: string, { sequence, hash }: ChainEnd): string {
  return secrets.mac('audit-head', JSON.stringify([tenant_id, sequence, hash])).toString('base64url')
}
