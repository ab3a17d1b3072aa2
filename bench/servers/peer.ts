/**
 * The peer: `oidc-provider`, configured for the same work as Ostiary and nothing more. RS256 for the ID token and for a JWT access
 * token (resource indicators), rotating refresh tokens, PKCE, no consent. Choices favour the peer: people and the client are in
 * memory, and cookies are not signed.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import OpenIdProvider, { type Context } from 'oidc-provider'
import { openPeerPostgres } from '../peer-postgres.ts'

const { PEER_PORT = '', PEER_DATABASE_URL, PEER_CLIENT_SECRET = '' } = process.env
const issuer = `http://localhost:${PEER_PORT}`
const resource = 'urn:benchmark:api'
const client_id = 'benchmark'
const day_seconds = 86_400

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const name = { name: 'Ada Example', updated_at: 1_700_000_000 }

/** Creates a grant for the client if the person has none, as the documentation of `oidc-provider` shows. */
async function loadExistingGrant(ctx: Context) {
  const { session, client, account } = ctx.oidc
  const id = session.grantIdFor(client.clientId)
  if (id) return provider.Grant.find(id)
  const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  grant.addOIDCScope('openid profile email')
  grant.addResourceScope(resource, 'api')
  await grant.save()
  return grant
}

const provider = new OpenIdProvider(issuer, {
  ...(PEER_DATABASE_URL ? { adapter: await openPeerPostgres(PEER_DATABASE_URL) } : {}),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  clients: [
    {
      client_id,
      client_secret: PEER_CLIENT_SECRET,
      redirect_uris: ['https://app.example.com/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
  findAccount: (_: Context, id: string) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, ...name }),
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'updated_at'] },
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'api', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
    },
  },
  pkce: { required: () => true },
  conformIdTokenClaims: false,
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  rotateRefreshToken: true,
  loadExistingGrant,
  ttl: {
    AccessToken: 3_600,
    AuthorizationCode: 60,
    Grant: 14 * day_seconds,
    IdToken: 3_600,
    Interaction: 3_600,
    RefreshToken: 14 * day_seconds,
    Session: day_seconds,
  },
})

createServer(provider.callback()).listen(Number(PEER_PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit())
