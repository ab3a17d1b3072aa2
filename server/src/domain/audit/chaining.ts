/**
 * Links new audit entries into the chains of their tenants, in the order of their ids. `domain/events/numbering.ts` explains why no
 * entry is linked twice or skipped; here the head of the chain is the counter.
 *
 * The head has a seal, a MAC under the deployment's master key, so access to the database alone is not enough to recompute
 * a chain. The batch that creates a tenant writes its first head, the anchor. A missing head was therefore deleted. When a head is
 * missing, has a wrong seal or does not match the last entry, the chain continues with the seal `broken`, and `ostiary doctor`
 * keeps reporting it.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { atCoordinator, unindexed } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import type { Secrets } from '../../deployment/secrets/secrets.ts'
import { outboxes } from '../events/outbox.ts'
import { beginning, type ChainEnd, linkAfter } from './chain.ts'
import { EntryRow, entryColumns } from './store.ts'

/** The seal after a head was missing or did not match. No MAC has this form. */
const broken = 'broken'

const Unchained = EntryRow.extend({
  head_sequence: z.int().nullable(),
  head_hash: z.string().nullable(),
  head_seal: z.string().nullable(),
  last_sequence: z.int().nullable(),
  last_hash: z.string().nullable(),
})
type Unchained = z.infer<typeof Unchained>

/** Reads the oldest entries of a tenant without a link, with the head of its chain and its last linked entry, in one statement. */
export function findUnchained(db: Db, tenant_id: TenantId, most: number = outboxes.audit_log.at_once): Promise<Unchained[]> {
  return db.all(
    Unchained,
    sql`with z as materialized (
          select sequence, hash from audit_log
           where tenant_id = ${tenant_id} and sequence is not null and id <> '' order by sequence desc limit 1
        )
        select ${entryColumns}, h.sequence as head_sequence, h.hash as head_hash, h.seal as head_seal,
               z.sequence as last_sequence, z.hash as last_hash
          from audit_log l left join audit_heads h on h.tenant_id = ${tenant_id} left join z on 1 = 1
         where ${unindexed('l', 'tenant_id')} = ${tenant_id} and l.sequence is null order by l.id limit ${most}`,
  )
}

/** Links entries of one tenant. Returns how many: 0 if another process linked them first. */
export async function chainEntries(db: Db, secrets: Pick<Secrets, 'mac'>, entries: readonly Unchained[]): Promise<number> {
  const [first] = entries
  if (!first) return 0
  const { tenant_id, head_seal } = first
  const head = chainEnd(first.head_sequence, first.head_hash)
  const last = chainEnd(first.last_sequence, first.last_hash) ?? beginning
  const from = head !== null && head.sequence >= last.sequence ? head : last
  let end: ChainEnd = from
  const links = entries.map((entry) => {
    const link = linkAfter(end, entry)
    end = link
    return { id: entry.id, ...link }
  })
  const is_trusted = head !== null && isSameEnd(head, last) && head_seal === headSeal(secrets, tenant_id, head)
  const seal = is_trusted ? headSeal(secrets, tenant_id, end) : broken
  // The condition is true while the head is as it was read. The entries that were read with it are still unlinked then.
  const move_head = head
    ? atCoordinator`update audit_heads set sequence = ${end.sequence}, hash = ${end.hash}, seal = ${seal}
           where tenant_id = ${tenant_id} and sequence = ${head.sequence} and hash = ${head.hash} and seal = ${head_seal}`
    : insertInto('audit_heads', { tenant_id, sequence: end.sequence, hash: end.hash, seal }, sql`on conflict (tenant_id) do nothing`)
  const is_linked = await db.batch([
    guard(move_head),
    ...links.map(
      ({ id, sequence, previous_hash, hash }): Statement =>
        atCoordinator`update audit_log set sequence = ${sequence}, previous_hash = ${previous_hash}, hash = ${hash}
             where tenant_id = ${tenant_id} and id = ${id}`,
    ),
  ])
  return is_linked ? links.length : 0
}

const chainEnd = (sequence: number | null, hash: string | null): ChainEnd | null =>
  sequence === null || hash === null ? null : { sequence, hash }

const isSameEnd = (a: ChainEnd, b: ChainEnd) => a.sequence === b.sequence && a.hash === b.hash

export function headSeal(secrets: Pick<Secrets, 'mac'>, tenant_id: string, { sequence, hash }: ChainEnd): string {
  return secrets.mac('audit-head', JSON.stringify([tenant_id, sequence, hash])).toString('base64url')
}

/** Inserts the head of an empty log. Belongs in the batch that creates the tenant. */
export function anchorLog(secrets: Pick<Secrets, 'mac'>, tenant_id: string): Statement {
  return insertInto('audit_heads', {
    tenant_id,
    sequence: beginning.sequence,
    hash: beginning.hash,
    seal: headSeal(secrets, tenant_id, beginning),
  })
}
