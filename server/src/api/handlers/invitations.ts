import { type Role, roles } from '@ostiary/contract/tenancy.ts'
import { type LimitName, type Limits, quotaDetail } from '../../base/config/limits.ts'
import { digestOf } from '../../base/digest.ts'
import { reason } from '../../base/reason.ts'
import { untilWritten } from '../../base/until-written.ts'
import type { Statement } from '../../db/db.ts'
import { newSecret } from '../../deployment/deployment.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { too_many_mails, waitOfAddress } from '../../domain/mail/address-limit.ts'
import { mailStatements } from '../../domain/mail/send.ts'
import { invitationUrl } from '../../domain/members/invitation-url.ts'
import type { PendingRow } from '../../domain/members/invitations.ts'
import * as store from '../../domain/members/invitations.ts'
import type { MemberRow } from '../../domain/members/store.ts'
import { findTenant } from '../../domain/tenancy/store.ts'
import type { Fail } from '../../http/problem.ts'
import { found, rateLimited, tooBusy } from '../../http/problem.ts'
import type { Caller } from '../authenticate.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

/** A try fails only when another change of the same tenant was first. */
const most_tries = 100

export const addMember: Handler<'addMember'> = async (services, call) => {
  const { config, db, now, newId, root } = services
  const { caller, body, commit } = call
  refuseAboveOwnRole(call, body.role)
  const { tenant_id } = caller
  const wanted = { tenant_id, inviter_id: caller.administrator.user_id, ...body }
  const token = newSecret(services)
  return untilWritten(
    most_tries,
    async () => {
      const at = now()
      const id = newId('inv')
      const link = { token_hash: digestOf(token), expires_at: store.invitationExpiry(at) }
      const member: PendingRow = {
        id,
        tenant_id,
        email: body.email,
        role: body.role,
        status: 'pending',
        expires_at: link.expires_at.toISOString(),
        user_id: null,
        name: null,
        email_verified: null,
        accepted_at: null,
        last_sign_in_at: null,
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
        version: 1,
      }
      const url = invitationUrl(root, token)
      const mail = await mailInvitation(services, call, { ...member, link: url, expires_at: link.expires_at }, at)
      const answer = { ...member, invitation_url: mail.length > 0 ? null : url }
      const statements = [...store.insertInvitation({ ...wanted, id }, link, config.limits, at), ...mail]
      if (await commit({ statements, before: null, answer }, at)) return answer
      explainRefusal(call, config.limits, await store.findStanding(db, wanted, at), { ...wanted, is_new: true })
      if (mail.length > 0) await refuseOverLimit(services, body.email, at)
      return null
    },
    tooBusy('tenant'),
  )
}

export const resendInvitation: Handler<'resendInvitation'> = (services, call) => {
  const { config, db, now, root } = services
  const { caller, params, if_match, commit } = call
  const { tenant_id } = caller
  const inviter_id = caller.administrator.user_id
  return changeVersioned(
    if_match,
    () => store.findPendingInvitation(db, tenant_id, params.member_id ?? '', now()),
    async (current) => {
      refuseAboveOwnRole(call, current.role)
      const at = now()
      const token = newSecret(services)
      const link = { token_hash: digestOf(token), expires_at: store.invitationExpiry(at) }
      const changed = { expires_at: link.expires_at.toISOString(), version: current.version + 1, updated_at: at.toISOString() }
      const url = invitationUrl(root, token)
      const mail = await mailInvitation(services, call, { ...current, link: url, expires_at: link.expires_at }, at)
      const answer = { ...current, ...changed, invitation_url: mail.length > 0 ? null : url }
      const statements = [...store.replaceLink(current, { inviter_id, ...link }, config.limits, at), ...mail]
      if (await commit({ statements, before: current, answer }, at)) return answer
      explainRefusal(call, config.limits, await store.findStanding(db, { ...current, inviter_id }, at), { ...current, is_new: false })
      if (mail.length > 0) await refuseOverLimit(services, current.email, at)
      return null
    },
  )
}

/** Throws where the address got too many mails today. */
async function refuseOverLimit(services: Services, to: string, at: Date): Promise<void> {
  const environment_id = services.root.environment_id
  const wait_seconds = await waitOfAddress(services, environment_id, { to }, at)
  if (wait_seconds !== null) throw rateLimited(too_many_mails, wait_seconds)
}

interface InvitationLink extends Pick<PendingRow, 'tenant_id' | 'email' | 'role'> {
  link: string
  expires_at: Date
}

/** Returns the statements that mail the link, or none if the root environment sends no mail. Then the administrator gets the link. */
async function mailInvitation(
  services: Services,
  { caller, request_id }: Pick<Call<'addMember'>, 'caller' | 'request_id'>,
  { tenant_id, email, role, link, expires_at }: InvitationLink,
  at: Date,
): Promise<Statement[]> {
  const tenant = await found(findTenant(services.db, tenant_id))
  const { name, email: address } = caller.administrator
  const inviter = name === null ? address : `${name} (${address})`
  const notice = { kind: 'invitation' as const, link, tenant_name: tenant.name, inviter, role, expires_at }
  const environment_id = services.root.environment_id
  return mailStatements(services, environment_id, { to: email, user_id: null, request_id, notice }, at)
}

type InvitationCall = Pick<Call<'changeMember'>, 'caller' | 'commit'> & { fail: Fail<'insufficient_role'> }

/** `null` when another request changed the invitation, or the role of its inviter, first. */
export async function changeInvitation(
  { db }: Services,
  call: InvitationCall,
  current: MemberRow,
  { role, at }: { role: Role; at: Date },
): Promise<MemberRow | null> {
  const { caller, commit } = call
  refuseAboveOwnRole(call, current.role)
  refuseAboveOwnRole(call, role)
  const keeps_link = await store.keepsLink(db, current, role)
  const expires_at = keeps_link ? current.expires_at : null
  const invited = { ...current, role, expires_at, version: current.version + 1, updated_at: at.toISOString() }
  const statements = store.changeInvitedRole(current, { role, changed_by: caller.administrator.user_id, keeps_link }, at)
  return (await commit({ statements, before: current, answer: invited }, at)) ? invited : null
}

/** False when another request changed the invitation first. */
export async function deleteInvitation(call: InvitationCall, current: MemberRow, at: Date): Promise<boolean> {
  refuseAboveOwnRole(call, current.role)
  return call.commit({ statements: store.endInvitation(current, at), before: current, answer: null }, at)
}

/** An administrator cannot give, change or remove a role above their own. */
export function refuseAboveOwnRole({ caller, fail }: { caller: Caller; fail: Fail<'insufficient_role'> }, touched: Role): void {
  const { role } = caller
  if (role === null || roles.indexOf(role) < roles.indexOf(touched))
    fail('insufficient_role', `The role ${touched} is above yours, ${role}.`)
}

/** Throws the reason why the batch was refused. Returns when the reason no longer exists, so the change can be tried again. */
function explainRefusal(
  { fail }: { fail: Fail<'insufficient_role' | 'quota_exceeded'> },
  limits: Limits,
  standing: Awaited<ReturnType<typeof store.findStanding>>,
  { email, role, is_new }: { email: string; role: Role; is_new: boolean },
): void {
  const failAtLimit = (name: LimitName) => fail('quota_exceeded', quotaDetail(name, limits))
  if (!standing?.may_give) throw fail('insufficient_role', `You can no longer give the role ${role}.`)
  if (is_new && !standing.may_replace)
    fail('insufficient_role', `A pending invitation of ${email} has a role above yours. An owner can change it.`, {
      reason: reason`A pending invitation of the same email has a role above that of the administrator.`,
    })
  if (is_new && standing.pending >= limits.invitations_pending) failAtLimit('invitations_pending')
  if (standing.links >= limits.invitations_per_day) failAtLimit('invitations_per_day')
  if (standing.links_to_address >= limits.invitations_per_address) failAtLimit('invitations_per_address')
}
