/** Explains an authorization request that was refused for its resource or its scope, by the resource servers of the environment. */
import { nearest } from '../../../base/nearest.ts'
import { oneOf, reason } from '../../../base/reason.ts'
import { refusedValue } from '../../../base/refusal.ts'
import { findNamed, type Named } from '../../../resource-servers/store.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import type { RequestParameters } from '../../protocol/parameters.ts'
import { scopeNames } from '../../protocol/scope.ts'

/** In characters. Comparing two texts takes time by the product of their lengths. */
const longest_compared = 200

/** A mistyped resource gets its nearest identifier in the refused call only; a scope without its resource server names it in the answer too. */
export async function explainTarget(
  { db }: OidcServices,
  { issuer }: OidcCall,
  { values, lists }: RequestParameters,
  error: OAuthError,
): Promise<OAuthError> {
  if (error.code !== 'invalid_target' && error.code !== 'invalid_scope') return error
  const servers = await findNamed(db, issuer.environment_id)
  const requested = lists.resource ?? []
  return error.code === 'invalid_target'
    ? withNearest(error, requested, servers)
    : withOwner(error, scopeNames(values.scope ?? ''), requested, servers)
}

function withNearest(error: OAuthError, requested: readonly string[], servers: readonly Named[]): OAuthError {
  const identifiers = servers.map(({ identifier }) => identifier).filter(({ length }) => length <= longest_compared)
  const unknown = requested.find((sent) => !identifiers.includes(sent)) ?? ''
  const near = unknown.length <= longest_compared ? nearest(unknown, identifiers) : null
  if (near === null) return error
  return new OAuthError<string>(error.code, error.message, {
    reason: reason`${error.reason} The nearest is ${oneOf(identifiers, near, '…')}`,
    refused: error.refused,
  })
}

function withOwner(error: OAuthError, names: readonly string[], requested: readonly string[], servers: readonly Named[]): OAuthError {
  for (const { identifier, scopes } of servers) {
    const name = names.find((each) => scopes.some((scope) => scope.name === each))
    if (name === undefined || requested.includes(identifier)) continue
    return new OAuthError(error.code, `The scope ${name} belongs to the resource server ${identifier}: send its identifier as resource.`, {
      reason: reason`The scope ${oneOf(names, name, '…')} belongs to the resource server ${oneOf([identifier], identifier, '…')}, which the request does not name as resource.`,
      refused: refusedValue('scope', name),
    })
  }
  return error
}
