/** The roles of a person at an issuer, now. Every endpoint that issues or takes tokens asks here, and so does every page. */
import { oneOf, type Reason, reason } from '../base/reason.ts'
import type { GrantRow } from '../domain/sessions/grants.ts'
import { type RoleClaims, roleClaims } from '../protocol/claims.ts'
import { type Access, claimOf, letsIn, type RoleSet, rolesHeld, slugsOf } from '../protocol/roles.ts'
import type { Issuer } from './issuer.ts'

export interface PersonRoles {
  readonly access: Access
  readonly held: RoleSet
  /** In order. */
  readonly slugs: () => readonly string[]
  /** Why the application does not let the person in; `null` where it does. */
  readonly kept_out: Reason | null
  /** The claim of the ID token and UserInfo of the application. */
  readonly claims: RoleClaims
}

/** In a grant without an organization the roles of the user count. */
export async function rolesAt(issuer: Issuer, { role_ids }: Pick<GrantRow, 'role_ids'>, client_id: string): Promise<PersonRoles> {
  const access = await issuer.access()
  const held = rolesHeld(access, 'user', role_ids)
  const slugs = () => slugsOf(access, held)
  return {
    access,
    held,
    slugs,
    kept_out: letsIn(access, client_id, held) ? null : whyKeptOut(access, client_id),
    claims: roleClaims(claimOf(access, client_id), slugs),
  }
}

function whyKeptOut(access: Access, client_id: string): Reason {
  const allowed = slugsOf(access, access.applications.get(client_id)?.allowed ?? 0n)
  const [first] = allowed
  if (first === undefined) return reason`The roles in allowed_roles of the application were deleted, so nobody gets in.`
  return reason`The person has none of the roles in allowed_roles of the application, such as ${oneOf(allowed, first, '…')}.`
}
