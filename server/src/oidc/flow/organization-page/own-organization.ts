/** Finds the member for the page of an organization. Others get the page of an address that does not exist. */
import { OrganizationId, UserId } from '@ostiary/contract/ids.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { MemberRole } from '../../../domain/organizations/giving.ts'
import { findStanding, type Standing } from '../../../domain/organizations/managing.ts'
import { findOrganization, type OrganizationRow } from '../../../domain/organizations/store.ts'
import { readQuery } from '../../../http/query.ts'
import { administers } from '../../../protocol/giving.ts'
import { accountUrl } from '../../account-url.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { message, sessionEnded } from '../../hosted-page.ts'

export interface OwnOrganization {
  browser: Browser
  session: Browser['sessions'][number]
  organization: OrganizationRow
  standing: Standing
  /** All roles of members by id, where the member administers; else their own. */
  roles: ReadonlyMap<string, MemberRole>
  is_managing: boolean
}

export const organizationUrl = ({ issuer }: OidcCall, id: string): string => `${issuer.url}/organizations/${id}`

/** A form names its account, since another window may have changed the current one. A page shows that of the first account that is a member. */
export async function findOwnOrganization(services: OidcServices, call: OidcCall): Promise<OwnOrganization | { answer: Answer }> {
  const { db } = services
  const { environment_id } = call.issuer
  const browser = await readBrowser(services, call)
  const organization_id = OrganizationId.safeParse(call.params.organization_id).data ?? ''
  const user_id = UserId.safeParse(call.form?.get('user') ?? readQuery(call.query).get('user')).data
  const sessions = browser.sessions.filter((session) => user_id === undefined || session.user_id === user_id)
  const again = accountUrl(call, { action: 'organization', id: organization_id })
  if (sessions.length === 0) return { answer: call.form ? sessionEnded(call, again) : redirect(again) }
  const all = await call.issuer.memberRoles()
  // Read together: one of others takes as long as one that does not exist.
  const [organization, ...standings] = await Promise.all([
    findOrganization(db, environment_id, organization_id),
    ...sessions.map((session) => findStanding(db, { environment_id, organization_id, user_id: session.user_id }, all)),
  ])
  if (!organization || organization.disabled) return { answer: notFound(call) }
  for (const [index, session] of sessions.entries()) {
    const standing = standings[index]
    if (!standing) continue
    const is_managing = administers(standing.held)
    const roles = is_managing ? all : new Map(standing.held.map((role) => [role.id, role]))
    call.subject.user_id = session.user_id
    return { browser, session, organization, standing, roles, is_managing }
  }
  return { answer: notFound(call) }
}

const notFound = (call: OidcCall): Answer =>
  message(call, 'not_found', refusal('not_found', reason`No account of the browser is a member of the organization.`))
