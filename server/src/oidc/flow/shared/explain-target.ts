/** Explains an authorization request that was refused for its resource or its scope, by the resource servers of the environment. */
import { nearest } from '../../../base/nearest.ts'
import { oneOf, reason } from '../../../base/reason.ts'
import { refusedValue } from '../../../base/refusal.ts'
import { findAlikeIdentifiers, type OwnedScope } from '../../../domain/resource-servers/store.ts'
import { OAuthError } from '../../../protocol/oauth-error.ts'
import type { RequestParameters } from '../../../protocol/parameters.ts'
import { findResource, most_resources } from '../../../protocol/requested.ts'
import type { OidcCall, OidcServices } from '../../call.ts'

/** In characters. Comparing two texts takes time by their lengths. */
const longest_compared = 200

interface Known {
  parameters: RequestParameters
  /** The resource servers of the request. */
  resources: readonly { identifier: string }[]
  /** The first unknown scopes of the request that other resource servers have. */
  elsewhere: readonly OwnedScope[]
}

/**
 * A mistyped resource gets an identifier near it in the refused call only; a scope without its resource server names it in the answer too. All
 * is found by indexes, whatever the number of resource servers, since anybody can send such a request.
 */
export async function explainTarget(
  { db }: OidcServices,
  { issuer: { environment_id, settings } }: OidcCall,
  { parameters, resources, elsewhere }: Known,
  error: OAuthError,
): Promise<OAuthError> {
  if (error.code === 'invalid_scope') return withOwner(error, elsewhere)
  const requested = parameters.lists.resource ?? []
  if (error.code !== 'invalid_target' || requested.length > most_resources) return error
  const mistyped = requested.find((sent) => findResource(sent, resources, settings.oauth.openid_optional) === undefined)
  if (mistyped === undefined || mistyped.length > longest_compared) return error
  const identifiers = (await findAlikeIdentifiers(db, environment_id, mistyped)).filter(({ length }) => length <= longest_compared)
  const near = nearest(mistyped, identifiers)
  if (near === null) return error
  return new OAuthError<string>(error.code, error.message, {
    reason: reason`${error.reason} An identifier near it is ${oneOf(identifiers, near, '…')}`,
    refused: error.refused,
  })
}

function withOwner(error: OAuthError, elsewhere: readonly OwnedScope[]): OAuthError {
  const [first] = elsewhere
  if (first === undefined) return error
  const { name, identifier } = first
  return new OAuthError(error.code, `The scope ${name} belongs to the resource server ${identifier}: send its identifier as resource.`, {
    reason: reason`The scope ${oneOf([name], name, '…')} belongs to the resource server ${oneOf([identifier], identifier, '…')}, which the request does not name as resource.`,
    refused: refusedValue('scope', name),
  })
}
