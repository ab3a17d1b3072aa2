// pure
import type { Remedy } from '@ostiary/contract/refused-call.ts'
import { type AuthorizationPolicy, judgeAuthorizationRequest } from './authorize.ts'
import type { Client } from './client.ts'
import type { RequestParameters } from './parameters.ts'

/** From the one that gives up least. */
const changes = [
  { unknown_scopes: 'ignore' },
  { nonce_replaces_pkce: true },
  { unknown_scopes: 'ignore', nonce_replaces_pkce: true },
  { require_pkce: false },
  { unknown_scopes: 'ignore', require_pkce: false },
] as const satisfies readonly Remedy[]

/**
 * The smallest change of the application with which a refused authorization request proceeds; `null` where none does. The rules themselves
 * decide, so a request with another mistake has none, and no request of a public client can be let through without PKCE.
 *
 * Anybody can send such a request in the name of the application. The change is made by a developer alone, who reads that.
 */
export const remedyOf = (parameters: RequestParameters, client: Client, policy: AuthorizationPolicy): Remedy | null =>
  changes.find((change) => judgeAuthorizationRequest(parameters, { ...client, ...change }, policy).kind === 'proceed') ?? null
