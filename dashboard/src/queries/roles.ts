import type { EnvironmentRole } from '@ostiary/sdk'
import { type At, type Here, key, one } from './query.ts'

export const roles = {
  all: ({ at }: At) => key('roles', at.environment_id),
  /** All of them: an environment has few. */
  every: ({ client, at }: Here) =>
    one(key('roles', at.environment_id, 'every'), async (options) => {
      const found: EnvironmentRole[] = []
      for await (const role of client.listRoles({ ...at, limit: 100 }, options)) found.push(role)
      return found
    }),
}
