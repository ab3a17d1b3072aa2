// pure
/** The parameters of an authorization request that have their own rules. Each function throws the error to send to the client. */
import type { OrganizationUse } from '@ostiary/contract/objects/organization-use.ts'
import { oneOf, type Reason, reason } from '../base/reason.ts'
import { refusedValue } from '../base/refusal.ts'
import { claimsOfScope } from './claims.ts'
import type { Client } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import { isScopeToken, mayRequest, scopeNames, scopesWithoutServer } from './scope.ts'

export const promptValues = ['none', 'login', 'consent', 'select_account', 'create'] as const
export type Prompt = (typeof promptValues)[number]

/** A resource server, as a request is judged by it. */
export interface Resource {
  identifier: string
  scopes: readonly string[]
  /** The claim of its access tokens that has the roles of the person. */
  roles_claim?: string | null
  /** Whether its access tokens carry the data of the user and the organization. */
  data_claims?: boolean
  /** Whether people act for an organization at it. */
  organizations?: OrganizationUse
  /** Whether clients that nobody registered may ask for its access tokens. */
  allow_metadata_clients?: boolean
}

/** We choose: an access token for more audiences would not fit into a header. */
export const most_resources = 20

/**
 * The identifier without the slash that `resource` may add to it: RFC 3986 §6.2.3 makes an origin and its root path one URI, and libraries write
 * either. `null` for any other value.
 */
function originWithSlash(sent: string): string | null {
  const origin = sent.slice(0, -1)
  return sent.endsWith('/') && URL.canParse(origin) && new URL(origin).origin === origin ? origin : null
}

/** The identifiers by which `resource` can be registered, the one that counts first. */
export function spellingsOf(sent: string, openid_optional: boolean): string[] {
  const origin = openid_optional ? originWithSlash(sent) : null
  return origin === null ? [sent] : [sent, origin]
}

/** The resource server that `resource` names, by an identifier that is exactly the same before one without a slash. */
export const findResource = <R extends { identifier: string }>(
  sent: string,
  known: readonly R[],
  openid_optional: boolean,
): R | undefined =>
  spellingsOf(sent, openid_optional)
    .map((identifier) => known.find((candidate) => candidate.identifier === identifier))
    .find((found) => found !== undefined)

/**
 * RFC 8707 §2: a resource is an absolute URI without fragment that this server knows, else invalid_target.
 * Identifiers are compared as exact strings. We choose: where openid is optional, one that is only an origin is also found with a slash.
 */
export function readResource(requested: readonly string[], known: readonly Resource[], openid_optional: boolean): Resource[] {
  if (requested.length > most_resources) throw new OAuthError('invalid_target', `Ask for at most ${most_resources} resources at once.`)
  const found = requested.map((identifier) => {
    const resource = findResource(identifier, known, openid_optional)
    if (!resource)
      throw new OAuthError('invalid_target', `No resource server has the identifier ${identifier}`, {
        reason: reason`No resource server of the environment has the identifier that the request sent as resource.`,
        refused: refusedValue('resource', identifier),
      })
    return resource
  })
  return [...new Set(found)]
}

/**
 * RFC 8707 §2: invalid_target. We choose: a client that nobody registered asks for at least one resource server, and only for those that let such
 * clients in (decision 0183).
 */
export function refuseClosedTargets(resources: readonly Resource[]): void {
  if (resources.length === 0)
    throw new OAuthError('invalid_target', 'A client with a metadata document names a resource server as resource.')
  if (resources.some(({ allow_metadata_clients = false }) => !allow_metadata_clients))
    throw new OAuthError('invalid_target', 'A resource server of the request lets in no client with a metadata document.')
}

/**
 * In characters. We choose: an access token is shorter than 16,384 characters with everything else in it. The client library
 * accepts no longer one, and Node by default no longer header.
 */
const longest_target = 10_000
/** The same where a token also has the roles of the person, up to 25 of 63 characters, or data of two objects of 1,024 bytes. */
export const longest_target_with_claims = 6_500

/** In characters: what an access token contains of its resources and scope. */
export const widthOf = (resources: readonly Pick<Resource, 'identifier'>[], scope: string): number =>
  resources.reduce((sum, { identifier }) => sum + identifier.length, scope.length)

/**
 * RFC 8707 §2: invalid_target where one access token cannot contain all resources and scopes of the request. We choose: invalid_scope where it
 * could without the roles and the data of the person.
 */
export function refuseTooWide(resources: readonly Resource[], scope: string, client: Pick<Client, 'roles_claim' | 'data_claims'>): void {
  const length = widthOf(resources, scope)
  const has_claims = [client, ...resources].some(({ roles_claim = null, data_claims = false }) => roles_claim !== null || data_claims)
  if (has_claims && length > longest_target_with_claims && length <= longest_target)
    throw new OAuthError(
      'invalid_scope',
      `Where tokens have roles or data, the identifiers of the resources and the scope have at most ${longest_target_with_claims} characters together.`,
    )
  if (length > longest_target)
    throw new OAuthError(
      'invalid_target',
      `The identifiers of the resources and the scope have more than ${longest_target} characters together.`,
    )
}

/** We choose: a request with more unknown scopes is refused, so that one look-up decides which of them other resource servers have. */
export const most_unknown_scopes = 20

/** The scopes of a request that neither OpenID Connect nor a requested resource server has, nor this client without one. */
export function unknownScopes(scope: string | undefined, client: Pick<Client, 'roles_claim'>, resources: readonly Resource[]): string[] {
  const known = knownScopes(client, resources)
  return scopeNames(scope ?? '').filter((name) => !known.has(name) && isScopeToken(name))
}

const knownScopes = (client: Pick<Client, 'roles_claim'>, resources: readonly Resource[]) =>
  new Set<string>([...scopesWithoutServer(client), ...resources.flatMap(({ scopes }) => scopes)])

interface ScopePolicy {
  disabled_scopes: readonly string[]
  /** The unknown scopes that other resource servers of the environment have. Without it no scope is left out. */
  scopes_elsewhere?: readonly string[] | undefined
  /** The setting of the environment. */
  openid_optional?: boolean
}

/** The claims that these scopes give are in ID tokens and at UserInfo, and neither is there without openid. */
const needs_openid: readonly string[] = Object.keys(claimsOfScope)

/**
 * RFC 6749 §3.3: there is no default scope, so a missing scope is invalid_scope; so is an unknown name, and a word with characters that
 *                no scope has, which `unknown_scopes` does not let pass
 * OIDC Core §3.1.2.1: a request without openid is not an OpenID Connect request. We choose: invalid_scope, as for a missing scope. Where openid is
 *                     optional, a request with a resource is one of OAuth alone: a missing scope is then no scope, and none is added
 * OIDC Core §3.1.2.1: a scope that is not understood should be ignored. We choose: only where the application says so, and only a name that
 *                     nothing in the environment has
 * A scope of a resource server is known only together with its `resource`.
 */
export function readScope(
  scope: string | undefined,
  client: Pick<Client, 'allowed_scopes' | 'unknown_scopes' | 'roles_claim'>,
  { disabled_scopes, scopes_elsewhere, openid_optional = false }: ScopePolicy,
  resources: readonly Resource[],
): string {
  const refuse = (description: string, why: Reason, name: string) =>
    new OAuthError('invalid_scope', description, { reason: why, refused: refusedValue('scope', name) })
  const malformed = scopeNames(scope ?? '').find((name) => !isScopeToken(name))
  if (malformed !== undefined)
    throw refuse(
      'scope has a word with characters that no scope has (RFC 6749 §3.3).',
      reason`scope has a word with characters that no scope has (RFC 6749 §3.3).`,
      malformed,
    )
  const known = knownScopes(client, resources)
  const of_servers = new Set(resources.flatMap(({ scopes }) => scopes))
  const is_left_out = (name: string) => client.unknown_scopes === 'ignore' && !known.has(name) && scopes_elsewhere?.includes(name) === false
  const sent = scopeNames(scope ?? '')
  const kept = sent.filter((name) => !is_left_out(name))
  const may_lack_openid = openid_optional && resources.length > 0
  if (!kept.includes('openid') && !may_lack_openid)
    throw refuse('scope must include openid.', reason`scope must include openid.`, scope ?? '')
  // A response cannot say that nothing is left of a scope (RFC 6749 §3.3), so it is refused.
  const names = kept.length === 0 ? sent : kept

  for (const name of names) {
    const shown = oneOf(known, name, 'that was sent')
    if (!known.has(name))
      throw refuse(
        `The scope ${name} is not known here.`,
        reason`The request has a scope that is neither of OpenID Connect nor of a requested resource server.`,
        name,
      )
    if (disabled_scopes.includes(name))
      throw refuse(`The scope ${name} is disabled in this environment.`, reason`The scope ${shown} is disabled in this environment.`, name)
    if (!mayRequest(client, name, of_servers))
      throw refuse(
        `The scope ${name} is not allowed for this application.`,
        reason`The scope ${shown} is not in allowed_scopes of the application.`,
        name,
      )
    if (needs_openid.includes(name) && !names.includes('openid'))
      throw refuse(`The scope ${name} needs openid.`, reason`The scope ${shown} needs openid.`, name)
  }
  return names.join(' ')
}

/**
 * RFC 7636 §4.3:      a challenge without method means `plain`, which is refused
 * RFC 7636 §4.2:      S256 is 43 characters of base64url
 * RFC 7636 §4.4.1:    a required challenge that is missing is invalid_request
 * RFC 9700 §2.1.1:    public clients always use PKCE; the nonce of a confidential client can take its place, in a request with openid:
 *                     without an ID token nobody compares it
 */
export function readCodeChallenge(
  challenge: string | undefined,
  method: string | undefined,
  nonce: string | undefined,
  client: Client,
): string | undefined {
  const refuse = (description: Reason) => new OAuthError('invalid_request', description)

  if (challenge === undefined) {
    if (method !== undefined) throw refuse(reason`code_challenge_method was sent without code_challenge.`)
    const is_public = client.application_type !== 'web' || client.token_endpoint_auth_method === 'none'
    const nonce_counts = client.nonce_replaces_pkce && !is_public
    if ((client.require_pkce || is_public) && !(nonce_counts && nonce !== undefined))
      throw refuse(
        nonce_counts
          ? reason`code_challenge is missing, and so is a nonce: this application must send one of them.`
          : reason`code_challenge is missing: this application must use PKCE.`,
      )
    return undefined
  }
  if (method !== 'S256') throw refuse(reason`code_challenge_method must be S256.`)
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw refuse(reason`code_challenge must be the 43 base64url characters of a SHA-256 digest.`)
  return challenge
}

/**
 * OIDC Core §3.1.2.1: a list of known values; `none` is the only value where it is present
 * Initiating User Registration 1.0 §4.1: `create`
 */
export function readPrompt(prompt: string | undefined): Prompt[] {
  const prompts = scopeNames(prompt ?? '').map((word) => {
    const known = promptValues.find((value) => value === word)
    if (!known)
      throw new OAuthError('invalid_request', `prompt is a list of ${promptValues.join(', ')}.`, {
        reason: reason`prompt has an unknown value.`,
      })
    return known
  })
  if (prompts.includes('none') && prompts.length > 1)
    throw new OAuthError('invalid_request', 'prompt=none cannot be combined with other values.')
  return prompts
}

/** OIDC Core §3.1.2.1: max_age is a number of seconds. A greater one is read as the greatest safe integer. */
export function readMaxAge(max_age: string | undefined): number | undefined {
  if (max_age === undefined) return undefined
  if (!/^[0-9]+$/.test(max_age)) throw new OAuthError('invalid_request', 'max_age must be a whole number of seconds, 0 or more.')
  return Math.min(Number(max_age), Number.MAX_SAFE_INTEGER)
}

/** The time that `withoutSatisfied` wrote. Any other value is ignored, like an unknown parameter. */
export function readSignedInSince(milliseconds: string | undefined): Date | undefined {
  return /^[0-9]{1,15}$/.test(milliseconds ?? '') ? new Date(Number(milliseconds)) : undefined
}
