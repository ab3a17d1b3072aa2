/**
 * The scopes that a key needs beside those of the row, by what the call touches. The handlers judge them; here they are found for a key that
 * lacks scopes of the row too, which is refused before its handler runs.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { findPromotion, type PromotionRow } from '../../domain/promotions/store.ts'
import { findProject } from '../../domain/tenancy/store.ts'
import type { TouchedScopes } from '../handler.ts'
import { kindsIn, scopesOfKinds, scopesOfStep } from '../promotions/rights.ts'
import { secretsSent } from '../promotions/target.ts'
import type { Services } from '../services.ts'

export const touchedScopes: TouchedScopes = {
  async getPromotion(services, call) {
    const promotion = await find(services, call)
    return promotion ? scopesOfKinds(kindsIn(promotion), 'read') : []
  },
  async applyPromotion(services, call) {
    const promotion = await find(services, call)
    return promotion ? scopesOfStep({ changes: promotion.changes, sends: secretsSent(promotion, call.body) }) : []
  },
  async revertPromotion(services, call) {
    const promotion = await find(services, call)
    return promotion ? scopesOfStep({ changes: promotion.changes, sends: [] }) : []
  },
}

interface About {
  readonly tenant_id: TenantId
  readonly params: Readonly<Record<string, string>>
}

/** `null` where the tenant has no such promotion: the refusal does not say so. */
async function find({ db }: Services, { tenant_id, params }: About): Promise<PromotionRow | null> {
  const project = await findProject(db, tenant_id, params.project_id ?? '')
  return project && findPromotion(db, project.id, params.promotion_id ?? '')
}
