/**
 * Upstream providers as their documentation describes them, on one small server of this machine. `outbound` sends a request
 * for `https://accounts.google.com/…` to `/accounts.google.com/…` of this server.
 */
import { createServer } from 'node:http'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { parseNetwork } from '../../src/base/networks.ts'
import { createOutbound, type Outbound } from '../../src/deployment/outbound/fetch.ts'

interface Person {
  claims: JWTPayload
  /** The responses of GitHub's API. */
  github?: { user: unknown; emails: unknown }
}

export async function startUpstreams() {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Person & { client_id: string; issuer: string; nonce: string | null }>()
  const requests: { path: string; body: URLSearchParams; headers: Record<string, unknown> }[] = []
  let is_down = false
  let signed_in: Person | null = null

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [, host = '', ...rest] = (request.url ?? '').split('/')
    const path = `/${rest.join('/')}`
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    requests.push({ path: `${host}${path}`, body, headers: request.headers })
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (is_down) return void response.writeHead(503).end()
    if (path.endsWith('/.well-known/openid-configuration')) {
      const issuer = `https://${host}${path.slice(0, -'/.well-known/openid-configuration'.length)}`
      return void json(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        ...(host.startsWith('userinfo-') ? { userinfo_endpoint: `${issuer}/userinfo` } : {}),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    }
    if (path.endsWith('/jwks')) return void json(200, { keys: [jwk] })
    const grant = codes.get(body.get('code') ?? '')
    if (path === '/login/oauth/access_token' && grant) {
      signed_in = grant
      return void json(200, { access_token: 'gho_token', token_type: 'bearer', scope: 'read:user,user:email' })
    }
    if (host === 'api.github.com' && signed_in?.github)
      return void json(200, path === '/user' ? signed_in.github.user : signed_in.github.emails)
    if (path.endsWith('/token') && grant) {
      const token = new SignJWT({ ...grant.claims, ...(grant.nonce === null ? {} : { nonce: grant.nonce }) })
      const id_token = await token
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer(grant.issuer)
        .setAudience(grant.client_id)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
      return void json(200, { access_token: 'at', token_type: 'Bearer', id_token })
    }
    json(400, { error: 'invalid_grant' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const loopback = parseNetwork('127.0.0.1/32')
  if (typeof loopback === 'string') throw new Error(loopback)
  const real = createOutbound({ base_url: 'http://localhost', webhook_allowed_networks: [loopback] })
  const outbound: Outbound = (request) => {
    const url = new URL(request.url)
    return real({ ...request, https_only: false, url: `http://127.0.0.1:${port}/${url.host}${url.pathname}${url.search}` })
  }

  return {
    outbound,
    requests,
    setDown(down: boolean) {
      is_down = down
    },
    /** Signs a person in at the provider. Returns the code and state of the callback. */
    agree(location: string, person: Person, change: { nonce?: string } = {}): { code: string; state: string } {
      const url = new URL(location)
      const code = `code-${codes.size}`
      const issuer = `${url.origin}${url.pathname.replace(/\/authorize$/, '').replace(/\/login\/oauth$/, '')}`
      codes.set(code, {
        ...person,
        client_id: url.searchParams.get('client_id') ?? '',
        issuer,
        nonce: change.nonce ?? url.searchParams.get('nonce'),
      })
      return { code, state: url.searchParams.get('state') ?? '' }
    },
  }
}
