/** A request that a client sends itself, to the token or revocation endpoint: its parameters and the authentication of its client. */
import { type Client, sentIdOf } from '../protocol/client.ts'
import { type ClientCredentials, checkClient, readClientCredentials } from '../protocol/client-auth.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { type RequestParameters, readParameters } from '../protocol/parameters.ts'
import { header, type OidcCall, type OidcServices } from './call.ts'
import { explainUnknownClient } from './elsewhere.ts'
import { findSentClient } from './metadata-client.ts'

declare const authenticated: unique symbol

/** A client that proved its identity. Only `authenticateClient` makes one, so a function that takes one cannot run before. */
export type AuthenticatedClient = Client & { readonly [authenticated]: true }

/** RFC 6749 §3.2, RFC 7009 §2.1: the body is form-encoded. */
export function readClientRequest({ form }: OidcCall): RequestParameters {
  if (!form) throw new OAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded in the body.')
  return readParameters(form)
}

/** @throws OAuthError `invalid_client` where the client is unknown or does not prove its identity by its own method */
export async function authenticateClient(
  services: OidcServices,
  call: OidcCall,
  parameters: RequestParameters,
): Promise<AuthenticatedClient> {
  const credentials = readClientCredentials(header(call, 'authorization'), parameters)
  const client = await findSentClient(services, call, credentials.client_id)
  call.subject.client_id = client === null ? null : sentIdOf(client)
  const verdict = client ? checkClient(client, credentials, call.now) : await refuseUnknown(services, call, credentials)
  if (verdict.kind === 'verify_assertion') {
    const { verifyAssertion } = await import('./client-assertion.ts') // loads `jose`, which most services do not need
    await verifyAssertion(services, call, verdict.client, verdict.client_assertion)
  } else if (verdict.secret !== null) services.secret_uses.note(call.issuer.environment_id, verdict.secret.id, call.now)
  return verdict.client as AuthenticatedClient // as: both verdicts are proved here
}

/** Tells the developers where the application belongs to another environment of the project. Only Test tells the caller. */
async function refuseUnknown({ db }: OidcServices, { issuer, now }: OidcCall, credentials: ClientCredentials): Promise<never> {
  try {
    checkClient(null, credentials, now)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const explained = await explainUnknownClient(db, issuer, error, credentials.client_id)
    if (issuer.type === 'test') throw explained
    const { code, message, used_header } = error
    throw new OAuthError<string>(code, message, { used_header, reason: explained.reason })
  }
  throw new Error('An unknown client was not refused.')
}
