// pure
/** What an application is told when a session has ended, and what its answer means. */

/** Back-Channel Logout 1.0 §2.4: preferably two minutes at most. It is signed when it is sent. */
const ttl_seconds = 120

/**
 * The payload of a logout token.
 *
 * Back-Channel Logout 1.0 §2.4: iss, aud, iat, exp, jti and events; sub and sid, since either may be what the application
 *                               keeps its sessions by; never a nonce, so that it is no ID token
 */
export function logoutTokenClaims(
  issuer: string,
  about: { client_id: string; user_id: string; session_id: string; jti: string },
  now: Date,
) {
  const iat = Math.floor(now.getTime() / 1_000)
  return {
    iss: issuer,
    aud: about.client_id,
    iat,
    exp: iat + ttl_seconds,
    jti: about.jti,
    sub: about.user_id,
    sid: about.session_id,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}

/**
 * What follows from the status that an application answered.
 *
 * Back-Channel Logout 1.0 §2.8: 200 is success, and some frameworks make it 204; 400 is that the token or the logout failed
 * We choose: what may be different in a minute (RFC 9110 §15.6, RFC 6585 §4, §15.5.9) is tried again, the rest is not
 */
export function outcomeOfLogout(status: number): 'done' | 'retry' | 'give_up' {
  if (status >= 200 && status < 300) return 'done'
  return status >= 500 || status === 408 || status === 429 ? 'retry' : 'give_up'
}
