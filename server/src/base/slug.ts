// pure
/**
 * Slugs of the objects of an environment. A slug is given at creation or made from the object's name. It says which Test object is which
 * Live object, so it never changes.
 *
 *   slug.ts    makes a slug from a name
 *   store.ts   reads and sets slugs; a unique index of each table decides who gets one
 *   choose.ts  creates an object with its slug, and sets the slug of an older object once
 */
import { longest_normalised, normalised, withoutMarks } from './normalisation.ts'

const longest_slug = 63

/** The tables whose rows have a slug, with the slug of a name that has no letter or digit of ASCII. */
const slugged = {
  applications: 'application',
  resource_servers: 'resource-server',
  roles: 'role',
  providers: 'provider',
  webhooks: 'webhook',
  organizations: 'organization',
} as const
export type Slugged = keyof typeof slugged

/** In requests it stands for no organization. */
const no_organization = 'none'

/** Makes a slug from a name: `cafe-zurich-2` from `Café Zürich (2)`. Other alphabets are left out. */
export function slugFrom(name: string, table: Slugged): string {
  const slug = slugOf(name, slugged[table])
  return table === 'organizations' && slug === no_organization ? slugged[table] : slug
}

/** @param otherwise the slug of a name that has no letter or digit of ASCII */
export function slugOf(name: string, otherwise: string): string {
  const letters = withoutMarks(normalised(name.slice(0, longest_normalised)))
    .toLowerCase()
    .replaceAll(/(?!\p{ASCII})[\p{L}\p{N}\p{M}]/gu, '')
  return trimmed(letters.replaceAll(/[^a-z0-9]+/g, '-')) || otherwise
}

/** A webhook has no name. Its slug is made from the host of its URL. */
export const hostOf = (url: string): string => new URL(url).hostname

/** The n-th choice for a slug: `shop`, `shop-2`, `shop-3` … A long slug is cut, so that the number fits. */
export function numbered(slug: string, n: number): string {
  const suffix = n === 1 ? '' : `-${n}`
  return `${trimmed(slug, longest_slug - suffix.length)}${suffix}`
}

/** The slug with a mark that no other has. A long slug is cut, so that the mark fits. */
export const marked = (slug: string, mark: string): string => `${trimmed(slug, longest_slug - mark.length - 1)}-${mark}`

/** Cuts a slug. It begins and ends with a letter or digit. */
function trimmed(slug: string, most = longest_slug): string {
  return slug.replace(/^-/, '').slice(0, most).replace(/-$/, '')
}
