/** Slugs of the objects of an environment. A unique index of each table decides which object gets a slug. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { Slugged } from '../../base/slug.ts'
import { type Db, identifiers, list, sql } from '../../db/db.ts'

/** The objects among which a slug is unique. */
export interface SlugScope {
  table: Slugged
  environment_id: EnvironmentId
}

const Slug = z.object({ slug: z.string() })

/** Finds which of these slugs are taken. */
export async function findTaken(db: Db, { table, environment_id }: SlugScope, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .of(environment_id)
    .all(Slug, sql`select slug from ${identifiers(table)} where environment_id = ${environment_id} and slug in (${list(slugs)})`)
  return new Set(rows.map(({ slug }) => slug))
}
