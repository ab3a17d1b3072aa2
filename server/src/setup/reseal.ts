/**
 * Changes the master key: with OSTIARY_MASTER_KEY "new,old", the start of the service seals every text that is under the old key again
 * under the new one. Commands do not, since they also run beside a service that has only the old key.
 * A value is replaced only while it is still the one that was read, so several processes may reseal at once.
 */
import { z } from 'zod'
import { identifiers, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { type SealedColumns, sealed_columns } from '../sealed-columns.ts'

type Sealing = Pick<Deployment, 'db' | 'secrets'>

/** Reseals every stale text and returns their number. */
export async function resealAll(deployment: Sealing): Promise<number> {
  let resealed = 0
  for await (const stale of staleTexts(deployment)) resealed += await deployment.db.run(stale.reseal())
  return resealed
}

/** Counts the texts that are under an older master key than the newest. */
export async function countStale(deployment: Sealing): Promise<number> {
  let count = 0
  for await (const _ of staleTexts(deployment)) count += 1
  return count
}

async function* staleTexts(deployment: Sealing): AsyncGenerator<{ reseal(): Statement }> {
  for (const entry of Object.values<SealedColumns>(sealed_columns))
    for (const column of entry.columns) yield* staleTextsOf(deployment, entry, column)
}

const Row = z.object({ first: z.string(), second: z.string(), stored: z.string() })

async function* staleTextsOf({ db, secrets }: Sealing, entry: SealedColumns, column: string) {
  const [table, value] = [identifiers(entry.table), identifiers(column)]
  const first = identifiers(entry.key[0])
  const second = identifiers(entry.key[1] ?? entry.key[0])
  const rows = await db.all(
    Row,
    sql`select ${first} as first, ${second} as second, ${value} as stored from ${table}
         where ${value} is not null and ${entry.where ?? sql`1 = 1`}`,
  )
  for (const row of rows) {
    const sealed = entry.path ? textAt(JSON.parse(row.stored), entry.path) : row.stored
    if (sealed === null || !secrets.isStale(sealed)) continue
    const context = entry.associatedData(row.first, row.second, column)
    yield {
      reseal() {
        const fresh = row.stored.replace(sealed, () => secrets.seal(secrets.unseal(sealed, context), context))
        return sql`update ${table} set ${value} = ${fresh}
                    where ${first} = ${row.first} and ${second} = ${row.second} and ${value} = ${row.stored}`
      },
    }
  }
}

/** The text at a path of a JSON document; `null` where there is none. */
function textAt(document: unknown, path: readonly string[]): string | null {
  let value = document
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name] // as: a JSON document of ours
  return typeof value === 'string' ? value : null
}
