// pure
/** The organization of a sign-in: the one that was asked for, and that of the ID token. */

/** `org_…`, a slug, or `none`. */
export const isOrganization = (text: string): boolean => /^[A-Za-z0-9_-]{1,100}$/.test(text)

interface Claims {
  [claim: string]: unknown
  org_id?: unknown
  org_slug?: unknown
}

export const orgIdOf = ({ org_id }: Claims): string | null => (typeof org_id === 'string' ? org_id : null)

/**
 * Whether a sign-in is for the organization that was asked for. An issuer that does not know the parameter `organization` ignores it. Short ID
 * tokens have no slug; a slug then means any organization, of which the issuer took the right one.
 */
export function isOfOrganization(claims: Claims, asked: string): boolean {
  const org_id = orgIdOf(claims)
  if (asked === 'none') return org_id === null
  if (asked.startsWith('org_')) return org_id === asked
  return org_id !== null && (claims.org_slug === undefined || claims.org_slug === asked)
}
