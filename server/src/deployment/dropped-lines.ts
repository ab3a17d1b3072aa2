/**
 * Tells `doctor`, which runs in a process of its own, that lines of the log were dropped: whatever reads it ended, does not keep up, or has no
 * room. The database keeps the last process that dropped some.
 */
import { z } from 'zod'
import { day_ms } from '../base/durations.ts'
import { type Db, sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'

const DroppedLines = z.object({ lines: z.int(), at: z.string() })
export type DroppedLines = z.infer<typeof DroppedLines>

const row_name = 'dropped_lines'
/** A process writes the row at most this often. */
const write_interval_ms = 600_000
/** A log that was repaired is forgotten after this time. */
const forgotten_after_ms = day_ms

/** @param count returns the lines that this process dropped since its start */
export function createDroppedLines({ db, now }: { db: Db; now: () => Date }, count: () => number): { write(): Promise<void> } {
  let written = { lines: 0, at: Number.NEGATIVE_INFINITY }
  return {
    async write() {
      const [lines, at] = [count(), now()]
      if (lines === written.lines || at.getTime() - written.at < write_interval_ms) return
      const value = JSON.stringify({ lines, at: at.toISOString() })
      await db.run(insertInto('deployment', { name: row_name, value }, sql`on conflict (name) do update set value = excluded.value`))
      written = { lines, at: at.getTime() }
    },
  }
}

/** The lines that a process dropped since its start, if it dropped some within a day. */
export async function findDroppedLines({ db, now }: { db: Db; now: () => Date }): Promise<DroppedLines | null> {
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${row_name}`)
  if (!row) return null
  const found = DroppedLines.parse(JSON.parse(row.value))
  return now().getTime() - Date.parse(found.at) > forgotten_after_ms ? null : found
}
