/** The forms of the account page about organizations: invitations to accept or decline, memberships to leave. */
import { OrganizationId, OrganizationInvitationId } from '@ostiary/contract/ids.ts'
import { emailKey } from '../../../base/email.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { requires, sql } from '../../../db/db.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { administratorsOf } from '../../../domain/organizations/counts.ts'
import { heldOf } from '../../../domain/organizations/giving.ts'
import { findOffer } from '../../../domain/organizations/joining.ts'
import * as members from '../../../domain/organizations/members.ts'
import { findOrganization } from '../../../domain/organizations/store.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { holdProvenOwner, holdUser } from '../../../domain/users/store.ts'
import { lastAdministratorPage } from '../../../pages/account-forms.ts'
import { administers } from '../../../protocol/giving.ts'
import { accountUrl } from '../../account-url.ts'
import { type OidcEndpoint, redirect, refused } from '../../call.ts'
import { accountContext, html } from '../../hosted-page.ts'
import { afterJoining, decline, join } from '../shared/join-organization.ts'
import { beginChange, changedMeanwhile, done, ownOrigin } from './gate.ts'

const unknown_invitation = refusal('not_found', reason`The account has no such invitation, or has not proved its address.`)

/** Accepts or declines an invitation to the proved address of the account. */
export const answerOwnInvitation: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, null)
  if ('answer' in own) return own.answer
  const { db } = services
  const { environment_id } = call.issuer
  const { user, session } = own
  const id = OrganizationInvitationId.safeParse(call.form?.get('id')).data ?? ''
  const reading = { db, memberRoles: call.issuer.memberRoles }
  const find = () => (user.email_verified ? findOffer(reading, environment_id, { id, email_key: emailKey(user.email) }, call.now) : null)
  const over = refused(redirect(accountUrl(call)), unknown_invitation)
  const offer = await find()
  if (!offer) return over
  const meanwhile = () => changedMeanwhile(services, call, own, { action: null, id: null })
  if (call.form?.get('decision') === 'decline')
    return (await decline(services, call, offer, session)) ? done(call, own, 'decline-invitation') : meanwhile()
  if (call.form?.get('decision') !== 'accept') return over
  const first = [holdProvenOwner(environment_id, user.id, user.email), holdSession(environment_id, session, call.now)]
  const joined = await join(services, call, { offer, user_id: user.id, first, again: async () => (await find()) ?? over })
  if (joined.over !== 'joined') return typeof joined.over === 'string' ? meanwhile() : joined.over
  const way_on = await afterJoining(services, call, joined.offer)
  return way_on === accountUrl(call) ? done(call, own, 'accept-invitation') : redirect(way_on)
}

/** Leaving needs no fresh sign-in. On pages the last member who administers stays, so that a person is left who can invite. */
export const leaveOrganization: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'leave-organization')
  if ('answer' in own) return own.answer
  const { db } = services
  const { environment_id } = call.issuer
  const { user, session } = own
  const organization_id = OrganizationId.safeParse(call.form?.get('id')).data ?? ''
  const place = { environment_id, organization_id, user_id: user.id }
  const member = await members.findMember(db, place)
  const organization = await findOrganization(db, environment_id, organization_id)
  if (!member || !organization) return refused(redirect(accountUrl(call)), no_member)
  const role_ids = await members.findRoleIds(db, place)
  const counted = administratorsOf(place)
  const must_stay = administers(heldOf(await call.issuer.memberRoles(), role_ids))
  const { roles } = member
  const left = await db
    .of(environment_id)
    .batch([
      holdUser(environment_id, user.id),
      holdSession(environment_id, session, call.now),
      ...members.removeMember(member, call.now),
      ...(must_stay ? [requires(sql`${counted.number} > 0`)] : []),
      insertEvent(
        environment_id,
        ownOrigin(services, call, own),
        { type: 'organization_member.removed', user_id: user.id, data: { organization_id, user_id: user.id, roles }, counted },
        call.now,
      ),
    ])
  if (left) return done(call, own, 'leave-organization')
  const is_same = (await members.findMember(db, place))?.version === member.version
  if (must_stay && is_same)
    return refused(html(lastAdministratorPage(accountContext(call, { user: user.id }), organization.name)), last_administrator)
  return changedMeanwhile(services, call, own, { action: null, id: null })
}

const no_member = refusal('not_found', reason`The organization does not have the account as a member.`)
const last_administrator = refusal('validation_failed', reason`The person is the last member who administers the organization.`)
