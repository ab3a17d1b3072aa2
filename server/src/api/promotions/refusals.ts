/** Why a step of a promotion does not happen. */
import type { RevertConflict } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import type { Reason } from '../../base/reason.ts'
import type { Read } from '../../domain/configuration/store.ts'
import type { PromotionRow } from '../../domain/promotions/store.ts'
import { ApiError } from '../../http/problem.ts'
import type { Caller } from '../authenticate.ts'
import { entriesShownTo } from './rights.ts'

export const wrongState = (detail: Reason) => new ApiError('promotion_state', detail)

/** @param planners the people who are responsible for the plan, with a key of theirs too */
export function refuseOwnPlan(planners: readonly string[], { created_by }: PromotionRow, { actor }: Caller): void {
  if (!planners.includes(actor.id ?? '')) return
  throw new ApiError(
    'insufficient_role',
    created_by?.type === 'key'
      ? 'A key that you made or rotated planned this. Another owner or admin of the tenant approves it.'
      : 'You planned this. Another owner or admin of the tenant approves it.',
  )
}

export function refuseUnapproved({ approval }: PromotionRow): void {
  if (approval.required && approval.approved_at === null)
    throw new ApiError('approval_required', 'Another owner or admin of the tenant approves this plan first.')
}

export function refuseConflicts(conflicts: readonly RevertConflict[]): void {
  if (conflicts.length > 0)
    throw new ApiError('promotion_conflict', 'Something that the revert would change is not as the promotion left it. `errors` names it.', {
      errors: conflicts,
    })
}

export interface Ends {
  readonly target: Read
  /** `null` for a document. */
  readonly source: Read | null
}

/** The plan is of other versions than the ends have now. */
export function refuseMoved({ from_config_version, to_config_version }: PromotionRow, { target, source }: Ends): void {
  const moved = (pointer: string, planned: number | null, end: Read | null) => {
    const now = end?.configuration.environment.config_version
    return now === undefined || now === planned ? [] : [{ pointer, code: 'edited', detail: `The version is ${now} now.` }]
  }
  const errors = [...moved('/from_config_version', from_config_version, source), ...moved('/to_config_version', to_config_version, target)]
  if (errors.length > 0)
    throw new ApiError('promotion_stale', 'The source or the target has changed since the plan. Plan again.', { errors })
}

/** Errors of kinds that a key may neither read nor write refuse its call too, unnamed. */
export function refuseBlocked(caller: Caller, checks: readonly PromotionCheck[]): void {
  const errors = checks.filter(({ level }) => level === 'error')
  if (errors.length > 0)
    throw new ApiError('promotion_blocked', 'Something stands in the way of the change. `checks` says what to do.', {
      checks: entriesShownTo(caller, errors),
    })
}
