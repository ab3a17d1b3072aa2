/** One MCP server over `protect` for each framework: three tools of different scopes. They say who calls, and with which scope. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { after } from 'node:test'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import Fastify from 'fastify'
import { protect as protectExpress } from '../../../sdk/src/express.ts'
import { protect as protectFastify } from '../../../sdk/src/fastify.ts'
import { protect as protectFetch } from '../../../sdk/src/fetch.ts'
import { protect as protectNode } from '../../../sdk/src/node.ts'
import type { ProtectOptions } from '../../../sdk/src/protect.ts'
import { tokenOf } from '../../../sdk/src/tokens.ts'
import { createKeySet } from '../../../sdk/src/verify.ts'
import { freePort } from './free-port.ts'
import { expectStatus, type TestEnvironment, type World } from './world.ts'

/** Scopes of an environment have names of their own, so those of each server begin with another word. */
const toolsOf = (word: string) => ({ whoami: [], find: [`${word}:read`], move: [`${word}:read`, `${word}:write`] })
const well_known = '/.well-known/oauth-protected-resource'

/** Without sessions each request has a server of its own, whose tools know the token of that request. */
async function connected<T extends StreamableHTTPServerTransport | WebStandardStreamableHTTPServerTransport>(
  request: object,
  transport: T,
) {
  const { sub, org_id, scope } = tokenOf(request)
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  for (const name of Object.keys(toolsOf('')))
    server.registerTool(name, { description: 'Says who calls.' }, () => ({
      content: [{ type: 'text', text: JSON.stringify({ sub, org_id, scope }) }],
    }))
  await server.connect(transport as Parameters<typeof server.connect>[0]) // as: its type lets no property be undefined
  return transport
}
const nodeTransport = (request: object) => connected(request, new StreamableHTTPServerTransport({ enableJsonResponse: true }))

type Options = Omit<ProtectOptions<unknown>, 'organization'>
type Start = (options: Options, port: number) => Promise<unknown>

function listen(listener: RequestListener, port: number) {
  const server = createServer(listener)
  after(() => server.close())
  return new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
}

/** Answers by a handler of the Fetch standard. */
const byFetch =
  (handler: (request: Request) => Promise<Response>, port: number): RequestListener =>
  async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET' } = request
    const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) }
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const answer = await handler(new Request(`http://localhost:${port}${request.url}`, { method, headers, ...body }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  }

const starts: Readonly<Record<string, Start>> = {
  async Express(options, port) {
    const app = createMcpExpressApp({ host: 'localhost' }) // with a parser of its own
    app.use([well_known, '/mcp'], protectExpress(options))
    app.all('/mcp', async (request, response) => (await nodeTransport(request)).handleRequest(request, response, request.body))
    await listen(app, port)
  },
  async 'node:http'(options, port) {
    const guard = protectNode(options)
    const answer = async (request: IncomingMessage, response: ServerResponse) =>
      (await nodeTransport(request)).handleRequest(request, response, 'body' in request ? request.body : undefined)
    await listen(
      (request, response) => guard(request, response, (error) => void (error ? response.writeHead(500).end() : answer(request, response))),
      port,
    )
  },
  async 'the Fetch standard'(options, port) {
    const transport = () => new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const answer = async (request: Request) => (await connected(request, transport())).handleRequest(request)
    await listen(byFetch(protectFetch(options, answer), port), port)
  },
  async Fastify(options, port) {
    const app = Fastify()
    app.addHook('preHandler', protectFastify(options))
    app.all('/mcp', async (request, reply) => {
      reply.hijack()
      await (await nodeTransport(request)).handleRequest(request.raw, reply.raw, request.body)
    })
    after(() => app.close())
    await app.listen({ host: 'localhost', port })
  },
}
export const frameworks = Object.keys(starts)

/** Starts an MCP server that needs `openid` of every request, and registers it. `word` begins the names of its scopes. */
export async function startProtected(w: World, environment: TestEnvironment, framework = 'Express') {
  const port = await freePort()
  const word = `notes${port}`
  const audience = `http://localhost:${port}/mcp`
  const keys = createKeySet({ issuer: environment.issuer, now: w.now })
  const options = { keys, issuer: environment.issuer, audience, now: w.now, scopes: ['openid'], tools: toolsOf(word) }
  await (starts[framework] ?? assert.fail())(options, port)
  const scopes = ['read', 'write'].map((verb) => ({ name: `${word}:${verb}`, description: `Notes: ${verb}` }))
  const body = { identifier: audience, name: 'Notes', scopes }
  expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
  return { address: audience, word, scopes: scopes.map(({ name }) => name) }
}
