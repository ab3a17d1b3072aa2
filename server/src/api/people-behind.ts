import type { Db } from '../db/db.ts'
import { findMakers } from '../domain/keys/store.ts'
import type { Caller } from './authenticate.ts'

/**
 * The people who stand behind a call: the administrator, or those who made or rotated the key. A person who could have sent the call with a key of
 * their own is not the second pair of eyes on it.
 */
export async function peopleBehind(db: Db, { key, administrator, tenant_id }: Caller): Promise<readonly string[]> {
  return key ? findMakers(db, tenant_id, key.key_id) : administrator ? [administrator.user_id] : []
}
