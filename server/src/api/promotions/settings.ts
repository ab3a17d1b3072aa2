/** The settings of a project and an environment for promotions, and who may change them. */
import type { Kept } from '@ostiary/contract/kept.ts'
import { type EnvironmentType, roles } from '@ostiary/contract/tenancy.ts'
import { reason } from '../../base/reason.ts'
import type { Db } from '../../db/db.ts'
import { fieldsOf } from '../../domain/configuration/pointers.ts'
import { countApprovers } from '../../domain/members/store.ts'
import { ApiError, badField, validationFailed } from '../../http/problem.ts'
import type { Caller } from '../authenticate.ts'

/** Whether plans need an approval is up to an admin, never to a key: what a key plans could then be approved by nobody. */
export async function refuseApprovals(db: Db, { key, role, tenant_id }: Caller, asks: boolean): Promise<void> {
  if (key)
    throw new ApiError(
      'wrong_key_type',
      'Only an administrator with the role admin changes whether plans need an approval. You sent a key.',
    )
  if (role !== null && roles.indexOf(role) < roles.indexOf('admin'))
    throw new ApiError('insufficient_role', reason`To change whether plans need an approval needs the role admin; yours is ${role}.`)
  if (asks && (await countApprovers(db, tenant_id)) < 2)
    throw badField(
      ['promotion', 'require_approval'],
      'An approval is by another owner or admin than the one who planned, so the tenant needs two of them. Invite one first.',
    )
}

/** Keeping values of Live needs the role admin. An entry names something that a configuration can have, once. */
export function refuseKeeps({ role }: Caller, type: EnvironmentType, keeps: readonly Kept[]): void {
  if (type === 'live' && role !== null && roles.indexOf(role) < roles.indexOf('admin'))
    throw new ApiError('insufficient_role', reason`What is meant to differ in Live needs the role admin; yours is ${role}.`)
  const problems = keeps.flatMap(({ object, slug, pointer }, i) => {
    if ((object === 'settings') !== (slug === null))
      return [{ pointer: `/keeps/${i}/slug`, code: 'not_allowed', detail: 'Objects have a slug, and the settings have none.' }]
    const is_known = pointer === null ? object !== 'settings' : fieldsOf(object).some((field) => field.pointer === pointer)
    if (!is_known) return [{ pointer: `/keeps/${i}/pointer`, code: 'not_allowed', detail: 'No field of such an object has this pointer.' }]
    const is_repeated = keeps.findIndex((other) => other.object === object && other.slug === slug && other.pointer === pointer) !== i
    return is_repeated ? [{ pointer: `/keeps/${i}`, code: 'not_allowed', detail: 'An earlier entry of the list is the same.' }] : []
  })
  if (problems.length > 0) throw validationFailed(problems)
}
