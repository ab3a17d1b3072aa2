// pure
/** What an access token is for: the resource servers in its audience, and what follows from them. */
import type { ResourceServer } from '@ostiary/contract/resource-server.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import { OAuthError } from './oauth-error.ts'
import { scopeNames } from './scope.ts'

type Audience = Pick<ResourceServer, 'identifier' | 'access_token_ttl_seconds' | 'access_token_format'> & {
  scopes: readonly { name: string }[]
}

interface Policy {
  /** Those resource servers of the grant that still exist. */
  audiences: readonly Audience[]
  /** Of the application, as they are now. */
  allowed_scopes: readonly string[]
  /** Of the environment, as they are now. */
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
 * The target of the access token that a grant gives now. `requested` are the values of `resource` in the token request.
 *
 * RFC 8707 §2.2: a token request may name some of the granted resources, for this token only; without any it is for
 *                all of them. One that was not granted is invalid_target, and so is one that is no more
 * RFC 8707 §2:   the scope is cut down to what the resources have; what is left is told (RFC 6749 §5.1)
 * We choose:     where no resource is named, those that are no more are left out; a scope that the application or the
 *                environment has lost is left out as well (docs/decisions/0013-resource-servers.md)
 */
export function targetOf(grant: { scope: string; resource: readonly string[] }, requested: readonly string[], policy: Policy): TokenTarget {
  const beyond = requested.find((identifier) => !grant.resource.includes(identifier))
  if (beyond !== undefined) throw new OAuthError('invalid_target', `The resource ${beyond} was not granted.`)
  const named = requested.length === 0 ? grant.resource : requested
  const audiences = named.flatMap((identifier) => policy.audiences.find((audience) => audience.identifier === identifier) ?? [])
  const gone = requested.find((identifier) => audiences.every((audience) => audience.identifier !== identifier))
  if (gone !== undefined) throw new OAuthError('invalid_target', `There is no resource server ${gone} any more.`)

  const { allowed_scopes, disabled_scopes, tokens } = policy
  const offered = new Set<string>([...oidcScopes, ...audiences.flatMap(({ scopes }) => scopes.map(({ name }) => name))])
  const scope = scopeNames(grant.scope).filter(
    (name) => offered.has(name) && allowed_scopes.includes(name) && !disabled_scopes.includes(name),
  )
  if (scope.length === 0) throw new OAuthError('invalid_scope', 'Nothing of this scope belongs to the resources of the token.')
  return { resource: audiences.map(({ identifier }) => identifier), scope: scope.join(' '), ...kindOf(audiences, tokens) }
}

/** Several resource servers have to agree: none sees a token that lives longer than it wants, or that it cannot read. */
function kindOf(audiences: readonly Audience[], own: Policy['tokens']): Pick<TokenTarget, 'ttl_seconds' | 'format'> {
  if (audiences.length === 0) return { ttl_seconds: own.access_token_ttl_seconds, format: own.access_token_format }
  return {
    ttl_seconds: Math.min(...audiences.map((audience) => audience.access_token_ttl_seconds ?? own.access_token_ttl_seconds)),
    format: audiences.some((audience) => audience.access_token_format === 'jwt') ? 'jwt' : 'opaque',
  }
}
