/** The `id_token_hint` of an authorization or sign-out request. */
import type { LogoutHint } from '../protocol/logout.ts'
import type { Issuer } from './issuer.ts'
import { verifyJwt } from './jwt.ts'

/**
 * The claims of an ID token that this issuer signed, `invalid` for any other text, `null` where no hint was sent.
 *
 * OIDC Core §3.1.2.1, RP-Initiated Logout 1.0 §2: an expired ID token is accepted. We choose: even after its key is no longer
 *                                                    published, for as long as a session can last
 */
export function readIdTokenHint(issuer: Issuer, id_token_hint: string | undefined): LogoutHint {
  if (id_token_hint === undefined) return null
  const claims = verifyJwt([...issuer.keys, ...issuer.erased_keys], 'JWT', id_token_hint)
  if (claims?.iss !== issuer.url || typeof claims.sub !== 'string' || typeof claims.aud !== 'string' || typeof claims.iat !== 'number')
    return 'invalid'
  return {
    sub: claims.sub,
    aud: claims.aud,
    iat: claims.iat,
    sid: typeof claims.sid === 'string' ? claims.sid : null,
    org_id: typeof claims.org_id === 'string' ? claims.org_id : null,
  }
}

/** The claims of a verified hint; `null` where there is none. */
export function verifiedHint(issuer: Issuer, id_token_hint: string | undefined) {
  const hint = readIdTokenHint(issuer, id_token_hint)
  return hint === 'invalid' ? null : hint
}
