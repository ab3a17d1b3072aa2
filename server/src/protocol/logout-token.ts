// pure
/** The logout token that an application receives when a session ends, and the meaning of its answer. */

/** Back-Channel Logout 1.0 §2.4: preferably two minutes at most. The token is signed when it is sent. */
const ttl_seconds = 120

/**
 * The payload of a logout token.
 *
 * Back-Channel Logout 1.0 §2.4: iss, aud, iat, exp, jti and events; sub and sid, because applications find their sessions by
 *                               either; never a nonce, so that it cannot pass as an ID token
 */
export function logoutTokenClaims(issuer: string, about: { client_id: string; sub: string; session_id: string; jti: string }, now: Date) {
  const iat = Math.floor(now.getTime() / 1_000)
  return {
    iss: issuer,
    aud: about.client_id,
    iat,
    exp: iat + ttl_seconds,
    jti: about.jti,
    sub: about.sub,
    sid: about.session_id,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}

/**
 * Maps the status of the answer to the outcome of the job.
 *
 * Back-Channel Logout 1.0 §2.8: 200 is success, and some frameworks send 204; 400 means that the token or the logout failed
 * We choose: errors that may pass within a minute (RFC 9110 §15.6, §15.5.9, RFC 6585 §4) are retried, others are not
 */
export function outcomeOfLogout(status: number): 'done' | 'retry' | 'give_up' {
  if (status >= 200 && status < 300) return 'done'
  return status >= 500 || status === 408 || status === 429 ? 'retry' : 'give_up'
}
