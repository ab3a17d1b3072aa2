// pure
/** The consent that a request needs: the scopes of OpenID Connect, and the scopes of each resource server. */
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { scopeNames } from './scope.ts'

interface Resource {
  identifier: string
  scopes: readonly string[]
}

const isOidc = (name: string) => (oidcScopes as readonly string[]).includes(name) // as: comparing with any string

/**
 * The consent that a request needs, in words to store: `openid`, `https://api.example.com` for a token that this API accepts,
 * `https://api.example.com#orders:read` for a scope of it. Two APIs may have a scope of the same name, and consent for one is not
 * valid for the other. Identifiers have no fragment, so each word has one meaning.
 */
export function consentWords(scope: string, resources: readonly Resource[]): string[] {
  const names = scopeNames(scope)
  const ofResource = ({ identifier, scopes }: Resource) => [
    identifier,
    ...scopes.filter((name) => names.includes(name)).map((name) => `${identifier}#${name}`),
  ]
  return [...names.filter(isOidc), ...resources.flatMap(ofResource)]
}

interface DescribedResource {
  name: string
  scopes: readonly { name: string; description: string | null }[]
}

export interface ConsentLine {
  /** `null` where the request names a resource server but none of its scopes. */
  scope: string | null
  description: string | null
  resource_server_name: string | null
  /** The person can do it now. */
  given: boolean
}

/**
 * The lines of the consent page. `offline_access` is the last one, because it applies to all others.
 * @param given the part of the scope that the roles of the person give
 */
export function consentLines(scope: string, resources: readonly DescribedResource[], given: readonly string[]): ConsentLine[] {
  const names = scopeNames(scope)
  const ofResource = (resource: DescribedResource): ConsentLine[] => {
    const asked = resource.scopes.filter(({ name }) => names.includes(name))
    const none = { name: null, description: null }
    return (asked.length === 0 ? [none] : asked).map(({ name, description }) => ({
      scope: name,
      description,
      resource_server_name: resource.name,
      given: name === null || given.includes(name),
    }))
  }
  const own = names.filter(isOidc).map((name) => ({ scope: name, description: null, resource_server_name: null, given: true }))
  const keepsAll = ({ scope }: ConsentLine) => scope === 'offline_access'
  return [...own.filter((line) => !keepsAll(line)), ...resources.flatMap(ofResource), ...own.filter(keepsAll)]
}
