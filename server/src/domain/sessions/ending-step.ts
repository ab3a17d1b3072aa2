/** The common part of the steps of an ending. Each step reads the next rows of one kind, and returns the statements that end them. */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { Cause, type EndReason, ending_kinds } from './endings.ts'

/** Rows of one batch. SQLite blocks the process while it writes them. */
export const grants_at_once = 200
export const others_at_once = 200

export const Ending = z.object({
  environment_id: EnvironmentId,
  kind: z.enum(ending_kinds),
  subject: z.string(),
  number: z.int(),
  user_id: z.string().nullable(),
  ended_by: z.string(),
  cause: Cause,
  reason: z.custom<EndReason>().nullable(),
  /** The position where the next slice begins: a JSON array. */
  position: z.string(),
  slices: z.int(),
  created_at: z.date(),
})
export type Ending = z.infer<typeof Ending>

export interface Rows {
  /** Statements before the row of the ending in `lock_order`. */
  first?: readonly Statement[]
  statements: readonly Statement[]
}

export type SliceStep = (db: Db, ending: Ending, now: Date) => Promise<(Rows & { position?: string }) | null>

const Id = z.object({ id: z.string() })

/** Reads the ids of the next rows. */
export const idsOf = async (db: Db, { environment_id }: Ending, statement: OfEnvironment) =>
  (await db.of(environment_id).all(Id, statement)).map(({ id }) => id)

/** Ends these grants. */
export const endGrants = ({ environment_id, ended_by }: Ending, ids: readonly string[], now: Date): Statement =>
  sql`update grants set ended_at = ${now}, ended_by = ${ended_by}
    where environment_id = ${environment_id} and id in (${list([...ids].sort())}) and ended_at is null`

/** The grants of the user of an ending that have not ended, as g. */
export const openGrants = ({ environment_id, user_id }: Ending) =>
  sql`g.user_id = ${user_id} and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, -1) = -1`
