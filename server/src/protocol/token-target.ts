// pure
/** The target of an access token: the resource servers of its audience, and the scope, lifetime and format that follow from them. */
import type { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import type { SigningAlg } from '@ostiary/contract/signing-key.ts'
import { reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'
import { longest_target_with_claims, widthOf } from './requested.ts'
import { type Access, leavesNone, type RoleSet, scopeGiven } from './roles.ts'
import { mayRequest, scopeNames, scopesWithoutServer } from './scope.ts'

type Audience = Pick<
  ResourceServer,
  'identifier' | 'access_token_ttl_seconds' | 'access_token_format' | 'access_token_signing_alg' | 'roles_claim' | 'data_claims'
> & {
  scopes: readonly { name: string }[]
}

interface Policy {
  /** The resource servers of the grant that still exist. */
  audiences: readonly Audience[]
  /** The current ones of the application. */
  allowed_scopes: readonly string[]
  /** That of the application. */
  roles_claim: string | null
  access: Access
  /** The roles of the person. */
  held: RoleSet
  /** The current ones of the environment. */
  disabled_scopes: readonly string[]
  tokens: Pick<Settings['tokens'], 'access_token_ttl_seconds' | 'access_token_format'>
}

interface TargetedGrant {
  /** The scope of the grant, or the part of it that the request names. Empty where no scope was granted. */
  scope: string
  resource: readonly string[]
  /** The grant is of a request without openid: its tokens are for resource servers alone. */
  without_openid?: boolean
  /** A token of the client is always for a resource server. */
  needs_resource?: boolean
}

export interface TokenTarget {
  resource: readonly string[]
  scope: string
  ttl_seconds: number
  format: Settings['tokens']['access_token_format']
  /** The algorithm that signs the access token where it is a JWT and the environment has a key for it. */
  signing_alg: SigningAlg
  /** The claim of the access token that has the roles; `null`: none. */
  roles_claim: string | null
  /** Whether it carries the data of the user and the organization. */
  data_claims: boolean
  /** The names under which its resource servers expect roles. No data stands there, whether the token has roles or not. */
  reserved: readonly string[]
}

/**
 * The target of an access token that the grant issues now. `requested` are the values of `resource` in the token request.
 *
 * RFC 8707 §2.2: a token request may name some of the granted resources, for this token only; without any the token is for all of
 *                them. A resource that was not granted, or was deleted, is invalid_target
 * RFC 8707 §2:   the scope is reduced to the scopes of the resources; the response names the rest (RFC 6749 §5.1)
 * We choose:     a request without resource leaves out deleted ones, and scopes that the application or environment no longer
 *                allows are left out too (docs/decisions/0013-resource-servers.md). Where no resource server is left for a grant without openid,
 *                there is no audience: invalid_target
 */
export function targetOf(grant: TargetedGrant, requested: readonly string[], policy: Policy): TokenTarget {
  const beyond = requested.find((identifier) => !grant.resource.includes(identifier))
  if (beyond !== undefined)
    throw new OAuthError('invalid_target', `The resource ${beyond} was not granted.`, {
      reason: reason`The request names a resource that was not granted.`,
    })
  const named = requested.length === 0 ? grant.resource : requested
  const audiences = named.flatMap((identifier) => policy.audiences.find((audience) => audience.identifier === identifier) ?? [])
  const deleted = requested.find((identifier) => audiences.every((audience) => audience.identifier !== identifier))
  if (deleted !== undefined)
    throw new OAuthError('invalid_target', `The resource server ${deleted} was deleted.`, {
      reason: reason`The request names a resource server that was deleted.`,
    })

  if (audiences.length === 0 && (grant.without_openid || grant.needs_resource))
    throw new OAuthError('invalid_target', 'The resource servers of this grant were deleted.')

  const { disabled_scopes, tokens, access, held } = policy
  const of_servers = new Set(audiences.flatMap(({ scopes }) => scopes.map(({ name }) => name)))
  const offered = new Set([...scopesWithoutServer(policy), ...of_servers])
  const asked = scopeNames(grant.scope).filter(
    (name) => offered.has(name) && mayRequest(policy, name, of_servers) && !disabled_scopes.includes(name),
  )
  const has_no_scope = grant.without_openid === true && grant.scope === ''
  if (asked.length === 0 && !has_no_scope)
    throw new OAuthError('invalid_scope', 'No scope of this grant belongs to the resources of the token.')
  const resource = audiences.map(({ identifier }) => identifier)
  const given = scopeGiven(asked, resource, access, held)
  if (leavesNone(asked, given, of_servers))
    throw new OAuthError('invalid_scope', 'The roles of the person give none of the scopes of this token.')
  const scope = given.join(' ')
  const roles_claim = commonClaim(audiences)
  const data_claims = audiences.length > 0 && audiences.every((audience) => audience.data_claims)
  if ((roles_claim !== null || data_claims) && widthOf(audiences, scope) > longest_target_with_claims)
    throw new OAuthError(
      'invalid_scope',
      'The identifiers and scopes of the token leave no room for roles and data. Name some of the resources.',
    )
  const reserved = audiences.flatMap((audience) => audience.roles_claim ?? [])
  return { resource, scope, roles_claim, data_claims, reserved, ...kindOf(audiences, tokens) }
}

/** The name of the claim that all resource servers of a token agree on. */
const commonClaim = ([first, ...others]: readonly Audience[]): string | null =>
  first && others.every(({ roles_claim }) => roles_claim === first.roles_claim) ? first.roles_claim : null

/**
 * The lifetime, format and algorithm that suit every resource server: the shortest lifetime, a JWT where one of them needs it, and ES256 where all
 * of them say so, since every one accepts RS256 (RFC 9068 §2.1).
 */
function kindOf(audiences: readonly Audience[], own: Policy['tokens']): Pick<TokenTarget, 'ttl_seconds' | 'format' | 'signing_alg'> {
  if (audiences.length === 0) return { ttl_seconds: own.access_token_ttl_seconds, format: own.access_token_format, signing_alg: 'RS256' }
  return {
    ttl_seconds: Math.min(...audiences.map((audience) => audience.access_token_ttl_seconds ?? own.access_token_ttl_seconds)),
    format: audiences.some((audience) => audience.access_token_format === 'jwt') ? 'jwt' : 'opaque',
    signing_alg: audiences.every((audience) => audience.access_token_signing_alg === 'ES256') ? 'ES256' : 'RS256',
  }
}
