/** A process that takes the steps that it is sent: `fork(…, [path of the database])`. Answers each with its number and what was read. */
import { createDb } from '../../src/db/db.ts'
import { openSqlite } from '../../src/db/sqlite/sqlite.ts'
import { type Step, takeStep } from './row-steps.ts'

const db = createDb(openSqlite(process.argv[2] ?? ''))
process.on('message', async ({ number, step }: { number: number; step: Step }) => {
  process.send?.({ number, found: await takeStep(db, step) })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ number: 0, found: null })
