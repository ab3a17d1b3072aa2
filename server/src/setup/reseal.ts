/**
 * Changes the master key: with OSTIARY_MASTER_KEY "new,old", the start of the service seals every text that is under the old key again
 * under the new one. Commands do not, since they also run beside a service that has only the old key.
 * A value is replaced only while it is still the one that was read, so several processes may reseal at once.
 */
import { z } from 'zod'
import { identifiers, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type SealedColumns, sealed_columns } from '../deployment/secrets/sealed-columns.ts'

type Sealing = Pick<Deployment, 'db' | 'secrets'>

/** Rows that are read in one query, and sealed again in one batch. A table may have any number. */
const rows_at_once = 200

/** Reseals every stale text and returns their number. */
export async function resealAll(deployment: Sealing): Promise<number> {
  let resealed = 0
  for await (const stale of staleTexts(deployment)) {
    const results = await deployment.db.many.batch(stale.map(({ reseal }) => reseal()))
    for (const { changed } of results ?? []) resealed += changed
  }
  return resealed
}

/** Counts the texts that are under an older master key than the newest. */
export async function countStale(deployment: Sealing): Promise<number> {
  let count = 0
  for await (const stale of staleTexts(deployment)) count += stale.length
  return count
}

interface StaleText {
  reseal(): Statement
}

/** The stale texts, a slice at a time. */
async function* staleTexts(deployment: Sealing): AsyncGenerator<StaleText[]> {
  for (const entry of Object.values<SealedColumns>(sealed_columns))
    for (const column of entry.columns) yield* staleTextsOf(deployment, entry, column)
}

const Row = z.object({ first: z.string(), second: z.string(), stored: z.string().nullable() })

/** Reads the rows in the order of their keys. Rows without sealed text count too, so each query reads the same number. */
async function* staleTextsOf({ db, secrets }: Sealing, entry: SealedColumns, column: string): AsyncGenerator<StaleText[]> {
  const [table, value] = [identifiers(entry.table), identifiers(column)]
  const first = identifiers(entry.key[0])
  const second = identifiers(entry.key[1] ?? entry.key[0])
  const only = entry.is_sparse ? sql`and ${value} is not null` : sql``
  const isStale = (sealed: string | null): sealed is string => sealed !== null && secrets.isStale(sealed)

  let last = { first: '', second: '' }
  for (;;) {
    const rows = await db.many.all(
      Row,
      sql`select ${first} as first, ${second} as second, case when ${entry.where ?? sql`1 = 1`} then ${value} end as stored
            from ${table} where (${first}, ${second}) > (${last.first}, ${last.second}) ${only} order by ${first}, ${second} limit ${rows_at_once}`,
    )
    const stale = rows.flatMap(({ stored, ...key }) => {
      const sealed = stored !== null && entry.path ? textAt(JSON.parse(stored), entry.path) : stored
      if (stored === null || !isStale(sealed)) return []
      const context = entry.associatedData(key.first, key.second, column)
      const reseal = () => {
        const fresh = stored.replace(sealed, () => secrets.seal(secrets.unseal(sealed, context), context))
        return sql`update ${table} set ${value} = ${fresh} where ${first} = ${key.first} and ${second} = ${key.second} and ${value} = ${stored}`
      }
      return [{ reseal }]
    })
    if (stale.length > 0) yield stale
    const end = rows[rows_at_once - 1]
    if (!end) return
    last = end
  }
}

/** The text at a path of a JSON document; `null` where there is none. */
function textAt(document: unknown, path: readonly string[]): string | null {
  let value = document
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name] // as: a JSON document of ours
  return typeof value === 'string' ? value : null
}
