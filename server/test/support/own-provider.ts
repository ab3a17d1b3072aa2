/** An OpenID Provider of the test on this machine, with one key. Its answers can be changed, and it can be silent. */
import { createServer } from 'node:http'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { parseNetworks } from '../../src/base/networks.ts'
import { createOutbound, type Outbound } from '../../src/deployment/outbound/fetch.ts'
import { freePort } from './free-port.ts'

export const loopback_networks = '127.0.0.0/8,::1/128'

export async function startProvider() {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const signing = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(signing.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const provider = {
    issuer,
    private_key: signing.privateKey,
    jwk,
    /** The keys at `jwks_uri`, and how often they were read. */
    keys: [jwk] as object[],
    key_reads: 0,
    /** Members of its metadata beside the required ones. */
    metadata: {} as Record<string, unknown>,
    /** The claims of the next person, who is `pat` without any. */
    claims: {} as Record<string, unknown>,
    nonce: '',
    /** People by their code, for several at the same time. */
    people: new Map<string, { claims: Record<string, unknown>; nonce: string }>(),
    is_silent: false,
    /** How long the service would have waited for each call while it was silent. The test waits less. */
    waits: [] as number[],
  }

  const server = createServer(async (request, response) => {
    if (provider.is_silent) return
    const send = (body: object) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration') {
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` }
      return void send({ issuer, ...endpoints, id_token_signing_alg_values_supported: ['ES256'], ...provider.metadata })
    }
    if (request.url === '/jwks') {
      provider.key_reads++
      return void send({ keys: provider.keys })
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? ''
    const { nonce, claims: sent } = provider.people.get(code) ?? provider
    const { sub = 'pat', ...claims } = sent
    const id_token = await new SignJWT({ nonce, email: `${sub}@example.com`, email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience('c')
      .setSubject(String(sub))
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(provider.private_key)
    send({ access_token: 'a', token_type: 'Bearer', id_token })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const parsed = parseNetworks(loopback_networks)
  if (!('networks' in parsed)) throw new Error(loopback_networks)
  const real = createOutbound({ base_url: 'http://localhost', webhook_allowed_networks: parsed.networks })
  const outbound: Outbound = (request) => {
    if (!provider.is_silent) return real(request)
    provider.waits.push(request.timeout_ms)
    return real({ ...request, timeout_ms: 100 })
  }
  return Object.assign(provider, { outbound })
}
