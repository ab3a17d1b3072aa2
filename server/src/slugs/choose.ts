/** Chooses slugs. The choice is only a proposal: the unique index decides, and a proposal that another request took is replaced. */
import type { Db, Statement } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { badField, tooBusy } from '../http/problem.ts'
import { type Reason, reason } from '../reason.ts'
import { numbered, slugFrom } from './slug.ts'
import { findTaken, isSettable, type SlugScope, setSlug } from './store.ts'

/**
 * One of several concurrent creations with the same name succeeds at each of the first tries. Later tries choose among more and more free
 * slugs, so that a thousand creations take a dozen tries each and not a thousand.
 */
const tries_in_order = 8
const most_spread = 1_024
const most_tries = 100

/** `call.fail` of a row that declares the code. */
type RefuseTaken = (code: 'slug_taken', detail: string, explained: { reason: Reason }) => never

interface Creation<T> {
  /** The slug of the request, if it has one. */
  slug: string | undefined
  /** The text that the slug is made from otherwise. */
  name: string
  /** Creates the object, or returns `null` if a guard failed. */
  create: (slug: string) => Promise<T | null>
  /** Throws the refusal that is not about the slug, such as a quota. Without such a reason the creation is tried again. */
  refuse: () => Promise<void>
  fail: RefuseTaken
}

/** Creates an object with the slug of the request, or with the first free one that is made from its name. */
export async function createWithSlug<T>(
  { db, random }: Pick<Deployment, 'db' | 'random'>,
  scope: SlugScope,
  { slug, name, create, refuse, fail }: Creation<T>,
): Promise<T> {
  const base = slugFrom(name, scope.table)
  for (let tries = 0; tries < most_tries; tries++) {
    const spread = Math.min(2 ** Math.max(0, tries - tries_in_order), most_spread)
    const proposal = slug ?? (await findFree(db, scope, base, numberBelow(spread, random)))
    const created = await create(proposal)
    if (created !== null) return created
    const is_taken = (await findTaken(db, scope, [proposal])).has(proposal)
    if (is_taken && slug !== undefined) return refuseTaken(slug, fail)
    if (!is_taken) await refuse()
  }
  throw tooBusy('environment')
}

/** So many slugs are looked up at a time. The first ones are enough for almost every name. */
const looked_up = [10, 100, 1_000]

/** A random number below a power of two. */
function numberBelow(spread: number, random: Deployment['random']): number {
  const [low = 0, high = 0] = spread === 1 ? [] : random(2)
  return (low + 256 * high) % spread
}

/** Returns a free slug of `shop`, `shop-2`, `shop-3` …, after skipping so many free ones. */
async function findFree(db: Db, scope: SlugScope, base: string, skipped: number): Promise<string> {
  let n = 0
  let left = skipped
  for (const count of looked_up) {
    const slugs = Array.from({ length: count }, () => numbered(base, ++n))
    const taken = await findTaken(db, scope, slugs)
    const free = slugs.filter((slug) => !taken.has(slug))
    const chosen = free[left]
    if (chosen !== undefined) return chosen
    left -= free.length
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
  fail: RefuseTaken,
): Promise<Statement[]> {
  if (sent === undefined) return []
  if (!(await isSettable(db, scope, current.id))) throw badField(['slug'], 'The slug is set at creation and cannot be changed.')
  if (sent === current.slug) return []
  if ((await findTaken(db, scope, [sent])).size > 0) return refuseTaken(sent, fail)
  return [setSlug(scope, current.id, sent)]
}

function refuseTaken(slug: string, fail: RefuseTaken): never {
  return fail('slug_taken', `Another object of this kind in the environment has the slug "${slug}".`, {
    reason: reason`Another object of this kind in the environment has the slug.`,
  })
}
