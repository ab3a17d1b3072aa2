/** An MCP server whose clients sign people in with the application. */
import { sdkAddress } from '../../../generated/sdk-package.ts'
import { type ProgramSnippet, single, type Values, withOrganization, word } from './values.ts'

export const mcpServer = ({ base_url, issuer, client_id, organizations, signing_alg }: Values): ProgramSnippet => ({
  name: 'MCP server',
  program: {
    file: 'server.mjs',
    install: `npm install @modelcontextprotocol/sdk@1 ${word(sdkAddress(base_url))}`,
    env: [],
    run: 'node server.mjs',
    opens: null,
  },
  code: `// Create a resource server with the address below and a scope tools:call, and allow the scope to this application.
// In the MCP client, enter the address and this client id: ${client_id}
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createKeySet, verifyAccessToken } from '@ostiary/sdk/verify'

const issuer = ${single(issuer)}
const address = new URL(process.env.MCP_ADDRESS ?? 'http://localhost:4005/mcp')
const scopes = ['openid', 'tools:call']
const keys = createKeySet({ issuer })

// Only tokens for this server: one for another API must not work here.${withOrganization({ organizations }, '\n// A tool shows data of the organization org_id only, and of the person alone where it is absent.')}
async function verify(token) {
  const claims = await verifyAccessToken(token, { keys, issuer, audience: address.href${signing_alg === 'ES256' ? ", algorithms: ['ES256']" : ''}${withOrganization({ organizations }, ", organization: 'any'")} }).catch((error) => {
    throw new InvalidTokenError(error.message)
  })
  return { token, clientId: claims.client_id, scopes: claims.scope.split(' '), expiresAt: claims.exp, extra: { sub: claims.sub${withOrganization({ organizations }, ', org_id: claims.org_id')} } }
}

const app = createMcpExpressApp({ host: address.hostname })

// RFC 9728: tells clients which issuer to ask for a token.
const metadata_path = \`/.well-known/oauth-protected-resource\${address.pathname}\`
app.get(metadata_path, (_request, response) => {
  response.json({ resource: address.href, authorization_servers: [issuer], scopes_supported: scopes })
})

const protect = requireBearerAuth({
  verifier: { verifyAccessToken: verify },
  requiredScopes: scopes,
  resourceMetadataUrl: address.origin + metadata_path,
})
app.post(address.pathname, protect, async (request, response) => {
  const server = new McpServer({ name: 'example', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Names the signed-in user.' }, ({ authInfo }) => {
    return { content: [{ type: 'text', text: authInfo.extra.sub }] }
  })
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})

app.listen(Number(address.port), address.hostname)`,
})
