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
  code: `// Create a resource server with the address below and a scope tools:call, and allow the scope and offline_access to this application.
// In the MCP client, enter the address and this client id: ${client_id}
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { protect, tokenOf } from '@ostiary/sdk/express'
import { createKeySet } from '@ostiary/sdk/verify'

const issuer = ${single(issuer)}
const address = new URL(process.env.MCP_ADDRESS ?? 'http://localhost:4005/mcp')

// Tells clients which issuer to ask for a token, and admits only tokens for this server: one for another API must not work here.
const guard = protect({
  keys: createKeySet({ issuer }),
  issuer,
  audience: address.href,
  scopes: ['openid', 'tools:call'],${signing_alg === 'ES256' ? "\n  algorithms: ['ES256']," : ''}
  tools: { whoami: [] }, // the scopes that a tool needs besides; one that is not listed is refused${withOrganization({ organizations }, "\n  organization: 'any', // a tool shows data of the organization org_id only, and of the person alone where it is absent")}
})

const app = createMcpExpressApp({ host: address.hostname })
app.use(['/.well-known/oauth-protected-resource', address.pathname], guard)
app.post(address.pathname, async (request, response) => {
  const { sub${withOrganization({ organizations }, ', org_id')} } = tokenOf(request)
  const server = new McpServer({ name: 'example', version: '1.0.0' })
  server.registerTool('whoami', { description: 'Names the signed-in user.' }, () => {
    return { content: [{ type: 'text', text: ${withOrganization({ organizations }, "org_id ? sub + ' of ' + org_id : ")}sub }] }
  })
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})

app.listen(Number(address.port), address.hostname)`,
})
