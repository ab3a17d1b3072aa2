/** Judges the roles that a body gives to users or to members of organizations. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import type { Db } from '../db/db.ts'
import { findNamedRoles } from '../domain/roles/named.ts'
import { pointerTo, validationFailed } from '../http/problem.ts'

/** A list of slugs, and where it stands in the body. */
interface Given {
  readonly slugs: readonly string[]
  readonly path: readonly PropertyKey[]
}

const no_such_role = 'The environment has no role with this slug.'
const of_other_kind: Readonly<Record<RoleKind, string>> = {
  user: 'This role is for members of organizations, and not for users.',
  organization: 'This role is for users, and not for members of organizations.',
}

/** As many as a response names of other fields. */
const most_problems = 100

/**
 * Returns the ids of the roles of each list, in order of their slugs.
 * @throws ApiError that names each slug of no role of this kind
 */
export async function roleIdsOf(db: Db, environment_id: EnvironmentId, kind: RoleKind, lists: readonly Given[]): Promise<string[][]> {
  const known = await findNamedRoles(db, environment_id, [...new Set(lists.flatMap(({ slugs }) => slugs))])
  const problems = lists.flatMap(({ slugs, path }) =>
    slugs.flatMap((slug, i) => {
      const role = known.get(slug)
      if (role?.kind === kind) return []
      return [{ pointer: pointerTo([...path, i]), code: 'not_allowed', detail: role ? of_other_kind[kind] : no_such_role }]
    }),
  )
  if (problems.length > 0) throw validationFailed(problems.slice(0, most_problems))
  return lists.map(({ slugs }) => inOrder(slugs).flatMap((slug) => known.get(slug)?.id ?? []))
}

/** In order of slug. */
export const inOrder = (slugs: readonly string[] = []): string[] => [...slugs].sort()
