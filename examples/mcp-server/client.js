/** An MCP client that is registered beforehand. The MCP SDK finds the issuer, and asks for a token for the server. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { ISSUER, CLIENT_ID, AUDIENCE } = process.env

const listener = createServer().listen(0, '127.0.0.1')
await once(listener, 'listening')
const redirect_uri = `http://127.0.0.1:${listener.address().port}/callback`
const state = randomUUID()
const kept = {}

const authProvider = {
  redirectUrl: redirect_uri,
  clientMetadata: { redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' },
  clientInformation: () => ({ client_id: CLIENT_ID, issuer: ISSUER }), // never sent to another issuer
  state: () => state,
  redirectToAuthorization: (url) => console.log(`Open this address in a browser to sign in:\n${url.href}`),
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier
  },
  codeVerifier: () => kept.verifier,
  saveTokens: (tokens) => {
    kept.tokens = tokens
  },
  tokens: () => kept.tokens,
}

/** Waits until the browser returns with our `state`. */
const callback = new Promise((resolve) => {
  listener.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, redirect_uri)
    if (pathname !== '/callback' || searchParams.get('state') !== state) return response.writeHead(404).end()
    response.once('close', () => resolve(searchParams))
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
    response.end('<!doctype html><title>Notes</title><p>You can close this window and return to the terminal.</p>')
  })
})

const client = new Client({ name: 'example', version: '0.1.0' })
const connect = () => {
  const transport = new StreamableHTTPClientTransport(new URL(AUDIENCE), { authProvider })
  return { transport, connected: client.connect(transport) }
}

const first = connect()
try {
  await first.connected
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error
  const answer = await callback
  if (!answer.has('code')) throw new Error(`The sign-in failed: ${answer.get('error')}`)
  await first.transport.finishAuth(answer.get('code'))
  await connect().connected
}
listener.close()
listener.closeAllConnections()

const { content } = await client.callTool({ name: 'find_notes', arguments: { word: 'milk' } })
console.log(content[0].text)
await client.close()
