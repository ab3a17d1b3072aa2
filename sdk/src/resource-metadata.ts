/** The metadata of a protected resource (RFC 9728): where a client learns which issuer makes tokens for a server. */

/** An answer in place of the application. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: object | null
}

export interface ResourceMetadata {
  /** The address that challenges name. */
  address: string
  /** The answer to a request for the metadata; `null` for any other request. */
  answerTo(method: string, path: string): Answer | null
}

const well_known = '/.well-known/oauth-protected-resource'

/**
 * RFC 9728 §3.1: the path of the resource follows the well-known one; a path of only a slash is left out
 * MCP, revision 2026-07-28: a client also looks at the well-known path alone
 */
export function createMetadata(options: { audience: string; issuer: string }, scopes_supported: readonly string[]): ResourceMetadata {
  const { audience, issuer } = options
  const { origin, pathname, search } = addressIn(audience)
  const path = pathname === '/' ? well_known : well_known + pathname
  const document = { resource: audience, authorization_servers: [issuer], scopes_supported, bearer_methods_supported: ['header'] }
  // The document is public, and clients in browsers read it from origins of their own, with headers of the protocol.
  const shared = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' }
  const preflight = { ...shared, 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }

  return {
    address: origin + path + search,
    answerTo(method, asked) {
      if (asked !== path && asked !== well_known) return null
      if (method === 'OPTIONS') return { status: 204, headers: preflight, body: null }
      return method === 'GET' || method === 'HEAD' ? { status: 200, headers: shared, body: document } : null
    },
  }
}

/** RFC 9728 §1.2: a resource identifier is an address without a fragment. `http` is for a developer's own machine. */
function addressIn(audience: string): URL {
  const url = URL.canParse(audience) ? new URL(audience) : null
  if (url === null || !/^https?:$/.test(url.protocol) || audience.includes('#') || url.username !== '' || url.password !== '')
    throw new TypeError('With metadata or tools the audience is the address of this server, such as https://mcp.example.com/mcp.')
  return url
}
