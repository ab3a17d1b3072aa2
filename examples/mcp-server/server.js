/** An MCP server behind Ostiary: a protected resource whose tools know the user of the access token. */
import { InvalidTokenError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createKeySet, TokenError, verifyAccessToken } from '@ostiary/sdk/verify'
import { z } from 'zod'

const { ISSUER, AUDIENCE, PORT } = process.env
const scopes = ['openid', 'notes:read'] // clients ask for these; a sign-in at Ostiary always has openid
const keys = createKeySet({ issuer: ISSUER })

const notes = new Map() // by the subject of the token

function createServer() {
  const server = new McpServer({ name: 'notes', version: '0.1.0' })
  const description = 'Finds the notes of the signed-in user that contain a word.'
  server.registerTool('find_notes', { description, inputSchema: { word: z.string().max(100) } }, ({ word }, { authInfo }) => {
    const { sub } = authInfo.extra
    const found = (notes.get(sub) ?? ['Buy milk']).filter((note) => note.includes(word))
    return { content: [{ type: 'text', text: `${sub} has ${found.length}: ${found.join(', ')}` }] }
  })
  return server
}

/** Accepts tokens for this server only. A token for another server must not work here, nor be passed on. */
async function verify(token) {
  try {
    const claims = await verifyAccessToken(token, { keys, issuer: ISSUER, audience: AUDIENCE })
    return { token, clientId: claims.client_id, scopes: claims.scope.split(' '), expiresAt: claims.exp, extra: { sub: claims.sub } }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw error.status === 503 ? new ServerError(error.message) : new InvalidTokenError(error.message)
  }
}

const app = createMcpExpressApp({ host: 'localhost' })

// RFC 9728: where clients learn which issuer makes tokens for this server.
const { origin, pathname } = new URL(AUDIENCE)
const metadata_path = `/.well-known/oauth-protected-resource${pathname}`
app.get(metadata_path, (_request, response) => {
  response.json({ resource: AUDIENCE, authorization_servers: [ISSUER], scopes_supported: scopes, resource_name: 'Notes' })
})

const protect = requireBearerAuth({
  verifier: { verifyAccessToken: verify },
  requiredScopes: scopes,
  resourceMetadataUrl: origin + metadata_path,
})
app.post(pathname, protect, async (request, response) => {
  const server = createServer() // without sessions, each request has a server of its own
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})
app.all(pathname, protect, (_request, response) => response.status(405).set('allow', 'POST').end())

app.listen(Number(PORT), 'localhost', () => console.log(`Listening on ${AUDIENCE}`))
