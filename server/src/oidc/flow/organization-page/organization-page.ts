/**
 * The page of an organization for its members, `{issuer}/organizations/{id}`. A member who administers invites, changes roles and removes others, by
 * a sign-in of the last ten minutes. Nobody gives what they do not have (`protocol/giving.ts`): the form is judged, and its batch judges it again.
 */
import { UserId } from '@ostiary/contract/ids.ts'
import { digestOf } from '../../../base/digest.ts'
import { accountAddress } from '../../../base/email.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import type { Statement } from '../../../db/db.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { findOwner } from '../../../domain/accounts/address-proof.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent, type NewEvent } from '../../../domain/events/store.ts'
import { waitOfAddress } from '../../../domain/mail/address-limit.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import { invitationUrl } from '../../../domain/members/invitation-url.ts'
import { administratorsOf } from '../../../domain/organizations/counts.ts'
import { type MemberRole, stillJudged } from '../../../domain/organizations/giving.ts'
import { findOpenTo, findReached, insertInvitation } from '../../../domain/organizations/invitations.ts'
import {
  changeRolesBy,
  findStanding,
  isLastAdministrator,
  judgedOf,
  removeBy,
  type Standing,
} from '../../../domain/organizations/managing.ts'
import { findMember, type MemberRow } from '../../../domain/organizations/members.ts'
import { aboutUsers } from '../../../domain/users/store.ts'
import { readQuery } from '../../../http/query.ts'
import type { OrganizationNotice, OrganizationProblem } from '../../../pages/organization.ts'
import { administers, mayChange, mayGive, mayGiveAll, mayRemove } from '../../../protocol/giving.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { formProblem } from '../../form-token.ts'
import { sign_in_needed } from '../account/gate.ts'
import { holdFreshSession, isFreshlySignedIn } from '../shared/fresh-sign-in.ts'
import { showMember, showOrganization } from './organization-page-screens.ts'
import { findOwnOrganization, type OwnOrganization, organizationUrl } from './own-organization.ts'

export const showOwnOrganization: OidcEndpoint = async (services, call) => {
  const own = await findOwnOrganization(services, call)
  if ('answer' in own) return own.answer
  const member_id = readQuery(call.query).get('member')
  return member_id === null || member_id === undefined
    ? showOrganization(services, call, own, { problem: null })
    : showMember(services, call, own, { member_id, problem: null })
}

export const changeOwnOrganization: OidcEndpoint = async (services, call) => {
  const own = await findOwnOrganization(services, call)
  if ('answer' in own) return own.answer
  const member_id = call.form?.get('member') ?? null
  const show = (problem: OrganizationProblem, email?: string) =>
    member_id === null
      ? showOrganization(services, call, own, { problem, ...(email !== undefined && { email }) })
      : showMember(services, call, own, { member_id, problem })
  const problem = formProblem(services, call, own.browser)
  if (problem) return show(problem)
  if (!own.is_managing) return showOrganization(services, call, own, { problem: 'not_allowed' })
  const { organization, session } = own
  if (!(await isFreshlySignedIn(services, call, session)))
    return refused(
      redirect(accountUrl(call, { action: 'manage-organization', id: organization.id, user: session.user_id })),
      sign_in_needed,
    )
  const action = call.form?.get('action')
  if (action === 'invite') return invite(services, call, own, show)
  const done = (notice: OrganizationNotice): Answer =>
    redirect(`${organizationUrl(call, organization.id)}?${new URLSearchParams({ user: session.user_id, done: notice })}`)
  const other = await findOther(services, call, own, member_id ?? '')
  if (!other) return show('changed')
  if (action === 'change-roles') return changeRoles(services, call, own, { ...other, show, done })
  return action === 'remove-member' ? removeOther(services, call, own, { ...other, show, done }) : show('changed')
}

type Show = (problem: OrganizationProblem, email?: string) => Promise<Answer>

interface Other {
  other: MemberRow
  has: Standing
}
type Changing = Other & { show: Show; done: (notice: OrganizationNotice) => Answer }

async function findOther(
  { db }: OidcServices,
  call: OidcCall,
  { organization, roles }: OwnOrganization,
  sent: string,
): Promise<Other | null> {
  const user_id = UserId.safeParse(sent).data
  if (user_id === undefined) return null
  const place = { environment_id: call.issuer.environment_id, organization_id: organization.id, user_id }
  const [other, has] = await Promise.all([findMember(db, place), findStanding(db, place, roles)])
  return other && has && other.version === has.version ? { other, has } : null
}

const byOf = ({ session, organization, standing }: OwnOrganization, call: OidcCall) => ({
  ...{ environment_id: call.issuer.environment_id, organization_id: organization.id, user_id: session.user_id },
  standing,
})

const eventOf = (services: OidcServices, call: OidcCall, { session }: OwnOrganization, event: NewEvent): Statement =>
  insertEvent(call.issuer.environment_id, originOf(services, byUser(session.user_id), call.request_id), event, call.now)

/** The chosen roles that the person may give, and those of the member that the person may not take. */
function rolesAfter(call: OidcCall, { roles, standing }: OwnOrganization, has: Standing): MemberRole[] {
  const chosen = new Set(call.form?.getAll('roles') ?? [])
  const held = new Set(has.given.map(({ id }) => id))
  return [...roles.values()].filter((role) => {
    const may = mayGive(standing.held, role)
    return held.has(role.id) && !may ? true : chosen.has(role.slug)
  })
}

/** As many as a member can be given. */
const most_roles = 20

async function changeRoles(
  services: OidcServices,
  call: OidcCall,
  own: OwnOrganization,
  { other, has, show, done }: Changing,
): Promise<Answer> {
  const { environment_id } = call.issuer
  const slugs = new Set([...own.roles.values()].map(({ slug }) => slug))
  if (call.form?.getAll('roles').some((sent) => !slugs.has(sent))) return show('changed') // a role was deleted meanwhile
  const after = rolesAfter(call, own, has)
  if (!mayChange(own.standing.held, has.held, { before: has.given, after })) return show('not_allowed')
  if (after.length > most_roles) return show('too_many_roles')
  if (
    after
      .map(({ id }) => id)
      .sort()
      .join() ===
    has.given
      .map(({ id }) => id)
      .sort()
      .join()
  )
    return done('change-roles')
  const { organization_id, user_id } = other
  const roles = after.map(({ slug }) => slug).sort()
  const changed = await services.db.of(environment_id).batch([
    ...aboutUsers(environment_id, [own.session.user_id, user_id]),
    holdFreshSession(call, own.session),
    ...changeRolesBy({ by: byOf(own, call), other, has }, after, call.now),
    eventOf(services, call, own, {
      type: 'organization_member.updated',
      user_id,
      data: { organization_id, user_id, roles, previous_roles: other.roles },
      counted: administratorsOf(other),
    }),
  ])
  if (changed) return done('change-roles')
  const loses = administers(has.given) && !administers(after)
  return show(loses && (await isLastAdministrator(services.db, other)) ? 'last_administrator' : 'changed')
}

async function removeOther(
  services: OidcServices,
  call: OidcCall,
  own: OwnOrganization,
  { other, has, show, done }: Changing,
): Promise<Answer> {
  const { environment_id } = call.issuer
  const { organization_id, user_id, roles } = other
  if (user_id === own.session.user_id || !mayRemove(own.standing.held, has.held)) return show('not_allowed')
  const removed = await services.db.of(environment_id).batch([
    ...aboutUsers(environment_id, [own.session.user_id, user_id]),
    holdFreshSession(call, own.session),
    ...removeBy({ by: byOf(own, call), other, has }, call.now),
    eventOf(services, call, own, {
      type: 'organization_member.removed',
      user_id,
      data: { organization_id, user_id, roles },
      counted: administratorsOf(other),
    }),
  ])
  return removed ? done('remove-member') : show('changed')
}

const lifetime_seconds = 604_800

/** The answer is the same whether an account, or a member, has the address. */
async function invite(services: OidcServices, call: OidcCall, own: OwnOrganization, show: Show): Promise<Answer> {
  const { db, config, newId } = services
  const { environment_id, url: issuer, settings } = call.issuer
  const { organization, session, standing, roles } = own
  const typed = typedOf(call, 'email', longest_email)
  const email = accountAddress(typed)
  if (email === null || !sendsMail(settings.email)) return show('bad_email', typed)
  const chosen = new Set(call.form?.getAll('roles') ?? [])
  const given = [...roles.values()].filter(({ slug }) => chosen.has(slug)).sort((a, b) => (a.slug < b.slug ? -1 : 1))
  if (given.length < chosen.size || !mayGiveAll(standing.held, given)) return show('not_allowed', email)
  if (given.length > most_roles) return show('too_many_roles', email)
  const organization_id = organization.id
  const token = newSecret(services)
  const link = { token_hash: digestOf(token), expires_at: new Date(call.now.getTime() + lifetime_seconds * 1000) }
  const replaced = await findOpenTo(db, environment_id, { organization_id, email }, call.now)
  const id = newId('oiv') as `oiv_${string}` // as: newId gives exactly this
  const invitation = {
    ...{ id, environment_id, organization_id, email, role_ids: given.map((role) => role.id), application_id: null },
    ...{ inviter_type: 'user' as const, inviter_id: session.user_id, inviter_membership: standing.membership },
    ...{ is_mailed: true, lifetime_seconds },
  }
  const inviter = session.name === null ? session.email : `${session.name} (${session.email})`
  const notice = {
    kind: 'organization_invitation' as const,
    link: invitationUrl({ issuer }, token),
    organization_name: organization.name,
    inviter,
    expires_at: link.expires_at,
  }
  const locales = (await findOwner(db, environment_id, email))?.locale ?? null
  const mail = { to: email, user_id: null, request_id: call.request_id, notice, locales }
  const data = { organization_id, invitation_id: id, roles: given.map(({ slug }) => slug) }
  const invited = await db.of(environment_id).batch([
    ...aboutUsers(environment_id, [session.user_id]),
    holdFreshSession(call, session),
    ...insertInvitation(invitation, { replaced, link, limits: config.limits, now: call.now }),
    ...stillJudged(judgedOf(byOf(own, call), given)),
    ...(await mailStatements(services, environment_id, mail, call.now)),
    eventOf(services, call, own, { type: 'organization_invitation.created', data }),
    ...(replaced
      ? [
          eventOf(services, call, own, {
            type: 'organization_invitation.ended',
            data: { organization_id, invitation_id: replaced.id, roles: [], reason: 'replaced' },
          }),
        ]
      : []),
  ])
  if (invited)
    return redirect(`${organizationUrl(call, organization_id)}?${new URLSearchParams({ user: session.user_id, done: 'invite' })}`)
  if ((await findReached(db, invitation, { is_new: true, limits: config.limits, now: call.now })) !== null) return show('limit', email)
  if ((await waitOfAddress(services, environment_id, { to: email }, call.now)) !== null) return show('too_many_mails', email)
  return show('changed', email)
}
