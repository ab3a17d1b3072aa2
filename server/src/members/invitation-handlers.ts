/** The endpoints that create, change, resend and delete invitations. Accepting one is a hosted page, `oidc/endpoints/invitation.ts`. */
import type { routes } from '@ostiary/contract/routes.ts'
import { type Role, roles } from '@ostiary/contract/tenancy.ts'
import type { Caller } from '../api/authenticate.ts'
import type { Call, Handler } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import { newSecret } from '../deployment.ts'
import { digestOf } from '../digest.ts'
import { ApiError, quotaExceeded } from '../http/problem.ts'
import type { Limits } from '../limits.ts'
import type { Root } from '../setup/root.ts'
import * as store from './invitations.ts'
import type { MemberRow } from './store.ts'

/** Each try fails only because another change of the same tenant was faster. */
const most_tries = 100

export const invitationUrl = ({ issuer }: Pick<Root, 'issuer'>, token: string) => `${issuer}/invitation?token=${token}`

export const createAddMember =
  (root: Root): Handler<(typeof routes)['addMember']> =>
  async (deployment, { caller, body, commit }) => {
    const { config, db, now, newId } = deployment
    refuseAboveOwnRole(caller, body.role)
    const { tenant_id } = caller
    const wanted = { tenant_id, inviter_id: caller.administrator.user_id, ...body }
    const token = newSecret(deployment)
    for (let tries = 0; tries < most_tries; tries++) {
      const at = now()
      const id = newId('inv') as MemberRow['id'] // as: newId gives exactly this
      const link = { token_hash: digestOf(token), expires_at: store.expiryOf(at) }
      const member: MemberRow = {
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
      const answer = { ...member, invitation_url: invitationUrl(root, token) }
      const statements = store.insertInvitation({ ...wanted, id }, link, config.limits, at)
      if (await commit({ statements, before: null, answer }, at)) return answer
      refuse(config.limits, await store.findStanding(db, wanted, at), wanted, { is_new: true })
    }
    throw tooBusy()
  }

export const createResendInvitation =
  (root: Root): Handler<(typeof routes)['resendInvitation']> =>
  (deployment, { caller, params, if_match, commit }) => {
    const { config, db, now } = deployment
    const { tenant_id } = caller
    const inviter_id = caller.administrator.user_id
    return changeVersioned(
      if_match,
      () => store.findPending(db, tenant_id, params.member_id ?? '', now()),
      async (current) => {
        refuseAboveOwnRole(caller, current.role)
        const at = now()
        const token = newSecret(deployment)
        const link = { token_hash: digestOf(token), expires_at: store.expiryOf(at) }
        const changed = { expires_at: link.expires_at.toISOString(), version: current.version + 1, updated_at: at.toISOString() }
        const answer = { ...current, ...changed, invitation_url: invitationUrl(root, token) }
        const statements = store.replaceLink(current, inviter_id, link, config.limits, at)
        if (await commit({ statements, before: current, answer }, at)) return answer
        refuse(config.limits, await store.findStanding(db, { ...current, inviter_id }, at), current, { is_new: false })
        return null
      },
    )
  }

type Changing = Pick<Call<(typeof routes)['changeMember']>, 'caller' | 'commit'>

/** `null` where the invitation changed meanwhile. */
export async function changeInvitation({ caller, commit }: Changing, current: MemberRow, role: Role, at: Date): Promise<MemberRow | null> {
  refuseAboveOwnRole(caller, current.role)
  refuseAboveOwnRole(caller, role)
  const invited = { ...current, role, version: current.version + 1, updated_at: at.toISOString() }
  const statements = store.changeInvitedRole(current, caller.administrator.user_id, role, at)
  return (await commit({ statements, before: current, answer: invited }, at)) ? invited : null
}

/** False where the invitation changed meanwhile. */
export function deleteInvitation({ caller, commit }: Changing, current: MemberRow, at: Date): Promise<boolean> {
  refuseAboveOwnRole(caller, current.role)
  return commit({ statements: store.endInvitation(current, at), before: current, answer: null }, at)
}

/** Only owners give and take the role of owners. */
export function refuseAboveOwnRole({ role }: Caller, touched: Role): void {
  if (role === null || roles.indexOf(role) < roles.indexOf(touched))
    throw new ApiError('insufficient_role', `The role ${touched} is above yours, ${role}.`)
}

/** Says why nothing happened. Returns where the reason is gone, and the change may be tried again. */
function refuse(
  limits: Limits,
  standing: Awaited<ReturnType<typeof store.findStanding>>,
  { email, role }: { email: string; role: Role },
  { is_new }: { is_new: boolean },
): void {
  if (!standing?.may_give) throw new ApiError('insufficient_role', `You may not give the role ${role} any more.`)
  if (is_new && !standing.may_replace)
    throw new ApiError('insufficient_role', `A pending invitation of ${email} has a role above yours. An owner can change it.`)
  if (is_new && standing.pending >= limits.invitations_pending) throw quotaExceeded('invitations_pending', limits)
  if (standing.links >= limits.invitations_per_day) throw quotaExceeded('invitations_per_day', limits)
  if (standing.links_to_address >= limits.invitations_per_address) throw quotaExceeded('invitations_per_address', limits)
}

const tooBusy = () => new ApiError('unavailable', 'Too many changes of the same tenant at once. Try again shortly.')
