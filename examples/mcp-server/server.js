/** An MCP server behind Ostiary: its tools know the user of the access token, and each needs the scopes that it says. */
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { protect, tokenOf } from '@ostiary/sdk/express'
import { createKeySet } from '@ostiary/sdk/verify'
import { z } from 'zod'

const { ISSUER, AUDIENCE, PORT } = process.env
const { pathname } = new URL(AUDIENCE)

const notes = new Map() // by the subject of the token

/** The tools of one user. */
function createServer({ sub }) {
  const server = new McpServer({ name: 'notes', version: '0.1.0' })
  const own = () => notes.get(sub) ?? ['Buy milk']
  const text = (said) => ({ content: [{ type: 'text', text: said }] })

  const finds = 'Finds the notes of the signed-in user that contain a word.'
  server.registerTool('find_notes', { description: finds, inputSchema: { word: z.string().max(100) } }, ({ word }) => {
    const found = own().filter((note) => note.includes(word))
    return text(`${sub} has ${found.length}: ${found.join(', ')}`)
  })
  const adds = 'Adds a note of the signed-in user.'
  server.registerTool('add_note', { description: adds, inputSchema: { note: z.string().min(1).max(100) } }, ({ note }) => {
    notes.set(sub, [...own(), note].slice(-100))
    return text(`${sub} has ${own().length}`)
  })
  return server
}

// Tells clients where tokens come from, and admits tokens for this server only. One for another server must not work here, nor be passed on.
const guard = protect({
  keys: createKeySet({ issuer: ISSUER }),
  issuer: ISSUER,
  audience: AUDIENCE,
  scopes: ['openid', 'notes:read'], // of every request; a sign-in at Ostiary has openid
  tools: { find_notes: [], add_note: ['notes:write'] }, // a tool that is not listed is refused
})

const app = createMcpExpressApp({ host: 'localhost' })
app.use(['/.well-known/oauth-protected-resource', pathname], guard)
app.post(pathname, async (request, response) => {
  const server = createServer(tokenOf(request)) // without sessions, each request has a server of its own
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})
app.all(pathname, (_request, response) => response.status(405).set('allow', 'POST').end())

app.listen(Number(PORT), 'localhost', () => console.log(`Listening on ${AUDIENCE}`))
