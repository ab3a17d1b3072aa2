/**
 * Removes the rows of who had a role that is gone. Deleting a role with any number of holders writes one row, and a walk over the roles
 * that have holders finds the others, which nothing reads any more. Each process walks for itself; two that find the same rows do no harm.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'

/** Roles that one turn looks at, among those of users and among those of members. */
const roles_of_turn = 100
const rows_at_once = 500

const HeldRole = z.object({ environment_id: EnvironmentId, role_id: z.string() })
const Id = z.object({ id: z.string() })

type Own = ReturnType<Db['of']>

/** The first holders of a role, in the order of the key: how many, and which they are. */
type Slice = { readonly count: number; readonly are: Statement } | null

interface Holders {
  readonly table: Statement
  /** `held` is a query from its `from` on. */
  readonly next: (own: Own, held: OfEnvironment) => Promise<Slice>
}

const User = z.object({ user_id: z.string() })
const of_users: Holders = {
  table: sql`role_holders`,
  async next(own, held) {
    const rows = await own.all(User, sql`select user_id ${held} order by user_id limit ${rows_at_once}`)
    const last = rows.at(-1)
    return last ? { count: rows.length, are: sql`user_id <= ${last.user_id}` } : null
  },
}

const Member = z.object({ organization_id: z.string(), membership: z.int() })
const of_members: Holders = {
  table: sql`organization_role_holders`,
  async next(own, held) {
    const rows = await own.all(
      Member,
      sql`select organization_id, membership ${held} order by organization_id, membership limit ${rows_at_once}`,
    )
    const last = rows.at(-1)
    const are = last && sql`(organization_id, membership) <= (${last.organization_id}, ${last.membership})`
    return are ? { count: rows.length, are } : null
  },
}

export function createHolderWalk(services: { readonly db: Db }, isStopping: () => boolean) {
  const walks = [of_users, of_members].map((holders) => createWalk(services, holders, isStopping))
  return {
    /** Looks at the next roles. A walk begins again after the last one. */
    async work(): Promise<void> {
      for (const walk of walks) await walk()
    },
  }
}

function createWalk({ db }: { readonly db: Db }, { table, next }: Holders, isStopping: () => boolean): () => Promise<void> {
  let after = ''

  async function removeOf({ environment_id, role_id }: z.infer<typeof HeldRole>): Promise<void> {
    const own = db.of(environment_id)
    if (await own.maybeOne(Id, sql`select id from roles where environment_id = ${environment_id} and id = ${role_id}`)) return
    const held = sql`from ${table} where role_id = ${role_id} and ${inEnvironment(environment_id)}`
    while (!isStopping()) {
      const slice = await next(own, held)
      if (slice) await own.run(sql`delete ${held} and ${slice.are}`)
      if (!slice || slice.count < rows_at_once) return
    }
  }

  return async () => {
    for (let n = 0; n < roles_of_turn && !isStopping(); n++) {
      const [role] = await db.many.all(
        HeldRole,
        sql`select environment_id, role_id from ${table} where role_id > ${after} order by role_id limit 1`,
      )
      after = role?.role_id ?? ''
      if (!role) return
      await removeOf(role)
    }
  }
}
