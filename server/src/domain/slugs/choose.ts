/** Chooses slugs. The choice is only a proposal: the unique index decides, and a proposal that another request took is replaced. */
import { type Reason, reason } from '../../base/reason.ts'
import { marked, numbered, slugFrom } from '../../base/slug.ts'
import { untilWritten } from '../../base/until-written.ts'
import type { Db } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { badField, tooBusy } from '../../http/problem.ts'
import { findTaken, type SlugScope } from './store.ts'

/** Only creations of other processes take a proposal, so a creation needs about as many tries as there are processes. */
const most_tries = 100

/**
 * The slugs that creations of this process propose now. Without it, each of a thousand creations with the same name would propose the same
 * slug, and all but one would try again.
 */
const proposed = new Set<string>()

/** `call.fail` of a row that declares the code. */
type RefuseTaken = (code: 'slug_taken', detail: string, explained: { reason: Reason }) => never

interface Creation<T> {
  /** The slug of the request, if it has one. */
  slug: string | undefined
  /** The text that the slug is made from otherwise. */
  name: string
  /** Follows the name where many objects of a kind have the same one. It begins and ends with a letter or digit. */
  mark?: string
  /** Creates the object, or returns `null` if a guard failed. */
  create: (slug: string) => Promise<T | null>
  /** Throws the refusal that is not about the slug, such as a quota. Without such a reason the creation is tried again. */
  refuse: () => Promise<void>
  fail: RefuseTaken
}

/** Creates an object with the slug of the request, or with the first free one that is made from its name. */
export async function createWithSlug<T>(
  { db }: Pick<Deployment, 'db'>,
  scope: SlugScope,
  { slug, name, mark, create, refuse, fail }: Creation<T>,
): Promise<T> {
  const base = slugFrom(name, scope.table)
  return untilWritten(
    most_tries,
    async () => {
      const proposal = slug ?? (await proposeFree(db, scope, base, mark))
      const created = await create(proposal).finally(() => proposed.delete(scopedSlug(scope, proposal)))
      if (created !== null) return created
      const is_taken = (await findTaken(db, scope, [proposal])).has(proposal)
      if (is_taken && slug !== undefined) return refuseTaken(slug, fail)
      if (!is_taken) await refuse()
      return null
    },
    tooBusy('environment'),
  )
}

const scopedSlug = ({ table, environment_id }: SlugScope, slug: string): string => `${table} ${environment_id} ${slug}`

/** This many slugs are looked up at a time. The first ones are enough for almost every name. */
const looked_up = [10, 100, 1_000]

/** Proposes the first of `shop`, `shop-2`, `shop-3` … that is free and that no other creation of this process proposes. */
async function proposeFree(db: Db, scope: SlugScope, base: string, mark: string | undefined): Promise<string> {
  let n = 0
  for (const count of mark === undefined ? looked_up : looked_up.slice(0, 1)) {
    const slugs = Array.from({ length: count }, () => numbered(base, ++n))
    const taken = await findTaken(db, scope, slugs)
    const free = slugs.find((slug) => !taken.has(slug) && !proposed.has(scopedSlug(scope, slug)))
    if (free === undefined) continue
    proposed.add(scopedSlug(scope, free))
    return free
  }
  if (mark !== undefined) return marked(base, mark)
  throw badField(['slug'], `More than ${n} objects have a slug that begins with ${base}. Send another slug.`)
}

function refuseTaken(slug: string, fail: RefuseTaken): never {
  return fail('slug_taken', `Another object of this kind in the environment has the slug "${slug}".`, {
    reason: reason`Another object of this kind in the environment has the slug.`,
  })
}
