/**
 * The tokens of a dashboard session. They come from the token endpoint of the root issuer, which is called in this process with a client
 * assertion, and are kept sealed. The browser never gets one.
 */
import { z } from 'zod'
import { hour_ms } from '../../base/durations.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { readAccessToken } from '../../oidc/access-token.ts'
import type { OidcCall, OidcEndpoint, OidcServices } from '../../oidc/call.ts'
import type { Issuer, Issuers } from '../../oidc/issuer.ts'
import type { Root } from '../../setup/root.ts'
import { type DashboardClient, makeAssertion } from './client.ts'
import type { KeptTokens } from './store.ts'

export interface DashboardServices extends OidcServices {
  readonly issuers: Issuers
  readonly root: Root
  readonly client: DashboardClient
  /** The token endpoint. */
  readonly token: OidcEndpoint
}

/** Who asks, for the records of the token endpoint. */
export type Asking = Pick<OidcCall, 'ip' | 'request_id'>

const TokenResponse = z.object({ access_token: z.string(), refresh_token: z.string(), id_token: z.string() })
export type TokenResponse = z.infer<typeof TokenResponse>

const Kept = z.object({ access_token: z.string(), refresh_token: z.string() })
export type OpenedTokens = z.infer<typeof Kept>

export async function rootIssuer({ issuers, root }: DashboardServices): Promise<Issuer> {
  const issuer = await issuers.find(root.environment_id)
  if (!issuer) throw new Error('The root environment has no issuer.')
  return issuer
}

/** @throws OAuthError where the issuer refuses */
export async function requestTokens(
  services: DashboardServices,
  parameters: Record<string, string>,
  asking: Asking,
): Promise<TokenResponse> {
  const { client, token } = services
  const issuer = await rootIssuer(services)
  const form = new URLSearchParams({
    ...parameters,
    client_id: client.client_id,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: makeAssertion(services, client, issuer.url),
  })
  const answer = await token(services, {
    ...asking,
    issuer,
    method: 'POST',
    url: '',
    params: {},
    query: '',
    form,
    headers: {},
    now: services.now(),
    signal: () => new AbortController().signal, // nobody cancels this call
    subject: { client_id: null, user_id: null, event_id: null },
  })
  return TokenResponse.parse(JSON.parse(answer.body))
}

/** A session without a refresh ends after this time. */
const idle_ms = 12 * hour_ms
const refresh_after_ms = hour_ms
/** A token is replaced this long before it expires, so that the others can use it during a refresh. */
const early_ms = 60_000

/** The tokens as a session keeps them, with the id of their grant. */
export async function keepTokens(services: DashboardServices, session_hash: string, issued: TokenResponse, now: Date) {
  const claims = await readAccessToken(services, await rootIssuer(services), issued.access_token)
  if (!claims) throw new Error('The access token of the dashboard cannot be read.')
  const { access_token, refresh_token } = issued
  const until_ms = claims.exp * 1000
  const refresh_ms = Math.min(until_ms - Math.min(early_ms, (until_ms - now.getTime()) / 4), now.getTime() + refresh_after_ms)
  const kept: KeptTokens = {
    tokens: services.secrets.seal(JSON.stringify({ access_token, refresh_token }), associatedData(session_hash)),
    access_token_until: new Date(until_ms),
    refresh_at: new Date(refresh_ms),
    expires_at: new Date(now.getTime() + idle_ms),
  }
  return { kept, grant_id: claims.grant_id }
}

export function openTokens(
  { secrets }: Pick<DashboardServices, 'secrets'>,
  session: { session_hash: string; tokens: string },
): OpenedTokens {
  return Kept.parse(JSON.parse(secrets.unseal(session.tokens, associatedData(session.session_hash))))
}

const { associatedData } = sealed_columns.dashboard_sessions
