/** Finds roles by the slugs that requests give them by. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { RoleKind } from '@ostiary/contract/objects/role.ts'
import { z } from 'zod'
import { type Db, list, sql } from '../../db/db.ts'

const NamedRole = z.object({ id: z.string(), slug: z.string(), kind: RoleKind })
type NamedRole = z.infer<typeof NamedRole>

/** Finds the roles with these slugs, of both kinds, by their slug. */
export async function findNamedRoles(db: Db, environment_id: EnvironmentId, slugs: readonly string[]): Promise<Map<string, NamedRole>> {
  if (slugs.length === 0) return new Map()
  const rows = await db
    .of(environment_id)
    .all(NamedRole, sql`select id, slug, kind from roles where environment_id = ${environment_id} and slug in (${list(slugs)})`)
  return new Map(rows.map((role) => [role.slug, role]))
}
