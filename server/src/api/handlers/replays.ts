/**
 * Repeats of a POST by Idempotency-Key whose rights depend on what they touch. Each judges them as its handler does, for the object as it is
 * now (decision 0160). The rights of other rows are in the route table, which the pipeline judges at every call.
 */
import type { Promotion } from '@ostiary/contract/promotion.ts'
import { findPendingInvitation } from '../../domain/members/invitations.ts'
import { findPromotion } from '../../domain/promotions/store.ts'
import { findEnvironmentOfTenant } from '../../domain/tenancy/store.ts'
import type { Call, Replay, Replays } from '../handler.ts'
import { refuseStep, shownTo } from '../promotions/rights.ts'
import { secretsSent } from '../promotions/target.ts'
import type { Services } from '../services.ts'
import { refuseAboveOwnRole } from './invitations.ts'

const addMember: Replay<'addMember'> = async (services, call, first) => {
  refuseAboveOwnRole(call, call.body.role)
  await refuseInvitation(services, call, String(first.id))
  return first
}

const resendInvitation: Replay<'resendInvitation'> = async (services, call, first) => {
  await refuseInvitation(services, call, call.params.member_id ?? '')
  return first
}

/** Another administrator can have given the invitation a role above that of the caller. */
async function refuseInvitation({ db, now }: Services, call: Pick<Call<'addMember'>, 'caller' | 'fail'>, id: string): Promise<void> {
  const invitation = await findPendingInvitation(db, call.caller.tenant_id, id, now())
  if (invitation) refuseAboveOwnRole(call, invitation.role)
}

const applyPromotion: Replay<'applyPromotion'> = (services, call, first) => {
  const recorded = first as Promotion // as: recorded by `writeStep`
  return replayStep(services, call, recorded, (promotion) => secretsSent(promotion, call.body))
}

const revertPromotion: Replay<'revertPromotion'> = (services, call, first) => replayStep(services, call, first as Promotion, () => []) // as: recorded by `writeStep`

/** The step needs the rights for its changes, and shows what the caller may see now. */
async function replayStep(
  { db }: Services,
  { caller, params }: Pick<Call<'revertPromotion'>, 'caller' | 'params'>,
  first: Promotion,
  sendsOf: (promotion: Pick<Promotion, 'needed_secrets'>) => Promotion['needed_secrets'],
): Promise<Promotion> {
  const promotion = (await findPromotion(db, first.project_id, params.promotion_id ?? '')) ?? first
  const target = await findEnvironmentOfTenant(db, caller.tenant_id, promotion.to_environment_id)
  const { changes } = promotion
  if (target) await refuseStep({ caller, sign_in: null }, { target: target.type, changes, sends: sendsOf(promotion), is_preview: false })
  return shownTo(caller, first)
}

export const replays: Replays = { addMember, resendInvitation, applyPromotion, revertPromotion }
