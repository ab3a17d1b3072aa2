/** Chooses slugs. The choice is only a proposal: the unique index decides, and a proposal that another request took is replaced. */
import type { Fail } from '../api/handler.ts'
import type { Db, Statement } from '../db/db.ts'
import { badField, tooBusy } from '../http/problem.ts'
import { numbered, slugFrom } from './slug.ts'
import { findTaken, isSettable, type SlugScope, setSlug } from './store.ts'

/** One of several concurrent creations with the same name succeeds at each try; see `most_tries` of `api/versions.ts`. */
const most_tries = 500

interface Creation<T> {
  /** The slug of the request, if it has one. */
  slug: string | undefined
  /** The text that the slug is made from otherwise. */
  name: string
  /** Creates the object, or returns `null` if a guard failed. */
  create: (slug: string) => Promise<T | null>
  /** Throws the refusal that is not about the slug, such as a quota. Without such a reason the creation is tried again. */
  refuse: () => Promise<void>
  fail: Fail<'slug_taken'>
}

/** Creates an object with the slug of the request, or with the first free one that is made from its name. */
export async function createWithSlug<T>(db: Db, scope: SlugScope, { slug, name, create, refuse, fail }: Creation<T>): Promise<T> {
  const base = slugFrom(name, scope.table)
  for (let tries = 0; tries < most_tries; tries++) {
    const proposal = slug ?? (await findFree(db, scope, base))
    const created = await create(proposal)
    if (created !== null) return created
    const is_taken = (await findTaken(db, scope, [proposal])).has(proposal)
    if (is_taken && slug !== undefined) return refuseTaken(slug, fail)
    if (!is_taken) await refuse()
  }
  throw tooBusy('environment')
}

/** So many slugs are looked up at a time. The first ones are enough for almost every name. */
const looked_up = [10, 100, 1_000, 10_000]

/** Returns the first free slug of `shop`, `shop-2`, `shop-3` …. */
export async function findFree(db: Db, scope: SlugScope, base: string): Promise<string> {
  let n = 0
  for (const count of looked_up) {
    const slugs = Array.from({ length: count }, () => numbered(base, ++n))
    const taken = await findTaken(db, scope, slugs)
    const free = slugs.find((slug) => !taken.has(slug))
    if (free !== undefined) return free
  }
  throw badField(['slug'], `More than ${n} objects have a slug that begins with ${base}. Send another slug.`)
}

interface Changed {
  id: string
  slug: string
}

/**
 * Returns the statements that set the slug of an object to the one that was sent. An object that was created without a slug, before
 * migration 0017, can get one once; every other slug is immutable.
 */
export async function slugStatements(
  db: Db,
  scope: SlugScope,
  current: Changed,
  sent: string | undefined,
  fail: Fail<'slug_taken'>,
): Promise<Statement[]> {
  if (sent === undefined) return []
  if (!(await isSettable(db, scope, current.id))) throw badField(['slug'], 'The slug is set at creation and cannot be changed.')
  if (sent === current.slug) return []
  if ((await findTaken(db, scope, [sent])).size > 0) return refuseTaken(sent, fail)
  return [setSlug(scope, current.id, sent)]
}

function refuseTaken(slug: string, fail: Fail<'slug_taken'>): never {
  return fail('slug_taken', `Another object of this kind in the environment has the slug "${slug}".`)
}
