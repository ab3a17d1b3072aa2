/** The membership that a grant is for. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { guard, type Statement, sql } from '../../db/db.ts'

/** A member of an organization, by the number that no later membership has. */
export interface MembershipRef {
  readonly organization_id: string
  readonly membership: number
}

/** The membership is used by its user now. Fails as a guard where it has ended. */
export const useMembership = (
  { environment_id, user_id }: { environment_id: EnvironmentId; user_id: string },
  { organization_id, membership }: MembershipRef,
  now: Date,
): Statement =>
  guard(sql`update organization_members set last_used_at = ${now}
    where environment_id = ${environment_id} and organization_id = ${organization_id} and user_id = ${user_id} and membership = ${membership}`)
