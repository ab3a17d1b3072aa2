import type { Db } from '../db/db.ts'
import { findMakers } from '../domain/keys/store.ts'
import type { Caller } from './authenticate.ts'

/**
 * Returns the people who are responsible for a call: the administrator, or those who made or rotated the key. A person who could have sent
 * the call with a key of their own cannot approve it.
 */
export async function peopleBehind(db: Db, { key, administrator, tenant_id }: Caller): Promise<readonly string[]> {
  return key ? findMakers(db, tenant_id, key.key_id) : administrator ? [administrator.user_id] : []
}
