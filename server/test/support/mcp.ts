/** An MCP server behind an issuer, and clients of the official SDKs, which know nothing of this service. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after } from 'node:test'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { createKeySet, verifyAccessToken } from '../../../sdk/src/verify.ts'
import { stepOf } from './account.ts'
import type { Agent } from './cookie-browser.ts'
import { freePort } from './free-port.ts'
import { environmentOfPrograms } from './front.ts'
import { runProgram } from './terminal.ts'
import { type Reply, randomText, type World } from './world.ts'

const python = join(import.meta.dirname, '../../../.node/mcp/bin/python')
export const noPythonSdk = existsSync(python) ? false : 'needs the MCP SDK for Python, which .ci/run installs'

/** What the tool `whoami` says of the access token. */
export interface Seen {
  sub: string
  org_id: string
  scope: string
}

interface Demands {
  /** Tokens without these are refused. */
  needed: string[]
  /** The metadata tells clients to ask for these (RFC 9728); `null`: it says nothing of scopes. */
  asked: string[] | null
  /** The tools, and what each needs besides. */
  tools?: Readonly<Record<string, string[]>>
}

/** Starts an MCP server. */
export async function startMcpServer(w: World, issuer: string, { needed, asked, tools = { whoami: [] } }: Demands): Promise<string> {
  const port = await freePort()
  const address = new URL(`http://localhost:${port}/mcp`)
  const metadata = `/.well-known/oauth-protected-resource${address.pathname}`
  const keys = createKeySet({ issuer, now: w.now })
  const verify = async (token: string) => {
    const options = { keys, issuer, audience: address.href, organization: 'any', now: w.now } as const
    const claims = await verifyAccessToken(token, options).catch((error) => {
      throw new InvalidTokenError(String(error))
    })
    const { client_id, scope, sub, org_id } = claims
    const expiresAt = Math.floor(Date.now() / 1_000) + 60 // the middleware compares it with the clock of the machine, and ours is `w.now`
    return { token, clientId: client_id, scopes: scope?.split(' ') ?? [], expiresAt, extra: { sub, org_id, scope } }
  }
  const app = createMcpExpressApp({ host: address.hostname })
  app.get(metadata, (_request, response) => {
    const scopes = asked === null ? {} : { scopes_supported: asked }
    response.json({ resource: address.href, authorization_servers: [issuer], ...scopes })
  })
  const resource_metadata = address.origin + metadata
  const protect = requireBearerAuth({ verifier: { verifyAccessToken: verify }, resourceMetadataUrl: resource_metadata })
  app.use(address.pathname, protect, ({ auth, body }, response, next) => {
    const of_request = [...needed, ...(tools[body?.params?.name] ?? [])]
    if (of_request.every((scope) => auth?.scopes.includes(scope))) return next()
    // RFC 6750 §3.1. The challenge of a request without a token names no scope, so a client asks for all; by this one it may ask for more.
    const challenge = `Bearer error="insufficient_scope", scope="${of_request.join(' ')}", resource_metadata="${resource_metadata}"`
    response.status(403).set('www-authenticate', challenge).json({ error: 'insufficient_scope' })
  })
  app.post(address.pathname, async (request, response) => {
    const server = new McpServer({ name: 'orders', version: '1.0.0' })
    for (const tool of Object.keys(tools))
      server.registerTool(tool, { description: 'Says who calls.' }, ({ authInfo }) => ({
        content: [{ type: 'text', text: JSON.stringify(authInfo?.extra) }],
      }))
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true }) // without sessions, each request has a server of its own
    response.on('close', () => server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  app.all(address.pathname, (_request, response) => void response.status(405).set('allow', 'POST').end())
  const listener = createServer(app).listen(port, 'localhost')
  after(() => listener.close())
  return address.href
}

export interface Known {
  address: string
  /** Of an application, or the URL of a document. */
  client_id: string
  redirect_uri: string
  /** The person in front of the browser: gets an address, and returns the one to which the browser comes back. */
  browse: (url: string) => Promise<URL>
}

/** What the client ends with: what the tool said, or the error that stopped it. */
export type Outcome = { seen: Seen; scope: string | undefined } | { stopped: string }

/** Where the SDKs 1 and 2 for TypeScript differ. */
export interface Sdk {
  Client: typeof Client
  StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport
  UnauthorizedError: typeof UnauthorizedError
  /** What the client is given of the address to which the browser comes back. */
  answerOf: (returned: URL) => unknown
  /** The client says that it uses refresh tokens. */
  asks_for_refresh: boolean
}
const first_sdk: Sdk = {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  answerOf: ({ searchParams }) => searchParams.get('code'),
  asks_for_refresh: false,
}

/** A client of the SDK for TypeScript, as its documentation writes one. It can call again, after time has passed. */
export function typescriptClient({ address, client_id, redirect_uri, browse }: Known, sdk = first_sdk) {
  const kept: { tokens?: OAuthTokens | undefined; verifier?: string; url?: string; client?: OAuthClientInformationMixed } = {}
  const has_document = client_id.startsWith('https://')
  const state = randomText()
  const authProvider = {
    redirectUrl: redirect_uri,
    clientMetadata: {
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: 'none',
      ...(sdk.asks_for_refresh ? { grant_types: ['authorization_code', 'refresh_token'] } : {}),
    },
    ...(has_document ? { clientMetadataUrl: client_id } : {}),
    clientInformation: () => (has_document ? kept.client : { client_id }),
    saveClientInformation: (client: OAuthClientInformationMixed) => void Object.assign(kept, { client }),
    state: () => state,
    redirectToAuthorization: ({ href }: URL) => void Object.assign(kept, { url: href }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
    saveTokens: (tokens: OAuthTokens) => void Object.assign(kept, { tokens }),
    tokens: () => kept.tokens,
    invalidateCredentials: (kind: string) => void (kind === 'tokens' && Object.assign(kept, { tokens: undefined })),
  }
  const connect = async () => {
    const client = new sdk.Client({ name: 'example', version: '1.0.0' })
    const transport = new sdk.StreamableHTTPClientTransport(new URL(address), { authProvider })
    const connected = client.connect(transport as Parameters<typeof client.connect>[0]) // as: its type lets no property be undefined
    return connected.then(
      () => ({ client, transport, error: null }),
      (error: unknown) => ({ client, transport, error }),
    )
  }
  return {
    kept,
    async call(tool = 'whoami'): Promise<Outcome> {
      for (let n = 0; ; n++) {
        const { client, transport, error } = await connect()
        const result = error ?? (await client.callTool({ name: tool }).catch((thrown: unknown) => thrown))
        await client.close()
        if (!(result instanceof sdk.UnauthorizedError)) return outcomeOf(result, kept.tokens?.scope)
        // In a new connection the SDK forgets why it asked: a person who came back with too little is not sent again for ever.
        if (n === most_visits) return { stopped: 'The person is sent to the browser again and again.' }
        const returned = await browse(kept.url ?? assert.fail())
        assert.equal(returned.searchParams.get('state'), state)
        const refused = returned.searchParams.get('error')
        if (refused !== null) return { stopped: refused }
        await transport.finishAuth(sdk.answerOf(returned) as string) // as: the SDK 2 takes more
      }
    },
  }
}

const most_visits = 3

export function outcomeOf(result: unknown, scope: string | undefined): Outcome {
  if (result instanceof Error) return { stopped: String(result) }
  const { content, isError } = result as { content: [{ text: string }]; isError?: boolean } // as: the tools of the servers here
  if (isError) return { stopped: content[0].text }
  return { seen: JSON.parse(content[0].text), scope }
}

/** A person in front of a browser who signs in, chooses an organization, allows, and turns back where the page says that there is no way on. */
export function browsing(person: { agent: Agent; email: string; password: string }, redirect_uri: string, organization?: string) {
  const steps: string[] = []
  const asked: string[] = []
  const choices: Record<string, Record<string, string>> = {
    'sign-in': { email: person.email, password: person.password, method: 'password' },
    'select-organization': { organization: organization ?? '' },
    consent: { decision: 'allow' },
    continue: { decision: 'allow' },
    'no-access': { decision: 'back' },
  }
  const browse = async (url: string): Promise<URL> => {
    assert.equal(new URL(url).searchParams.get('organization'), null, 'the client has no option for it')
    asked.push(new URL(url).searchParams.get('scope') ?? '')
    let reply: Reply = await person.agent.get(url)
    for (let n = 0; n < 12; n++) {
      const location = reply.headers.get('location')
      if (location?.startsWith(redirect_uri)) return new URL(location)
      if (location !== null) {
        reply = await person.agent.get(location)
        continue
      }
      const step = stepOf(reply) ?? assert.fail(reply.body)
      steps.push(step)
      reply = await person.agent.submit(reply, choices[step] ?? assert.fail(step))
    }
    return assert.fail(steps.join(', '))
  }
  /** `asked` has the scopes of each visit, `steps` the pages. */
  return { steps, asked, browse }
}

/** The program shows it, or has ended. */
const is_shown = [() => true, () => false] as const

/** A client of the SDK for Python, in a process of its own. */
export function pythonClient({ address, client_id, redirect_uri, browse }: Known, onLater = () => {}) {
  const script = join(import.meta.dirname, 'mcp-client.py')
  return {
    /** Calls the tools one after the other, and ends with what the last one said. After the word `later` its tokens are over. */
    async call(...called: string[]): Promise<Outcome> {
      const tools = called.length > 0 ? called.join(' ') : 'whoami'
      const command = `exec '${python}' '${script}' '${address}' '${client_id}' '${redirect_uri}' ${tools}`
      const program = runProgram(command, { cwd: import.meta.dirname, env: { ...process.env, ...environmentOfPrograms() } })
      for (let n = 1; await program.shows(new RegExp(`(?:^(?:open .*|later)\\n[^]*?){${n}}`, 'm')).then(...is_shown); n++) {
        const [, url] = [...program.output().matchAll(/^(?:open (\S+)|later)$/gm)][n - 1] ?? []
        if (url === undefined) onLater()
        program.type(url === undefined ? 'later' : (await browse(url)).href)
      }
      const output = await program.ended
      const [, stopped] = /^stopped \w+ (.*)$/m.exec(output) ?? []
      if (stopped !== undefined) return { stopped }
      const said = [...output.matchAll(/^tool (.*)$/gm)].at(-1)?.[1] ?? assert.fail(output)
      return { seen: JSON.parse(said), scope: /^scope (.*)$/m.exec(output)?.[1] }
    },
  }
}
