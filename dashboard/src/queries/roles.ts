import type { EnvironmentRole, RoleChange } from '@ostiary/sdk'
import { type At, type Here, key, list, one } from './query.ts'

export const roles = {
  all: ({ at }: At) => key('roles', at.environment_id),
  list: ({ client, at }: Here) => list(key('roles', at.environment_id, 'list'), (cursor) => client.listRoles({ ...at, cursor }).page()),
  /** All of them: an environment has few. */
  every: ({ client, at }: Here) =>
    one(key('roles', at.environment_id, 'every'), async (options) => {
      const found: EnvironmentRole[] = []
      for await (const role of client.listRoles({ ...at, limit: 100 }, options)) found.push(role)
      return found
    }),
  /** With its version, for the form. */
  one: ({ client, at }: Here, role_id: string) =>
    one(key('roles', at.environment_id, 'one', role_id), (options) => client.responses.getRole({ ...at, role_id }, options)),
  /** The effects that a change would have now. A key of its own: once the role has changed or is gone, nobody asks for them again. */
  preview: ({ client, at }: Here, role_id: string, change: RoleChange) =>
    one(
      key('role-previews', at.environment_id, role_id, JSON.stringify(change)),
      (options) => client.previewRole({ ...at, role_id }, change, options),
      { staleTime: 0, gcTime: 0 },
    ),
}
