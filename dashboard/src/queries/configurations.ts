/** The configurations of environments as documents, and what a promotion from Test to Live would change. */
import type { Compared } from '../pages/compare/compare.ts'
import { type InProject, key, one } from './query.ts'

export const configurations = {
  all: ({ project }: Pick<InProject, 'project'>) => key('configurations', project.id),
  /** The document of an environment. */
  one: ({ client, project }: InProject, environment_id: string) =>
    one(key('configurations', project.id, environment_id), (options) =>
      client.getConfiguration({ project_id: project.id, environment_id }, options),
    ),
  /** Test and Live beside each other. A viewer cannot plan, and compares the values. */
  pair: ({ client, project, can }: InProject & { can: (role: 'developer') => boolean }, { test, live }: { test: string; live: string }) =>
    one(key('configurations', project.id, test, live), async (options): Promise<Compared> => {
      const at = { project_id: project.id }
      const body = { from_environment_id: test, to_environment_id: live, dry_run: true }
      const [of_test, of_live, plan] = await Promise.all([
        client.getConfiguration({ ...at, environment_id: test }, options),
        client.getConfiguration({ ...at, environment_id: live }, options),
        can('developer') ? client.createPromotion(at, body, options) : null,
      ])
      return { test: of_test, live: of_live, plan }
    }),
}
