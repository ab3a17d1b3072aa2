/** How a role is created, changed and deleted: the statements, the records before and after, and the event. */
import type { EnvironmentRole, RoleFields } from '@ostiary/contract/objects/role.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import { deleteRole, insertRole, type RoleRow, updateRole } from './store.ts'

export function created(
  place: ObjectPlace,
  { id, slug, kind }: Pick<EnvironmentRole, 'id' | 'slug' | 'kind'>,
  fields: RoleFields,
): ObjectChange<RoleRow> {
  return {
    statements: insertRole(place.environment_id, { id, slug, kind }, fields, place.at),
    before: null,
    after: { ...begun(place, { id, slug }), kind, ...fields },
    event: { type: 'role.created', data: { role_id: id, slug, kind, name: fields.name } },
  }
}

/** Permissions that are among the changed fields are written again, even if their value is the same. */
export const changed = (current: RoleRow, { fields, changed, at }: Edit<RoleFields>): ObjectChange<RoleRow> => ({
  statements: updateRole(current, fields, changed.includes('permissions'), at),
  before: current,
  after: { ...current, ...fields, ...moved(current, at) },
  event: { type: 'role.updated', data: { role_id: current.id, changed } },
})

export function deleted(current: RoleRow): ObjectChange<null> {
  const { id, slug, kind, name } = current
  return {
    statements: deleteRole(current),
    before: current,
    after: null,
    event: { type: 'role.deleted', data: { role_id: id, slug, kind, name } },
  }
}
