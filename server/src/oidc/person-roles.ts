/** The roles of a person at an issuer, now. Every endpoint that issues or takes tokens asks here, and so does every page. */
import { oneOf, type Reason, reason } from '../base/reason.ts'
import type { GrantRow } from '../domain/sessions/grants.ts'
import { type DataClaims, dataClaims, no_data, type RoleClaims, roleClaims } from '../protocol/claims.ts'
import { type Access, carriesData, claimOf, letsIn, needsOrganization, type RoleSet, rolesHeld, slugsOf } from '../protocol/roles.ts'
import type { Issuer } from './issuer.ts'

export interface PersonRoles {
  readonly access: Access
  readonly held: RoleSet
  /** In order. */
  readonly slugs: () => readonly string[]
  /** Why the application, or one of these resource servers, does not let the person in; `null` where they do. */
  readonly keptOut: (resource: readonly string[]) => Reason | null
  /** The claim of the ID token and UserInfo of the application. */
  readonly claims: RoleClaims
}

/** The data that the ID token and UserInfo of an application carry. */
export const dataFor = (access: Access, grant: Pick<GrantRow, 'user_claims' | 'organization_claims'>, client_id: string): DataClaims =>
  carriesData(access, client_id) ? dataClaims(grant, [claimOf(access, client_id)]) : no_data

/** In a grant without an organization the roles of the user count, in one with an organization those of the member. */
export async function rolesAt(
  issuer: Issuer,
  { role_ids, organization_id }: Pick<GrantRow, 'role_ids' | 'organization_id'>,
  client_id: string,
): Promise<PersonRoles> {
  const access = await issuer.access()
  const held = rolesHeld(access, organization_id === null ? 'user' : 'organization', role_ids)
  const slugs = () => slugsOf(access, held)
  return {
    access,
    held,
    slugs,
    keptOut(resource) {
      if (!letsIn(access, client_id, held)) return whyKeptOut(access, client_id)
      const lacks_one = organization_id === null && needsOrganization(access, client_id, resource)
      return lacks_one ? reason`The application or a resource server of the token requires an organization, and the grant has none.` : null
    },
    claims: roleClaims(claimOf(access, client_id), slugs),
  }
}

function whyKeptOut(access: Access, client_id: string): Reason {
  const allowed = slugsOf(access, access.applications.get(client_id)?.allowed ?? 0n)
  const [first] = allowed
  if (first === undefined) return reason`The roles in allowed_roles of the application were deleted, so nobody gets in.`
  return reason`The person has none of the roles in allowed_roles of the application, such as ${oneOf(allowed, first, '…')}.`
}
