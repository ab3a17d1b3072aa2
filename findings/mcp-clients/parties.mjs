/**
 * An MCP server that needs a token, and its authorization server, on the loopback interface, for the programs beside this file. They keep to
 * RFC 9728, RFC 8414, RFC 6749, RFC 7636 and RFC 9207; the person consents to everything. Prints the address of the MCP server, and then one
 * line of JSON for each authorization and token request. Variables, each a scope:
 *
 * SERVER_SCOPES    scopes_supported of the authorization server
 * RESOURCE_SCOPES  scopes_supported of the MCP server; empty: it publishes none
 * CHALLENGE_SCOPE  scope of the 401; empty: it names none
 * NEEDED_SCOPE     a token without it gets 403 insufficient_scope
 *
 * With ENDED=1 every grant is over at once: its access token gets 401, and its refresh token invalid_grant.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

const { SERVER_SCOPES = '', RESOURCE_SCOPES = '', CHALLENGE_SCOPE = '', NEEDED_SCOPE = '', ENDED = '' } = process.env
const names = (scope) => scope.split(' ').filter(Boolean)
const say = (event) => console.log(JSON.stringify(event))
const newText = () => randomBytes(16).toString('base64url')

async function listen(answer) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    answer(request, response, { url: new URL(request.url, `http://${request.headers.host}`), body })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${server.address().port}`
}

const json = (response, status, value, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers }).end(JSON.stringify(value))

/** By code and by refresh token: what the person consented to. */
const [codes, refreshes, scopes_of_tokens] = [new Map(), new Map(), new Map()]

const issuer = await listen((request, response, { url, body }) => {
  if (/^\/\.well-known\/(oauth-authorization-server|openid-configuration)$/.test(url.pathname)) {
    return json(response, 200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: names(SERVER_SCOPES),
    })
  }
  if (url.pathname === '/authorize') {
    const { scope = null, prompt = null, code_challenge, redirect_uri, state } = Object.fromEntries(url.searchParams)
    say({ authorize: { scope, prompt } })
    const code = newText()
    codes.set(code, { scope: scope ?? '', code_challenge })
    const back = new URL(redirect_uri)
    back.searchParams.set('code', code)
    back.searchParams.set('iss', issuer)
    if (state !== undefined) back.searchParams.set('state', state)
    return response.writeHead(302, { location: back.href }).end()
  }
  if (url.pathname !== '/token') return json(response, 404, {})

  const { grant_type, client_id = null, code, code_verifier = '', refresh_token, scope } = Object.fromEntries(new URLSearchParams(body))
  const authorization = request.headers.authorization ?? null
  say({ token: { grant_type, client_id, authorization, scope: scope ?? null } })
  // RFC 6749 §5.2: a client that is public, as all are here, has no secret.
  if (authorization !== null) return json(response, 401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic realm="token"' })
  const grant = grant_type === 'refresh_token' ? refreshes.get(refresh_token) : codes.get(code)
  codes.delete(code)
  refreshes.delete(refresh_token)
  const is_proven =
    grant_type === 'refresh_token' || createHash('sha256').update(code_verifier).digest('base64url') === grant?.code_challenge
  if (!grant || !is_proven) return json(response, 400, { error: 'invalid_grant' })
  const [token, refresh] = [newText(), newText()]
  if (ENDED === '') {
    scopes_of_tokens.set(token, grant.scope)
    refreshes.set(refresh, grant)
  }
  json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 600, refresh_token: refresh, scope: grant.scope })
})

const resource = await listen((request, response, { url, body }) => {
  const metadata = `${resource}/.well-known/oauth-protected-resource/mcp`
  if (url.href === metadata) {
    const scopes_supported = names(RESOURCE_SCOPES)
    const members = scopes_supported.length === 0 ? {} : { scopes_supported }
    return json(response, 200, { resource: `${resource}/mcp`, authorization_servers: [issuer], ...members })
  }
  if (url.pathname !== '/mcp') return json(response, 404, {})
  const scope = scopes_of_tokens.get(request.headers.authorization?.replace(/^Bearer /, ''))
  const challenge = (first, asked) => ({
    'www-authenticate': `Bearer ${first}${asked === '' ? '' : `scope="${asked}", `}resource_metadata="${metadata}"`,
  })
  if (scope === undefined) return json(response, 401, {}, challenge('', CHALLENGE_SCOPE))
  if (!names(NEEDED_SCOPE).every((name) => names(scope).includes(name)))
    return json(response, 403, {}, challenge('error="insufficient_scope", ', NEEDED_SCOPE))
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end()
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  const { protocolVersion } = params ?? {}
  const result =
    method === 'initialize' ? { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'mcp', version: '1' } } : { tools: [] }
  json(response, 200, { jsonrpc: '2.0', id, result })
})
console.log(`${resource}/mcp`)
