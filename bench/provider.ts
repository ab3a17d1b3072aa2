/**
 * The client of an OpenID Provider: the same requests and the same checks for Ostiary and the peer. Every answer is checked; a
 * sample is verified in full, including signatures.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { type Address, type Answer, type Connection, expectStatus, headerOf, openConnection, request } from './connection.ts'

/** Verifies an answer in full. */
export type Proof = () => Promise<unknown>

export interface Client {
  readonly client_id: string
  /** `null` for a public client. */
  readonly client_secret: string | null
  readonly redirect_uri: string
}

export interface Provider {
  readonly address: Address
  readonly issuer: string
  readonly client: Client
  readonly scope: string
  /** Additional request parameters for a JWT access token, its audience, and its algorithm where that is not RS256. */
  readonly jwt_access_token: { readonly parameters: Record<string, string>; readonly audience: string; readonly alg?: 'RS256' | 'ES256' }
  /** The paths of the endpoints in the metadata. */
  readonly paths: Readonly<Record<'authorize' | 'token' | 'userinfo' | 'jwks' | 'discovery', string>>
  readonly keys: ReturnType<typeof createLocalJWKSet>
  /** The Cookie headers of signed-in browsers. */
  readonly cookies: readonly string[]
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  /** `null` where the request left `openid` out. */
  readonly id_token: string | null
}

/** Reads the metadata and keys of a provider. */
export async function discover(
  address: Address,
  issuer: string,
  about: Pick<Provider, 'client' | 'scope' | 'jwt_access_token'>,
): Promise<Omit<Provider, 'cookies'>> {
  const connection = await openConnection(address)
  const get = async (path: string) => JSON.parse(expectStatus(200, await connection.send(request(address, 'GET', path))).body)
  const discovery = `${new URL(issuer).pathname.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = await get(discovery)
  const path = (name: string) => new URL(metadata[name]).pathname
  const paths = {
    authorize: path('authorization_endpoint'),
    token: path('token_endpoint'),
    userinfo: path('userinfo_endpoint'),
    jwks: path('jwks_uri'),
    discovery,
  }
  const jwks: JSONWebKeySet = await get(paths.jwks)
  connection.close()
  if (metadata.issuer !== issuer) throw new Error(`The metadata belongs to ${metadata.issuer}, not to ${issuer}.`)
  return { address, issuer, ...about, paths, keys: createLocalJWKSet(jwks) }
}

interface Authorization {
  readonly path: string
  readonly state: string
  readonly nonce: string
  readonly code_verifier: string
}

/** Makes an authorization request with state, nonce and PKCE. `extra` are additional parameters. */
export function authorization({ paths, client, scope }: Omit<Provider, 'cookies'>, extra: Record<string, string>): Authorization {
  const [state, nonce, code_verifier] = [randomText(), randomText(), randomText()]
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope,
    state,
    nonce,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...extra,
  })
  return { path: `${paths.authorize}?${query}`, state, nonce, code_verifier }
}

const randomText = () => randomBytes(32).toString('base64url')

/** Reads the code from an answer that redirects to the client. */
export function codeIn({ client }: Pick<Provider, 'client'>, { state }: Authorization, answer: Answer): string {
  const location = headerOf(expectStatus(303, answer), 'location') ?? ''
  const { searchParams } = new URL(location)
  const code = searchParams.get('code')
  if (!location.startsWith(client.redirect_uri) || searchParams.get('state') !== state || !code)
    throw new Error(`Expected a code for the client, got: ${location}`)
  return code
}

export function tokenRequest({ address, paths, client }: Omit<Provider, 'cookies'>, form: Record<string, string>): string {
  const { client_id, client_secret } = client
  const authorized = client_secret && { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...authorized }
  const body = new URLSearchParams(authorized ? form : { client_id, ...form })
  return request(address, 'POST', paths.token, { headers, body: body.toString() })
}

function tokensIn({ scope }: Pick<Provider, 'scope'>, answer: Answer): Tokens {
  const { access_token, refresh_token, id_token = null } = JSON.parse(expectStatus(200, answer).body)
  const is_complete = access_token && refresh_token && (id_token !== null) === scope.split(' ').includes('openid')
  if (!is_complete) throw new Error(`Tokens are missing, or too many: ${answer.body.slice(0, 500)}`)
  return { access_token, refresh_token, id_token }
}

/** Runs the code flow for a signed-in browser: a code, then tokens. */
export async function codeFlow(
  provider: Omit<Provider, 'cookies'>,
  connection: Connection,
  cookie: string,
  extra = provider.jwt_access_token.parameters,
): Promise<{ tokens: Tokens; nonce: string }> {
  const asked = authorization(provider, extra)
  const code = codeIn(provider, asked, await connection.send(request(provider.address, 'GET', asked.path, { headers: { cookie } })))
  return { tokens: await redeem(provider, connection, asked, code), nonce: asked.nonce }
}

export async function redeem(
  provider: Omit<Provider, 'cookies'>,
  connection: Connection,
  { code_verifier }: Authorization,
  code: string,
): Promise<Tokens> {
  const { redirect_uri } = provider.client
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
  return tokensIn(provider, await connection.send(tokenRequest(provider, form)))
}

export async function refresh(provider: Provider, connection: Connection, refresh_token: string): Promise<Tokens> {
  const tokens = tokensIn(provider, await connection.send(tokenRequest(provider, { grant_type: 'refresh_token', refresh_token })))
  if (tokens.refresh_token === refresh_token) throw new Error('The refresh token was not rotated.')
  return tokens
}

/** Verifies both tokens: signature, type, issuer and audience, and that the ID token belongs to this sign-in and access token. */
export async function proveTokens({ keys, issuer, client, jwt_access_token }: Provider, tokens: Tokens, nonce?: string): Promise<void> {
  const { audience, alg = 'RS256' } = jwt_access_token
  const access = await jwtVerify(tokens.access_token, keys, { issuer, algorithms: [alg], typ: 'at+jwt', audience })
  if (tokens.id_token === null) return
  const id = await jwtVerify(tokens.id_token, keys, { issuer, algorithms: ['RS256'], audience: client.client_id })
  const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16).toString('base64url')
  if (id.payload.at_hash !== undefined && id.payload.at_hash !== half) throw new Error('at_hash belongs to another access token.')
  if (nonce !== undefined && id.payload.nonce !== nonce) throw new Error('The nonce belongs to another request.')
  if (id.payload.sub !== access.payload.sub) throw new Error('The tokens have different subjects.')
  if (id.payload.email === undefined) throw new Error('The ID token has no email address.')
}
