// pure
/** The consent that a request needs: the scopes of OpenID Connect, and the scopes of each resource server. */
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { isLoopback } from '../base/addresses.ts'
import { sha256 } from '../base/digest.ts'
import type { Client } from './client.ts'
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

/**
 * The word of a consent as it is stored. For a client that nobody registered it holds for the name that the client gives itself, for the hosts that
 * can get its answers, and for the origin of the redirect URI: after a change of these the person is asked again.
 */
export function wordFor(client: Pick<Client, 'name' | 'redirect_uris' | 'metadata'>, redirect_uri: string, word: string): string {
  return client.metadata ? `${markOf(client)}|${originOf(redirect_uri)}|${word}` : word
}

/** Of what a person has to see again before a consent counts: the name of the client, and the hosts that can get its answers. */
export function markOf({ name, redirect_uris }: Pick<Client, 'name' | 'redirect_uris'>): string {
  const hosts = [...new Set(redirect_uris.map((uri) => hostOf(uri)))].sort()
  return sha256(JSON.stringify([name, ...hosts]), 'base64url').slice(0, 22)
}

/** With a port that is not that of the scheme. A loopback address is taken without one, since it changes at each request. */
function hostOf(uri: string): string {
  const url = new URL(uri)
  return isLoopback(url) ? url.hostname : url.host
}

function originOf(redirect_uri: string): string {
  const url = new URL(redirect_uri)
  return `${url.protocol}//${hostOf(redirect_uri)}`
}

/** The words that are kept beside new ones: those of another name of the client, or other hosts, count for nothing any more. */
export const keptWords = (client: Pick<Client, 'name' | 'redirect_uris' | 'metadata'>, words: readonly string[]): readonly string[] =>
  client.metadata ? words.filter((word) => word.startsWith(`${markOf(client)}|`)) : words

/** The word of `consentWords` in a stored word of a client. */
export const wordIn = (stored: string): string => /^[A-Za-z0-9_-]{22}\|[^|]*\|(.*)$/.exec(stored)?.[1] ?? stored

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
