/** States whether a failure changed anything. An error describes its own batch; a command or a migration is one batch or several. */
import { DatabaseUnavailable } from './db.ts'

const unchanged_by_batch = / Nothing was changed\.$/

/** Returns the message for a command, without the outcome: its earlier batches may have changed something. */
export const withoutOutcome = ({ message }: DatabaseUnavailable): string => message.replace(unchanged_by_batch, '')

/** The failure of a transaction that is all of a change of the schema. Where its outcome is unknown, it stays so. */
export function ofMigration(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable) || !unchanged_by_batch.test(error.message)) return error
  return new DatabaseUnavailable(`${withoutOutcome(error)} The schema was not changed.`, { cause: error.cause })
}

/** The failure of what follows a transaction that was committed. */
export function afterCommit(error: unknown): unknown {
  return error instanceof DatabaseUnavailable ? new DatabaseUnavailable(withoutOutcome(error), { cause: error.cause }) : error
}
