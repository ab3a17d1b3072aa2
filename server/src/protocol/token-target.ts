// pure
/** The target of an access token: the resource servers of its audience, and the scope, lifetime and format that follow from them. */
import type { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import { reason } from '../base/reason.ts'
import { OAuthError } from './oauth-error.ts'
import { scopeNames } from './scope.ts'

type Audience = Pick<ResourceServer, 'identifier' | 'access_token_ttl_seconds' | 'access_token_format'> & {
  scopes: readonly { name: string }[]
}

interface Policy {
  /** The resource servers of the grant that still exist. */
  audiences: readonly Audience[]
  /** The current ones of the application. */
  allowed_scopes: readonly string[]
  /** The current ones of the environment. */
  disabled_scopes: readonly string[]
  tokens: Pick<Settings['tokens'], 'access_token_ttl_seconds' | 'access_token_format'>
}

export interface TokenTarget {
  resource: readonly string[]
  scope: string
  ttl_seconds: number
  format: Settings['tokens']['access_token_format']
}

/**
 * The target of an access token that the grant issues now. `requested` are the values of `resource` in the token request.
 *
 * RFC 8707 §2.2: a token request may name some of the granted resources, for this token only; without any the token is for all of
 *                them. A resource that was not granted, or was deleted, is invalid_target
 * RFC 8707 §2:   the scope is reduced to the scopes of the resources; the response names the rest (RFC 6749 §5.1)
 * We choose:     a request without resource leaves out deleted ones, and scopes that the application or environment no longer
 *                allows are left out too (docs/decisions/0013-resource-servers.md)
 */
export function targetOf(grant: { scope: string; resource: readonly string[] }, requested: readonly string[], policy: Policy): TokenTarget {
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

  const { allowed_scopes, disabled_scopes, tokens } = policy
  const offered = new Set<string>([...oidcScopes, ...audiences.flatMap(({ scopes }) => scopes.map(({ name }) => name))])
  const scope = scopeNames(grant.scope).filter(
    (name) => offered.has(name) && allowed_scopes.includes(name) && !disabled_scopes.includes(name),
  )
  if (scope.length === 0) throw new OAuthError('invalid_scope', 'No scope of this grant belongs to the resources of the token.')
  return { resource: audiences.map(({ identifier }) => identifier), scope: scope.join(' '), ...kindOf(audiences, tokens) }
}

/** The lifetime and format that suit every resource server: the shortest lifetime, and a JWT where one of them needs it. */
function kindOf(audiences: readonly Audience[], own: Policy['tokens']): Pick<TokenTarget, 'ttl_seconds' | 'format'> {
  if (audiences.length === 0) return { ttl_seconds: own.access_token_ttl_seconds, format: own.access_token_format }
  return {
    ttl_seconds: Math.min(...audiences.map((audience) => audience.access_token_ttl_seconds ?? own.access_token_ttl_seconds)),
    format: audiences.some((audience) => audience.access_token_format === 'jwt') ? 'jwt' : 'opaque',
  }
}
