/** Decides for which organization the person of a session acts in an authorization request (decision 0178). */
import { findMembershipIn, findTwoMemberships } from '../../../domain/organizations/memberships.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { isHinted } from '../../../protocol/id-token-hint.ts'
import { chooseOrganization, for_none, type OrganizationChoice } from '../../../protocol/organization.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { verifiedHint } from '../../id-token-hint.ts'
import type { Authorization } from './begin.ts'

type Person = Pick<SessionRow, 'user_id' | 'sub' | 'user_created_at'>
type Requesting = Pick<Authorization, 'request'>

/** Returns the function that reads the choice of a person. Without a use of organizations it reads nothing. */
function choosing({ db }: OidcServices, call: OidcCall, { request }: Requesting): (person: Person) => Promise<OrganizationChoice> {
  const { environment_id } = call.issuer
  const { organization_use: use } = request
  const hinted = hintOf(call, request)
  return async (person) => {
    const { user_id } = person
    if (use === 'none') return { kind: 'none' }
    if (request.choosing) return { kind: 'open' }
    const user = { environment_id, id: user_id }
    const named = request.organization ?? hinted(person)
    if (named === for_none) return chooseOrganization(use, named, [])
    if (named === undefined) return chooseOrganization(use, named, await findTwoMemberships(db, user))
    const membership = await findMembershipIn(db, user, named)
    return chooseOrganization(use, named, membership ? [membership] : [])
  }
}

/** These sessions, each with its choice. */
export function withOrganizations<P extends Person>(
  services: OidcServices,
  call: OidcCall,
  interaction: Requesting,
  sessions: readonly P[],
) {
  const choose = choosing(services, call, interaction)
  return Promise.all(sessions.map(async (session) => ({ session, organization: await choose(session) })))
}

/** The choice of one session. */
export const organizationOf = (services: OidcServices, call: OidcCall, interaction: Requesting, session: Person) =>
  choosing(services, call, interaction)(session)

/** The organization of the ID token that the request sent as a hint, for the person of the hint. */
function hintOf(call: OidcCall, { id_token_hint }: Authorization['request']): (person: Person) => string | undefined {
  const hint = verifiedHint(call.issuer, id_token_hint)
  return (person) => (hint !== null && isHinted(hint, person) ? (hint.org_id ?? undefined) : undefined)
}

/** The ids of the roles that count for a person: those of the member, or without an organization those of the user. */
export const rolesBy = (choice: OrganizationChoice, { role_ids }: Pick<SessionRow, 'role_ids'>) =>
  choice.kind === 'one'
    ? { organization_id: choice.membership.organization_id, role_ids: [...choice.membership.role_ids] }
    : { organization_id: null, role_ids }

/** The membership of a choice; `null` where the person acts for no organization, or has not chosen. */
export const membershipBy = (choice: OrganizationChoice) => (choice.kind === 'one' ? choice.membership : null)
