/** Scopes, as tokens and challenges write them (RFC 6749 §3.3): a list with spaces. */

export function hasScopes(scope: string, required: readonly string[]): boolean {
  const granted = new Set(scope.split(' '))
  return required.every((each) => granted.has(each))
}

/**
 * Refuses what no challenge may contain.
 *
 * RFC 6749 §3.3: the characters of a scope. Any other would end the value of the header.
 * MCP, revision 2026-07-28: refresh tokens do not concern a server, so it does not ask for `offline_access`
 */
export function checkScopes(scopes: readonly string[]): void {
  for (const scope of scopes) {
    if (!/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) throw new TypeError(`"${scope}" is not a scope.`)
    if (scope === 'offline_access') throw new TypeError('A server does not ask for offline_access: a client asks the issuer for it.')
  }
}
