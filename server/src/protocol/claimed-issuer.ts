// pure
/** Every issuer is. A statement takes no U+0000 and no lone surrogate. */
const is_printable_ascii = /^[\x21-\x7E]*$/

/**
 * The issuer that a JWT names, before anything is verified: empty where it names none, `null` where the text is not a JWT.
 *
 * RFC 7519 §3: three base64url parts, the first two JSON
 */
export function claimedIssuer(token: string): string | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return null
  try {
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
    if (typeof header !== 'object' || typeof claims !== 'object') return null
    const iss = claims?.iss
    return typeof iss === 'string' && is_printable_ascii.test(iss) ? iss : ''
  } catch {
    return null // not JSON, so no JWT
  }
}
