/** The promotions of a project, and its environments as they are now. */
import type { Left, RevertPreview } from '@ostiary/sdk'
import { configurations } from './configurations.ts'
import { type InProject, key, list, one } from './query.ts'

type Status = 'planned' | 'applied' | 'reverted'

interface Filter {
  status?: Status | undefined
  to_environment_id?: string | undefined
}

const statuses: readonly string[] = ['planned', 'applied', 'reverted'] satisfies Status[]

/** The filter that the query of an address has. */
export const promotionFilter = ({ status }: Readonly<Record<string, string | undefined>>): Filter =>
  status !== undefined && statuses.includes(status) ? { status: status as Status } : {} // as: one of them

export const promotions = {
  all: ({ project }: Pick<InProject, 'project'>) => key('promotions', project.id),
  list: ({ client, project }: InProject, filter: Filter = {}) =>
    list(key('promotions', project.id, 'list', filter), (cursor) =>
      client.listPromotions({ project_id: project.id, ...filter, cursor }).page(),
    ),
  one: ({ client, project }: InProject, promotion_id: string) =>
    one(key('promotions', project.id, promotion_id), (options) => client.getPromotion({ project_id: project.id, promotion_id }, options)),
  /** All previews of a revert, whatever they leave as it is. */
  previews: ({ project }: Pick<InProject, 'project'>, promotion_id: string) => key('revert', project.id, promotion_id),
  /** The preview of a revert as it would be now. It is not read again after the revert, which leaves nothing to ask. */
  preview: ({ client, project }: InProject, promotion_id: string, leave: readonly Left[]) =>
    one(key('revert', project.id, promotion_id, leave), async (options): Promise<RevertPreview> => {
      const answer = await client.revertPromotion({ project_id: project.id, promotion_id }, { dry_run: true, leave: [...leave] }, options)
      if (!('conflicts' in answer)) throw new Error('The service did not answer with a preview.')
      return answer
    }),
  /** The newest plan to an environment that was not applied, and the newest that was. */
  latest: ({ client, project }: InProject, to_environment_id: string, status: Status) =>
    one(key('promotions', project.id, 'latest', to_environment_id, status), async (options) => {
      const { data } = await client.listPromotions({ project_id: project.id, to_environment_id, status, limit: 1 }, options).page()
      return data[0] ?? null
    }),
}

/** The environments as they are now, with their versions. */
export const ends = ({ client, project }: InProject, ids: readonly string[]) =>
  one(key('promotions', project.id, 'ends', ids), (options) =>
    Promise.all(ids.map((environment_id) => client.getEnvironment({ project_id: project.id, environment_id }, options))),
  )

/** Lists the keys of the reads that a step of a promotion changes. */
export const changedBySteps = (here: Pick<InProject, 'project'>) => [promotions.all(here), configurations.all(here)]
