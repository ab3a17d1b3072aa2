/**
 * Changes the master key: with OSTIARY_MASTER_KEY "new,old", a start seals every text that is under the old key again under the new one.
 * A value is replaced only while it is still the one that was read, so several processes may reseal at once.
 */
import { z } from 'zod'
import { identifiers, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { type SealedColumns, sealed_columns } from '../sealed-columns.ts'

const Row = z.object({ first: z.string(), second: z.string(), stored: z.string() })

/** Reseals every stale text and returns their number. */
export async function resealAll(deployment: Pick<Deployment, 'db' | 'secrets'>): Promise<number> {
  let resealed = 0
  for (const entry of Object.values<SealedColumns>(sealed_columns))
    for (const column of entry.columns) resealed += await resealColumn(deployment, entry, column)
  return resealed
}

async function resealColumn({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>, entry: SealedColumns, column: string): Promise<number> {
  const [table, value] = [identifiers(entry.table), identifiers(column)]
  const first = identifiers(entry.key[0])
  const second = identifiers(entry.key[1] ?? entry.key[0])
  const rows = await db.all(
    Row,
    sql`select ${first} as first, ${second} as second, ${value} as stored from ${table}
         where ${value} is not null and ${entry.where ?? sql`1 = 1`}`,
  )
  let resealed = 0
  for (const row of rows) {
    const sealed = entry.path ? textAt(JSON.parse(row.stored), entry.path) : row.stored
    if (sealed === null || !secrets.isStale(sealed)) continue
    const context = entry.associatedData(row.first, row.second, column)
    const fresh = row.stored.replace(sealed, () => secrets.seal(secrets.unseal(sealed, context), context))
    resealed += await db.run(
      sql`update ${table} set ${value} = ${fresh} where ${first} = ${row.first} and ${second} = ${row.second} and ${value} = ${row.stored}`,
    )
  }
  return resealed
}

/** The text at a path of a JSON document; `null` where there is none. */
function textAt(document: unknown, path: readonly string[]): string | null {
  let value = document
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name] // as: a JSON document of ours
  return typeof value === 'string' ? value : null
}
