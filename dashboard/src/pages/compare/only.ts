/** Builds the list `only` of a plan, within its bound. Pure functions. */
import type { Planned, PlannedChange } from '@ostiary/sdk'

/** As many entries as the service takes. */
export const most_entries = 1_000

const too_many = `A plan names at most ${most_entries.toLocaleString('en')} fields and objects, and this would be more. Take a part of them, and the rest with the next plan.`

const objectOf = ({ object, slug }: Planned) => `${object}/${slug ?? ''}`

/**
 * Entries as a plan names them: each field by itself, so that it takes nothing that changed meanwhile. Where these would be too many, an
 * object whose changed fields are all taken is one entry. It throws where they are too many even so.
 */
export function onlyOf(entries: readonly Planned[], changes: readonly Pick<PlannedChange, 'object' | 'slug' | 'fields'>[]): Planned[] {
  if (entries.length <= most_entries) return [...entries]
  const changed = new Map(changes.map((change) => [objectOf(change), change.fields.length]))
  const joined = [...Map.groupBy(entries, objectOf)].flatMap(([key, taken]): readonly Planned[] => {
    const [first] = taken
    if (first === undefined || taken.length < (changed.get(key) ?? Number.POSITIVE_INFINITY)) return taken
    return [{ object: first.object, ...(first.slug == null ? {} : { slug: first.slug }) }]
  })
  if (joined.length > most_entries) throw new Error(too_many)
  return joined
}
