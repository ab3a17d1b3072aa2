/** The organizations of a person on their account page, and the page that confirms that they leave one. */
import { OrganizationId } from '@ostiary/contract/ids.ts'
import { emailKey } from '../../../base/email.ts'
import { presentOf } from '../../../domain/organizations/giving.ts'
import { findInvitationsTo } from '../../../domain/organizations/invitations.ts'
import { findOffer } from '../../../domain/organizations/joining.ts'
import * as members from '../../../domain/organizations/members.ts'
import { findOrganization } from '../../../domain/organizations/store.ts'
import { readQuery } from '../../../http/query.ts'
import type { AccountView } from '../../../pages/account.ts'
import { type FormProblem, leavePage } from '../../../pages/account-forms.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { withForm } from './account-form.ts'
import type { OwnAccount } from './gate.ts'

/** As many memberships as the page shows at once. */
const most_shown = 100

/** The invitations and memberships of the person, with the names of roles. */
export async function organizationsOf(
  { db }: OidcServices,
  call: OidcCall,
  { id, email, email_verified }: OwnAccount['user'],
): Promise<Pick<AccountView, 'invitations' | 'organizations' | 'more_organizations_url'>> {
  const { environment_id, memberRoles } = call.issuer
  const last = OrganizationId.safeParse(readQuery(call.query).get('after')).data ?? null
  const [found, invitations] = await Promise.all([
    members.listMembershipsOf(db, environment_id, id, { last, limit: most_shown + 1 }),
    email_verified ? findInvitationsTo(db, environment_id, email, call.now) : [],
  ])
  if (found.length === 0 && invitations.length === 0) return { organizations: [], invitations: [], more_organizations_url: null }
  const memberships = found.slice(0, most_shown)
  const after = found.length > most_shown ? memberships.at(-1)?.organization_id : undefined
  const own = new Set(memberships.map(({ organization_id }) => organization_id))
  const open = []
  for (const { id, email } of invitations.filter(({ organization_id }) => !own.has(organization_id))) {
    const offer = await findOffer({ db, memberRoles }, environment_id, { id, email_key: emailKey(email) }, call.now)
    if (offer) open.push({ id, organization_name: offer.organization_name, roles: offer.roles.map(({ name }) => name) })
  }
  const roles = await memberRoles()
  return {
    more_organizations_url: after === undefined ? null : `${accountUrl(call, { user: id, after })}#organizations`,
    invitations: open,
    organizations: memberships.map(({ organization_id, name, role_ids }) => ({
      id: organization_id,
      name,
      roles: presentOf(roles, role_ids)
        .map((role) => role.name)
        .sort(),
    })),
  }
}

interface Leaving {
  id: string | null
  problem: FormProblem | null
}

/** Confirms, or says why the person cannot leave. */
export async function showLeaving(services: OidcServices, call: OidcCall, own: OwnAccount, { id, problem }: Leaving): Promise<Answer> {
  const { db } = services
  const { environment_id } = call.issuer
  const organization_id = OrganizationId.safeParse(id).data ?? ''
  const [organization, member] = await Promise.all([
    findOrganization(db, environment_id, organization_id),
    members.findMember(db, { environment_id, organization_id, user_id: own.user.id }),
  ])
  if (!organization || !member) return redirect(accountUrl(call))
  const view = { problem }
  return withForm(services, call, { ...own, action: 'leave-organization', id: organization_id, view }, (context, form, shown) =>
    leavePage(context, { ...form, ...shown, organization: { id: organization.id, name: organization.name } }),
  )
}
