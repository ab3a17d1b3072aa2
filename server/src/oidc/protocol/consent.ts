// pure
/** What a person is asked to allow: the scopes of OpenID Connect as they are, those of resource servers one by one. */
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { scopeNames } from './scope.ts'

interface Resource {
  identifier: string
  scopes: readonly string[]
}

const isOidc = (name: string) => (oidcScopes as readonly string[]).includes(name) // as: comparing with any string

/**
 * What a request wants allowed, in words that can be kept: `openid`, `https://api.example.com` for a token that this API
 * takes, `https://api.example.com#orders:read` for a scope there. Two APIs may have a scope of the same name, and
 * allowing it at one must not allow it at the other. No identifier has a fragment, so no two of these words are alike.
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
  /** `null` where a resource server is asked for without any of its scopes. */
  scope: string | null
  description: string | null
  resource_server_name: string | null
}

/** The same as the consent page tells it, line by line; that all of it stays while the person is away comes last. */
export function consentLines(scope: string, resources: readonly DescribedResource[]): ConsentLine[] {
  const names = scopeNames(scope)
  const ofResource = (resource: DescribedResource): ConsentLine[] => {
    const asked = resource.scopes.filter(({ name }) => names.includes(name))
    const none = { name: null, description: null }
    return (asked.length === 0 ? [none] : asked).map(({ name, description }) => ({
      scope: name,
      description,
      resource_server_name: resource.name,
    }))
  }
  const own = names.filter(isOidc).map((name) => ({ scope: name, description: null, resource_server_name: null }))
  const keepsAll = ({ scope }: ConsentLine) => scope === 'offline_access'
  return [...own.filter((line) => !keepsAll(line)), ...resources.flatMap(ofResource), ...own.filter(keepsAll)]
}
