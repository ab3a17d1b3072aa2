/** Judges the members that a body names: users of the environment, the roles that they get, and the limits. */
import type { EnvironmentId, ProjectId } from '@ostiary/contract/ids.ts'
import type { NewOrganizationMember, OrganizationMember } from '@ostiary/contract/organization.ts'
import { quotaDetail } from '../base/config/limits.ts'
import type { Db } from '../db/db.ts'
import { isUserFull, settleUser } from '../domain/organizations/counts.ts'
import type { MemberRow } from '../domain/organizations/members.ts'
import { begun } from '../domain/tenancy/objects.ts'
import { findUsers } from '../domain/users/store.ts'
import { type Fail, pointerTo, validationFailed } from '../http/problem.ts'
import type { CallerEnvironment } from './authenticate.ts'
import type { Services } from './services.ts'

export interface NewMember {
  readonly member: MemberRow
  readonly role_ids: readonly string[]
}

/** Where an object of the environment of the caller is created. */
export const placeOf = ({ id, tenant_id, project_id }: CallerEnvironment, at: Date) => ({
  tenant_id,
  project_id: project_id as ProjectId, // as: the id of a project
  environment_id: id,
  at,
})

/** The record of a member who is added now. */
export const newMember = (
  environment: CallerEnvironment,
  named: Pick<OrganizationMember, 'organization_id' | 'user_id' | 'roles'>,
  { email, name }: Pick<OrganizationMember, 'email' | 'name'>,
  at: Date,
): MemberRow => begun(placeOf(environment, at), { ...named, email, name, last_used_at: null })

/**
 * Finds the users that a body names, in its order.
 * @throws ApiError that names each one whom the environment does not have
 */
export async function findNewMembers(
  db: Db,
  environment_id: EnvironmentId,
  members: readonly NewOrganizationMember[],
  pathOf: (i: number) => readonly PropertyKey[],
) {
  const ids = members.map(({ user_id }) => user_id)
  const users = new Map((await findUsers(db, environment_id, ids)).map((user) => [user.id, user]))
  const unknown = ids.flatMap((id, i) =>
    users.has(id) ? [] : [{ pointer: pointerTo(pathOf(i)), code: 'not_allowed', detail: unknown_user }],
  )
  if (unknown.length > 0) throw validationFailed(unknown)
  return ids.flatMap((id) => users.get(id) ?? [])
}

const unknown_user = 'The environment has no user with this id.'

/** Returns where none of these users is at the limit, or one is no more since rows of organizations that are gone were deleted. */
export async function refuseFullUsers(
  { db, config }: Services,
  environment_id: EnvironmentId,
  members: readonly NewOrganizationMember[],
  fail: Fail<'quota_exceeded'>,
): Promise<void> {
  const { organizations_per_user } = config.limits
  for (const { user_id } of members)
    if ((await isUserFull(db, environment_id, user_id, organizations_per_user)) && !(await settleUser(db, environment_id, user_id)))
      fail('quota_exceeded', quotaDetail('organizations_per_user', config.limits))
}
