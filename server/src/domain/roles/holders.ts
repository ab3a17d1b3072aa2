/**
 * Removes the rows of who had a role that is gone. Deleting a role with any number of holders writes one row, and a walk over the roles
 * that have holders finds the others, which nothing reads any more. Each process walks for itself; two that find the same rows do no harm.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'

/** Roles that one turn looks at. */
const roles_of_turn = 100
const rows_at_once = 500

const HeldRole = z.object({ environment_id: EnvironmentId, role_id: z.string() })
const Holder = z.object({ user_id: z.string() })
const Id = z.object({ id: z.string() })

export function createHolderWalk({ db }: { readonly db: Db }, isStopping: () => boolean) {
  let after = ''

  async function removeOf({ environment_id, role_id }: z.infer<typeof HeldRole>): Promise<void> {
    const own = db.of(environment_id)
    if (await own.maybeOne(Id, sql`select id from roles where environment_id = ${environment_id} and id = ${role_id}`)) return
    const held = sql`from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}`
    while (!isStopping()) {
      const rows = await own.all(Holder, sql`select user_id ${held} order by user_id limit ${rows_at_once}`)
      const last = rows.at(-1)
      if (last) await own.run(sql`delete ${held} and user_id <= ${last.user_id}`)
      if (rows.length < rows_at_once) return
    }
  }

  return {
    /** Looks at the next roles. The walk begins again after the last one. */
    async work(): Promise<void> {
      for (let n = 0; n < roles_of_turn && !isStopping(); n++) {
        const [next] = await db.many.all(
          HeldRole,
          sql`select environment_id, role_id from role_holders where role_id > ${after} order by role_id limit 1`,
        )
        after = next?.role_id ?? ''
        if (!next) return
        await removeOf(next)
      }
    },
  }
}
