/** The applications of an environment in the order of the alphabet. No index of both engines has it, and the quota bounds the names. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Application } from '@ostiary/contract/objects/application.ts'
import { z } from 'zod'
import { folded } from '../../base/normalisation.ts'
import { list, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { readPageBy } from '../lists/lists.ts'
import { between_names, matcherOf, type NamedCall } from '../lists/search.ts'
import { listApplications } from './store.ts'

const Named = z.object({ id: z.string(), slug: z.string(), name: z.string() })

/** The applications that are sorted for a page. The quota is lower, if the deployment does not raise it. */
export const most_sorted = 5_000

/** Names that differ in case alone are in the order of ids. No name has the character between. */
const keyOf = ({ id, name }: Pick<Application, 'id' | 'name'>): string => `${folded(name)}\n${id}`

/** Reads one page, with the filters of named objects; `null` where the environment has more than `most_sorted` applications. */
export async function pageByName({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>, environment_id: EnvironmentId, call: NamedCall) {
  const { slug, query = '' } = call.query
  const matches = matcherOf(query)
  const every = await db
    .of(environment_id)
    .all(Named, sql`select id, slug, name from applications where environment_id = ${environment_id} order by id limit ${most_sorted + 1}`)
  if (every.length > most_sorted) return null
  const wanted = every
    .filter(
      (each) => (slug === undefined || each.slug === slug) && (query.trim() === '' || matches([each.slug, each.name].join(between_names))),
    )
    .map(({ id, name }) => ({ id, key: keyOf({ id: id as Application['id'], name }) })) // as: an id of the table
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  return readPageBy({ secrets }, call, JSON.stringify(['applications by name', environment_id, slug ?? null, query]), {
    keyOf,
    read: async (last, limit) => {
      const ids = wanted
        .filter(({ key }) => last === null || key > last)
        .slice(0, limit)
        .map(({ id }) => id)
      if (ids.length === 0) return []
      const rows = await listApplications(db, environment_id, sql`and id in (${list(ids)})`)
      return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    },
  })
}
