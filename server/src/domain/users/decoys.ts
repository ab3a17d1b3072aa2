/**
 * The hash that a password is compared with where the address has no account, or the account no password: that of another user of the
 * environment. So strangers cannot tell by the time whether an address has an account, however many kinds and costs of hashes users have brought:
 * these are met in their proportions, and as they change. See docs/decisions/0207.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { emailKey } from '../../base/email.ts'
import { chanceDigits } from '../../base/ids.ts'
import { type Db, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'

/**
 * Finds the hash for an address; `null` where no user has a password. Users stand in a circle in the order of the part of their ids that is
 * chance, which an index has, and the address in a place of the circle that only this deployment can compute. The next user it is.
 */
export async function findDecoy(
  { db, secrets }: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  email: string,
): Promise<string | null> {
  return findHashFrom(db, environment_id, chanceDigits(secrets.mac('decoy', JSON.stringify([environment_id, emailKey(email)]))))
}

const Found = z.object({ password_hash: z.string() })

/** The hash of the next user of the circle. `substr(id, 19)` is the chance in an id, twelve digits. */
export async function findHashFrom(db: Db, environment_id: EnvironmentId, place: string): Promise<string | null> {
  const users = sql`from users u where ${inEnvironment(environment_id, 'u')} and u.password_hash is not null`
  const row = await db.of(environment_id).maybeOne(
    Found,
    sql`select password_hash from (
          select password_hash, 1 as rank from (select u.password_hash ${users} and substr(u.id, 19) >= ${place} order by substr(u.id, 19) limit 1) next
          union all
          select password_hash, 2 as rank from (select u.password_hash ${users} order by substr(u.id, 19) limit 1) first
        ) found order by rank limit 1`,
  )
  return row?.password_hash ?? null
}
