/** Slugs of the objects of an environment. A unique index of each table decides which object gets a slug. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { Slugged } from '../../base/slug.ts'
import { type Db, guard, identifiers, list, type Statement, sql } from '../../db/db.ts'

/** The objects among which a slug is unique. */
export interface SlugScope {
  table: Slugged
  environment_id: EnvironmentId
}

const Slug = z.object({ slug: z.string() })

/** Finds which of these slugs are taken. */
export async function findTaken(db: Db, { table, environment_id }: SlugScope, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.all(
    Slug,
    sql`select slug from ${identifiers(table)} where environment_id = ${environment_id} and slug in (${list(slugs)})`,
  )
  return new Set(rows.map(({ slug }) => slug))
}

/** Reports whether migration 0017 made the slug of an object and nobody has set it since. */
export async function isSettable(db: Db, { table, environment_id }: SlugScope, id: string): Promise<boolean> {
  const rows = await db.all(
    Slug,
    sql`select slug from ${identifiers(table)} where environment_id = ${environment_id} and id = ${id} and slug_settable = 1`,
  )
  return rows.length > 0
}

/** Sets the slug of an object once. Fails as a guard if it was set before, or if another object has this slug. */
export function setSlug({ table, environment_id }: SlugScope, id: string, slug: string): Statement {
  const objects = identifiers(table)
  return guard(sql`update ${objects} set slug = ${slug}, slug_settable = 0
    where environment_id = ${environment_id} and id = ${id} and slug_settable = 1
      and not exists (select 1 from ${objects} other where other.environment_id = ${environment_id} and other.slug = ${slug})`)
}
