/** The tokens that a grant issues: the target of the access token, the rows to store, and the response. */
import type { Settings } from '@ostiary/contract/settings.ts'
import { digestOf } from '../../base/digest.ts'
import { newSecret } from '../../deployment/deployment.ts'
import { type Audience, findAudiences } from '../../domain/resource-servers/store.ts'
import type { GrantRow, NewTokens } from '../../domain/sessions/grants.ts'
import { isMetadataClient } from '../../domain/sessions/standing.ts'
import {
  accessTokenClaims,
  type DataClaims,
  dataClaims,
  idTokenClaims,
  no_data,
  organizationClaims,
  type RoleClaims,
  roleClaims,
  userClaims,
} from '../../protocol/claims.ts'
import { type Client, sentIdOf } from '../../protocol/client.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { refuseOtherOrganization } from '../../protocol/organization.ts'
import type { RequestParameters } from '../../protocol/parameters.ts'
import { refreshLifetimes } from '../../protocol/refresh-grant.ts'
import { findResource } from '../../protocol/requested.ts'
import { allowedScopes, includesScope } from '../../protocol/scope.ts'
import { type TokenTarget, targetOf } from '../../protocol/token-target.ts'
import { opaque_prefix } from '../access-token.ts'
import type { OidcCall, OidcServices } from '../call.ts'
import { es256SignerAt, type Signer, signerAt, signJwt } from '../jwt.ts'
import { dataFor, rolesAt } from '../person-roles.ts'

/** RFC 6749 §5.1, OIDC Core §3.1.3.3. */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  /** Absent where no scope was granted. */
  scope?: string
  refresh_token?: string
  id_token?: string
}

/** Claims with the roles of the person, and with the data of the user and the organization. */
interface ChosenClaims {
  roles: RoleClaims
  data: DataClaims
}

/** The target of the tokens of one request, with the claims of the access token that the tenant chose, and those of the ID token. */
export interface IssueTarget extends TokenTarget, ChosenClaims {
  of_id_token: ChosenClaims
  /** The ids of the resource servers. */
  server_ids: readonly string[]
}

/** Whether the grant is of an authorization request without openid. Its tokens are for resource servers alone. */
const isWithoutOpenid = ({ scope }: Pick<GrantRow, 'scope'>): boolean => !includesScope(scope, 'openid')

/**
 * The resource servers and scope of the access token: those of the grant, or those of them that the request names, as far as the roles of the
 * person give them now. `scope` is the part of that of the grant which the request names.
 */
export async function findTarget(
  { db }: OidcServices,
  { issuer }: OidcCall,
  grant: TargetedGrant,
  { client, parameters, scope = grant.scope }: { client: Client; parameters: RequestParameters; scope?: string },
): Promise<IssueTarget> {
  const { openid_optional } = issuer.settings.oauth
  const sent = parameters.lists.resource ?? []
  const granted = grant.resource.map((identifier) => ({ identifier }))
  // A value with a slash that was not granted as it is can be the identifier of another resource server.
  const other = sent.filter((value) => !grant.resource.includes(value) && findResource(value, granted, openid_optional))
  const [known, { access, held, slugs, keptOut, claims }] = await Promise.all([
    findAudiences(db, issuer.environment_id, [...grant.resource, ...other]),
    rolesAt(issuer, grant, client.client_id),
  ])
  const isOpen = ({ allow_metadata_clients }: Audience) => !client.metadata || allow_metadata_clients
  const audiences = known.filter((audience) => grant.resource.includes(audience.identifier) && isOpen(audience))
  const named = [...new Set(sent.map((value) => findResource(value, [...known, ...granted], openid_optional)?.identifier ?? value))]
  refuseOtherOrganization(grant, client, audiences, parameters)
  const kept_out = keptOut(named.length === 0 ? grant.resource : grant.resource.filter((identifier) => named.includes(identifier)))
  if (kept_out !== null) throw new OAuthError('invalid_grant', 'The person has no access to this application.', { reason: kept_out })
  const target = targetOf(
    { scope, resource: grant.resource, without_openid: isWithoutOpenid(grant), needs_resource: client.metadata !== undefined },
    named,
    {
      audiences,
      allowed_scopes: allowedScopes(client, audiences),
      roles_claim: client.roles_claim,
      access,
      held,
      disabled_scopes: issuer.settings.scopes.disabled,
      tokens: issuer.settings.tokens,
    },
  )
  const is_read = target.format === 'jwt' // nobody reads what is stored of an opaque token, and validation answers the present data
  return {
    ...target,
    roles: roleClaims(target.roles_claim, slugs),
    data: target.data_claims && is_read ? dataClaims(grant, target.reserved) : no_data,
    of_id_token: { roles: claims, data: dataFor(access, grant, client.client_id) },
    server_ids: audiences.filter(({ identifier }) => target.resource.includes(identifier)).map(({ id }) => id),
  }
}

type TargetedGrant = Pick<
  GrantRow,
  'scope' | 'resource' | 'role_ids' | 'organization_id' | 'organization_slug' | 'user_claims' | 'organization_claims'
>

/** A sign-in of a command line that is not used for this long ends. The settings can only shorten it. */
const command_line_idle_seconds = 12 * 3_600

/** Several processes of one program share a refresh token, and each of them refreshes. */
const shared_retry_seconds = 60

/** The settings of the tokens that this client gets. */
export function tokenSettings({ command_line_client_id }: OidcServices, { issuer }: OidcCall, client_id: string): Settings['tokens'] {
  const { tokens } = issuer.settings
  if (isMetadataClient(client_id))
    return { ...tokens, refresh_retry_window_seconds: Math.max(tokens.refresh_retry_window_seconds, shared_retry_seconds) }
  if (client_id !== command_line_client_id) return tokens
  return { ...tokens, refresh_token_idle_ttl_seconds: Math.min(tokens.refresh_token_idle_ttl_seconds, command_line_idle_seconds) }
}

interface PreparedTokens {
  signers: { access_token: Signer; id_token: Signer }
  claims: ReturnType<typeof accessTokenClaims>
  /** The client id that tokens have. */
  sent_id: string
  /** The access token where it is opaque; `null` where it is a JWT, which is signed while the rows are written. */
  opaque: string | null
  of_id_token: ChosenClaims
  /** When a refresh token expires that is issued now. */
  refresh_until: Date
  rows: NewTokens
}

/**
 * Everything that can fail before the rows are written, so that a failure spends neither code nor refresh token. After it only the
 * signatures are missing.
 */
export function prepareTokens(
  services: OidcServices,
  call: OidcCall,
  grant: GrantRow,
  { client, target, is_offline }: { client: Client; target: IssueTarget; is_offline: boolean },
): PreparedTokens {
  const { issuer, now } = call
  for (const id of target.server_ids) services.counters.count(issuer.environment_id, 'resource_server_use', id)
  const tokens = tokenSettings(services, call, grant.client_id)
  const jti = services.random(16).toString('base64url')
  const claims = accessTokenClaims(
    issuer.url,
    { ...grant, client_id: sentIdOf(client) },
    { jti, ...target, without_openid: isWithoutOpenid(grant) },
    now,
  )
  const opaque = target.format === 'opaque' ? opaque_prefix + newSecret(services) : null
  const access_until = new Date(claims.exp * 1000)
  const { expires_at: refresh_until, renewable_until } = refreshLifetimes(now, grant.grant_created_at, tokens)
  const id_token = signerAt(issuer.keys, now)
  return {
    // Until a key for ES256 signs, tokens are RS256, which every resource server accepts.
    signers: { id_token, access_token: (target.signing_alg === 'ES256' && es256SignerAt(issuer.es256_keys, now)) || id_token },
    claims,
    opaque,
    sent_id: sentIdOf(client),
    of_id_token: target.of_id_token,
    refresh_until,
    rows: {
      opaque: opaque === null ? null : { token_hash: digestOf(opaque), claims, expires_at: access_until },
      // A grant with a refresh token lasts until no renewal is possible, so that a refresh need not write the grant. The lifetime counts
      // whole: `exp` is in seconds, so the rest of a second differs from token to token.
      last_expires_at: is_offline
        ? new Date(Math.max(renewable_until.getTime(), now.getTime()) + (claims.exp - claims.iat) * 1000)
        : access_until,
    },
  }
}

/** Signs the tokens. The ID token contains a digest of the access token, so it is signed second (OIDC Core §3.1.3.6). */
export async function completeTokens(
  { issuer, now }: OidcCall,
  grant: GrantRow,
  { signers, claims, sent_id, opaque, of_id_token }: PreparedTokens,
  { nonce, refresh_token }: { nonce: string | null; refresh_token: string | null },
): Promise<TokenResponse> {
  const { tokens } = issuer.settings
  const { scope = '' } = claims
  const access_token = opaque ?? (await signJwt(signers.access_token, 'at+jwt', claims))
  const about =
    tokens.id_token_claims === 'full' ? { ...userClaims(grant, scope, issuer.settings.claims), ...organizationClaims(grant) } : null
  const id_token = includesScope(scope, 'openid')
    ? await signJwt(
        signers.id_token,
        'JWT',
        idTokenClaims(
          issuer.url,
          { ...grant, client_id: sent_id },
          { claims: about, nonce, access_token, ttl_seconds: tokens.id_token_ttl_seconds, ...of_id_token },
          now,
        ),
      )
    : null
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: claims.exp - claims.iat,
    ...(scope === '' ? {} : { scope }),
    ...(refresh_token === null ? {} : { refresh_token }),
    ...(id_token === null ? {} : { id_token }),
  }
}

/**
 * Writes and signs at the same time: the rows of this request are committed with those of other requests while its tokens are signed.
 * The tokens must not be sent where the write returned `false`.
 */
export async function together<T>(written: () => Promise<boolean>, signing: Promise<T>): Promise<[boolean, T]> {
  try {
    const signed = await signing
    return [await written(), signed]
  } catch (error) {
    await written()
    throw error
  }
}
