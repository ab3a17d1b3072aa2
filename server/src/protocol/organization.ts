// pure
/** The rules for the organization of a request and of a grant. */
import { type OrganizationUse, organization_uses } from '@ostiary/contract/objects/organization-use.ts'
import { reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'
import type { RequestParameters } from './parameters.ts'

interface Using {
  readonly organizations?: OrganizationUse
}

/** The strictest of the application and the resource servers of a request counts. */
export function organizationUse(client: Using, resources: readonly Using[]): OrganizationUse {
  const places = [client, ...resources].map(({ organizations = 'none' }) => organization_uses.indexOf(organizations))
  return organization_uses[Math.max(...places)] ?? 'none'
}

/** The value of the parameter `organization` of a person who acts for no organization. No organization has it as its slug. */
export const for_none = 'none'

/** In characters: no id and no slug is longer. */
export const longest_organization = 100

/**
 * Reads the parameter `organization`: an id, a slug, or `none`. It is of no standard, so where organizations are not used, it is ignored as
 * every unknown one.
 */
export function readOrganization(organization: string | undefined, use: OrganizationUse): string | undefined {
  if (use === 'none' || organization === undefined) return undefined
  if (organization.length > longest_organization)
    throw new OAuthError('invalid_request', reason`organization is longer than ${longest_organization} characters.`)
  if (organization === for_none && use === 'required')
    throw new OAuthError(
      'invalid_request',
      reason`The application or a requested resource server requires an organization, and the request asks for none.`,
    )
  return organization
}

/** A membership in an organization that is enabled. */
export interface Membership {
  readonly organization_id: string
  readonly organization_slug: string
  readonly organization_name: string
  /** Its number. */
  readonly membership: number
  /** The ids of the roles that the member was given. */
  readonly role_ids: readonly string[]
}

/** The organization that a person acts for. */
export type OrganizationChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly membership: Membership }
  /** The person has to choose. */
  | { readonly kind: 'open' }
  /** The person is not a member of the one that is asked for, or of none although one is required. Which of them is said to nobody. */
  | { readonly kind: 'missing' }

/**
 * Decides for which organization a person acts.
 * @param named the parameter of the request, or the organization of an ID token that it sent as a hint
 * @param memberships where one is named, the membership in it, if there is one; else the first two of the person
 */
export function chooseOrganization(
  use: OrganizationUse,
  named: string | undefined,
  [first, second]: readonly Membership[],
): OrganizationChoice {
  if (use === 'none' || named === for_none) return { kind: 'none' }
  if (named !== undefined) return first ? { kind: 'one', membership: first } : { kind: 'missing' }
  if (first === undefined) return { kind: use === 'required' ? 'missing' : 'none' }
  return use === 'required' && second === undefined ? { kind: 'one', membership: first } : { kind: 'open' }
}

/** The part of the list of their organizations that a person looks at. */
export interface Choosing {
  /** How many of those found come before the ones that are shown. */
  readonly from: number
  readonly words: string
}

/** In characters. The words are compared with each of thousands of names. */
export const longest_words = 200

/** The parameters by which this service remembers that the person looks at the list, and what they look for. */
const remembered = ['choose_organization', 'organization_words'] as const

/** Reads them. Any other value is ignored, like an unknown parameter. */
export function readChoosing(values: RequestParameters['values'], use: OrganizationUse): Choosing | undefined {
  const { choose_organization: from = '', organization_words = '' } = values
  if (use === 'none' || !/^[0-9]{1,6}$/.test(from) || organization_words.length > longest_words) return undefined
  return { from: Number(from), words: organization_words }
}

/** The request of a person who looks at the list, for which no organization is chosen. */
export function withChoosing(query: string, { from, words }: Choosing): string {
  const search = new URLSearchParams(query)
  search.delete('organization')
  search.set('choose_organization', String(from))
  if (words === '') search.delete('organization_words')
  else search.set('organization_words', words)
  return search.toString()
}

/** The request with the organization that the person chose, or `none`. It is judged from its beginning. */
export function withOrganization(query: string, organization: string): string {
  const search = new URLSearchParams(query)
  for (const name of remembered) search.delete(name)
  search.set('organization', organization)
  return search.toString()
}

interface OfOrganization {
  readonly organization_id: string | null
  readonly organization_slug: string | null
}

/**
 * A token request changes no organization. Nothing is spent by one that names another.
 * @throws OAuthError `invalid_target`
 */
export function refuseOtherOrganization(
  { organization_id, organization_slug }: OfOrganization,
  client: Using,
  resources: readonly Using[],
  { values: { organization } }: Pick<RequestParameters, 'values'>,
): void {
  if (organization === undefined) return
  if (organization_id === null && organizationUse(client, resources) === 'none') return
  const is_that_of_grant =
    organization_id === null ? organization === for_none : organization === organization_id || organization === organization_slug
  if (!is_that_of_grant)
    throw new OAuthError('invalid_target', 'The grant is not for this organization. Begin a new authorization request for it.', {
      reason: reason`organization is not that of the grant.`,
    })
}
