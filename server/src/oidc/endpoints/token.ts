/** The token endpoint (RFC 6749 §3.2): exchanges a code, or a refresh token, for tokens. */
import { findClient } from '../../applications/store.ts'
import { guard } from '../../db/db.ts'
import { newSecret } from '../../deployment.ts'
import { digestOf } from '../../digest.ts'
import { insertEvent } from '../../events/store.ts'
import { findAudiences } from '../../resource-servers/store.ts'
import { opaque_prefix } from '../access-token.ts'
import { header, json, type OidcCall, type OidcEndpoint, type OidcServices } from '../call.ts'
import { accessTokenClaims, idTokenClaims, userClaims } from '../protocol/claims.ts'
import type { Client } from '../protocol/client.ts'
import { checkClient, readClientCredentials } from '../protocol/client-auth.ts'
import { checkCodeRedemption } from '../protocol/code-grant.ts'
import { currentKey } from '../protocol/key-states.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { type RequestParameters, readParameters, requireParameter } from '../protocol/parameters.ts'
import { checkRefresh, expiryOfRefreshToken } from '../protocol/refresh-grant.ts'
import { includesScope } from '../protocol/scope.ts'
import { type TokenTarget, targetOf } from '../protocol/token-target.ts'
import { signJwt } from '../signing-keys.ts'
import {
  endGrant,
  findCode,
  findRefreshToken,
  type GrantRow,
  type NewTokens,
  type RefreshRow,
  redeemCode,
  rotateRefreshToken,
  storeOpaqueToken,
} from '../store/grants.ts'

export const token: OidcEndpoint = async (parts, call) => {
  const parameters = readForm(call)
  const { grant_type = '' } = parameters.values
  const grant = Object.hasOwn(grants, grant_type) ? grants[grant_type] : undefined
  if (grant) {
    const answer = await grant(parts, call, parameters)
    parts.counters.count(call.issuer.environment_id, 'token', grant_type)
    return json(200, answer)
  }
  await authenticateClient(parts, call, parameters)
  requireParameter(parameters, 'grant_type')
  throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
}

const grants: Record<string, typeof exchangeCode> = { authorization_code: exchangeCode, refresh_token: refresh }

/** RFC 6749 §3.2, RFC 7009 §2.1: form-encoded bodies only. */
export function readForm(call: OidcCall): RequestParameters {
  if (!call.form) throw new OAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded in the body.')
  return readParameters(call.form)
}

export async function authenticateClient(parts: OidcServices, call: OidcCall, parameters: RequestParameters): Promise<Client> {
  const credentials = readClientCredentials(header(call, 'authorization'), parameters)
  const verdict = checkClient(await findClient(parts.db, call.issuer.environment_id, credentials.client_id), credentials)
  if (verdict.kind === 'verify_assertion')
    await (await import('../client-assertion.ts')).verifyAssertion(parts, call, verdict.client, verdict.client_assertion)
  return verdict.client
}

/** The client, and what it presents. They are looked up at once; who the client is, is judged before anything else. */
async function readPresented<T>(
  parts: OidcServices,
  call: OidcCall,
  parameters: RequestParameters,
  name: 'code' | 'refresh_token',
  find: (db: OidcServices['db'], environment_id: OidcCall['issuer']['environment_id'], digest: string) => Promise<T | null>,
): Promise<{ client: Client; presented: string; found: T | null }> {
  const sent = parameters.values[name]
  const [client, found] = await Promise.all([
    authenticateClient(parts, call, parameters),
    sent === undefined ? null : find(parts.db, call.issuer.environment_id, digestOf(sent)),
  ])
  return { client, presented: requireParameter(parameters, name), found }
}

async function exchangeCode(parts: OidcServices, call: OidcCall, parameters: RequestParameters) {
  const { db } = parts
  const { issuer, now } = call
  const { client, found: code } = await readPresented(parts, call, parameters, 'code', findCode)
  if (!code) throw new OAuthError('invalid_grant', 'The code is unknown or has expired.')
  if (code.spent_by !== null && code.client_id === client.client_id) throw await reused(parts, call, code, 'authorization_code')
  checkCodeRedemption(
    code,
    client.client_id,
    { redirect_uri: parameters.values.redirect_uri, code_verifier: parameters.values.code_verifier },
    now,
  )
  if (code.grant_ended_at !== null || code.blocked_at !== null)
    throw new OAuthError('invalid_grant', 'The sign-in behind the code has ended.')

  const target = await findTarget(parts, call, client, code, parameters)
  const refresh_token = includesScope(target.scope, 'offline_access') ? newSecret(parts) : null
  const prepared = prepareTokens(parts, call, code, target, refresh_token)
  const [redeemed, answer] = await together(
    redeemCode(db, issuer.environment_id, code, call.request_id, prepared.rows),
    completeTokens(call, code, prepared, { nonce: code.nonce, refresh_token }),
  )
  if (!redeemed) throw await reused(parts, call, code, 'authorization_code')
  return answer
}

/**
 * The disk and the processor work at once: what is written for one request is committed together with what others wrote
 * while this one was signing. What was signed for a code that is spent is told to nobody.
 */
async function together<T>(written: () => Promise<boolean>, signing: Promise<T>): Promise<[boolean, T]> {
  try {
    const signed = await signing
    return [await written(), signed]
  } catch (error) {
    await written()
    throw error
  }
}

async function refresh(parts: OidcServices, call: OidcCall, parameters: RequestParameters) {
  const { db } = parts
  const { issuer, now } = call
  const { tokens } = issuer.settings
  const { client, presented, found: row } = await readPresented(parts, call, parameters, 'refresh_token', findRefreshToken)
  if (!row) throw new OAuthError('invalid_grant', 'The refresh token is unknown or has expired.')

  const may_stay = client.allowed_scopes.includes('offline_access') && !issuer.settings.scopes.disabled.includes('offline_access')
  const judge = (token: RefreshRow) =>
    checkRefresh(
      token,
      client.client_id,
      { scope: parameters.values.scope },
      { now, refresh_retry_window_seconds: tokens.refresh_retry_window_seconds, may_stay },
    )
  let verdict = judge(row)
  if (verdict.kind === 'rotate') {
    // A successor is derived only where a retry may have to get the same one again: digests are all that is kept.
    const successor = tokens.refresh_retry_window_seconds > 0 ? successorOf(parts, issuer.environment_id, presented) : newSecret(parts)
    const target = await findTarget(parts, call, client, { ...row, scope: verdict.scope }, parameters)
    const prepared = prepareTokens(parts, call, row, target, successor)
    const [rotated, answer] = await together(
      rotateRefreshToken(db, issuer.environment_id, row, call.request_id, prepared.rows, now),
      completeTokens(call, row, prepared, { nonce: null, refresh_token: successor }),
    )
    if (rotated) return answer
    // Somebody else was faster with the same token: judge it as it is now.
    const again = await findRefreshToken(db, issuer.environment_id, digestOf(presented))
    if (!again || again.spent_at === null) throw new OAuthError('invalid_grant', 'The refresh token has been revoked.')
    verdict = judge(again)
  }
  if (verdict.kind === 'repeat') {
    const successor = successorOf(parts, issuer.environment_id, presented)
    const given = await findRefreshToken(db, issuer.environment_id, digestOf(successor))
    if (given && given.spent_at === null) {
      const target = await findTarget(parts, call, client, { ...row, scope: verdict.scope }, parameters)
      const prepared = prepareTokens(parts, call, row, target, null)
      await storeOpaqueToken(db, issuer.environment_id, row.grant_id, prepared.rows)
      return completeTokens(call, row, prepared, { nonce: null, refresh_token: successor })
    }
  }
  throw await reused(parts, call, row, 'refresh_token')
}

/**
 * RFC 6749 §4.1.2, RFC 9700 §4.14.2: a spent code or refresh token that comes back means that a copy of it exists, so its grant
 * ends. Of parallel replays only the one that ends the grant raises the event.
 */
async function reused(
  parts: OidcServices,
  call: OidcCall,
  row: GrantRow,
  presented: 'authorization_code' | 'refresh_token',
): Promise<OAuthError> {
  const { issuer, now, request_id } = call
  const origin = { id: parts.newId('evt'), actor: { type: 'application' as const, id: row.client_id }, request_id }
  const event = {
    type: 'token.reuse_detected' as const,
    user_id: row.user_id,
    application_id: row.client_id,
    data: { grant_id: row.grant_id, presented },
  }
  await parts.db.batch([
    guard(endGrant(issuer.environment_id, row.grant_id, `${presented}_reused`, now)),
    insertEvent(issuer.environment_id, origin, event, now),
  ])
  const what = presented === 'refresh_token' ? 'refresh token' : 'code'
  return new OAuthError('invalid_grant', `The ${what} was used before. All tokens of its grant are revoked.`)
}

/** Unguessable, since the key never leaves the service, and the same at every retry. */
function successorOf({ secrets }: OidcServices, environment_id: string, refresh_token: string): string {
  return secrets.mac('refresh-successor', `${environment_id}.${refresh_token}`).toString('base64url')
}

/** What the access token is for: all resource servers of the grant, or those of them that the request names. */
async function findTarget(
  { db }: OidcServices,
  { issuer }: OidcCall,
  client: Client,
  grant: Pick<GrantRow, 'scope' | 'resource'>,
  parameters: RequestParameters,
): Promise<TokenTarget> {
  const audiences = await findAudiences(db, issuer.environment_id, grant.resource)
  return targetOf(grant, parameters.lists.resource ?? [], {
    audiences,
    allowed_scopes: client.allowed_scopes,
    disabled_scopes: issuer.settings.scopes.disabled,
    tokens: issuer.settings.tokens,
  })
}

interface Prepared {
  claims: ReturnType<typeof accessTokenClaims>
  /** An opaque access token; `null` where it is a JWT, which is signed while the rows are written. */
  opaque: string | null
  rows: NewTokens
}

function prepareTokens(parts: OidcServices, call: OidcCall, grant: GrantRow, target: TokenTarget, refresh_token: string | null): Prepared {
  const { issuer, now } = call
  const { tokens } = issuer.settings
  const claims = accessTokenClaims(issuer.url, grant, { jti: parts.random(16).toString('base64url'), ...target }, now)
  const opaque = target.format === 'opaque' ? opaque_prefix + newSecret(parts) : null
  return {
    claims,
    opaque,
    rows: {
      refresh:
        refresh_token === null
          ? null
          : { token_hash: digestOf(refresh_token), expires_at: expiryOfRefreshToken(now, grant.grant_created_at, tokens) },
      opaque: opaque === null ? null : { token_hash: digestOf(opaque), claims, expires_at: new Date(claims.exp * 1000) },
    },
  }
}

/** The ID token carries a digest of the access token, so it is signed second (OIDC Core §3.1.3.6). */
async function completeTokens(
  { issuer, now }: OidcCall,
  grant: GrantRow,
  { claims, opaque }: Prepared,
  { nonce, refresh_token }: { nonce: string | null; refresh_token: string | null },
) {
  const { tokens } = issuer.settings
  const { scope } = claims
  const key = currentKey(issuer.keys, now)
  const access_token = opaque ?? (await signJwt(key, 'at+jwt', claims))
  const about = tokens.id_token_claims === 'full' ? userClaims(grant, scope) : null
  const id_token = includesScope(scope, 'openid')
    ? await signJwt(
        key,
        'JWT',
        idTokenClaims(issuer.url, grant, { claims: about, nonce, access_token, ttl_seconds: tokens.id_token_ttl_seconds }, now),
      )
    : null
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: claims.exp - claims.iat,
    scope,
    ...(refresh_token === null ? {} : { refresh_token }),
    ...(id_token === null ? {} : { id_token }),
  }
}
