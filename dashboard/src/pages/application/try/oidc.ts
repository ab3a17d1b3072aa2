/**
 * Try sign-in as an OpenID Connect client: the code flow with PKCE, state and nonce, as an application would run it. The functions
 * return what they read and keep nothing.
 */
import type { Application } from '@ostiary/sdk'

/** The error of an endpoint or of a check. `code` is the OAuth error, or the name of the check. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string
  readonly request_id: string | null
  constructor(code: string, message: string, request_id: string | null = null) {
    super(message)
    this.code = code
    this.request_id = request_id
  }
}

export interface Endpoints {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  revocation_endpoint: string
  jwks_uri: string
}

export interface Tokens {
  access_token: string
  /** Only with the scope `openid`. */
  id_token?: string
  refresh_token?: string
  expires_in: number
  /** Absent where the request asked for none. */
  scope?: string
}

export type Claims = Record<string, unknown>

/** Who asks: the application, and its secret where it has one. */
export interface Asker {
  application: Application
  secret: string
}

export interface Options {
  scope: string
  resource: string
  prompt: string
  max_age: string
  /** An id, a slug, or `none`. */
  organization: string
  login_hint: string
}

/** The values that a sign-in keeps until its answer. */
export interface Begun {
  state: string
  nonce: string
  code_verifier: string
  redirect_uri: string
}

const longest_wait_ms = 15_000
/** The clock of the browser may be so much ahead of the issuer's. */
const clock_skew_seconds = 60

/** OIDC Discovery 1.0 §4.3: the document names the issuer under which it was found. */
export async function discover(issuer: string): Promise<Endpoints> {
  const found = await ask<Endpoints>(`${issuer}/.well-known/openid-configuration`)
  if (found.issuer !== issuer) throw new Refused('issuer', `The discovery document names another issuer: ${found.issuer}`)
  return found
}

export const begin = (redirect_uri: string): Begun => ({ state: random(), nonce: random(), code_verifier: random(), redirect_uri })

/** RFC 7636 §4.2, OIDC Core §3.1.2.1. */
export async function authorizationUrl(
  { authorization_endpoint }: Endpoints,
  { client_id }: Application,
  options: Options,
  begun: Begun,
): Promise<string> {
  const { state, nonce, code_verifier, redirect_uri } = begun
  const code_challenge = encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier))))
  const request = { response_type: 'code', client_id, redirect_uri, state, nonce, code_challenge, code_challenge_method: 'S256' }
  const given = Object.entries(options).filter(([, value]) => value.trim() !== '')
  return `${authorization_endpoint}?${new URLSearchParams({ ...request, ...Object.fromEntries(given) })}`
}

/** RFC 6749 §4.1.2, RFC 9207 §2.4: the answer belongs to this request and comes from this issuer. */
export function codeOf(answer: URLSearchParams, begun: Begun, issuer: string): string {
  if (answer.get('state') !== begun.state) throw new Refused('state', 'The answer belongs to another sign-in.')
  if (answer.get('iss') !== issuer) throw new Refused('iss', 'The answer comes from another issuer.')
  const error = answer.get('error')
  if (error !== null) throw new Refused(error, answer.get('error_description') ?? '')
  const code = answer.get('code')
  if (code === null) throw new Refused('code', 'The answer has neither a code nor an error.')
  return code
}

/** RFC 6749 §4.1.3. */
export const exchange = ({ token_endpoint }: Endpoints, asker: Asker, code: string, { redirect_uri, code_verifier }: Begun) =>
  ask<Tokens>(token_endpoint, formOf(asker, { grant_type: 'authorization_code', code, redirect_uri, code_verifier }))

/** RFC 7009 §2.1: with the refresh token its access tokens end as well. The request outlives the page. */
export const revoke = ({ revocation_endpoint }: Endpoints, asker: Asker, { refresh_token, access_token }: Tokens) =>
  ask(revocation_endpoint, { ...formOf(asker, { token: refresh_token ?? access_token }), keepalive: true })

/** OIDC Core §5.3.1; §5.3.2: `sub` must be that of the ID token. */
export async function readUserInfo({ userinfo_endpoint }: Endpoints, { access_token }: Tokens, sub: unknown): Promise<Claims> {
  const claims = await ask<Claims>(userinfo_endpoint, { headers: { authorization: `Bearer ${access_token}` } })
  if (claims.sub !== sub) throw new Refused('userinfo', 'UserInfo is about another person than the ID token.')
  return claims
}

/** OIDC Core §3.1.3.7: signature, issuer, audience, expiry and nonce. */
export async function checkIdToken(endpoints: Endpoints, client_id: string, id_token: string, nonce: string): Promise<Claims> {
  const [head = '', body = '', signature = ''] = id_token.split('.')
  const { alg, kid } = decoded(head)
  const { keys } = await ask<{ keys: { kid: string; kty: string }[] }>(endpoints.jwks_uri)
  const jwk = keys.find((key) => key.kid === kid)
  if (alg !== 'RS256' || !jwk) throw new Refused('id_token', 'The ID token is signed with a key that the issuer does not publish.')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  if (!(await crypto.subtle.verify(algorithm, key, bytesOf(signature), new TextEncoder().encode(`${head}.${body}`))))
    throw new Refused('id_token', 'The signature of the ID token does not match.')
  const claims = decoded(body)
  const checks = {
    iss: claims.iss === endpoints.issuer,
    aud: claims.aud === client_id,
    exp: typeof claims.exp === 'number' && claims.exp > Date.now() / 1000 - clock_skew_seconds,
    nonce: claims.nonce === nonce,
  }
  const wrong = Object.entries(checks).flatMap(([name, is_right]) => (is_right ? [] : [name]))
  if (wrong.length > 0) throw new Refused('id_token', `These claims of the ID token are not the expected ones: ${wrong.join(', ')}.`)
  return claims
}

/** The claims of a JWT, unchecked; `null` for an opaque token. */
export function claimsOf(token: string): Claims | null {
  const [, body, signature] = token.split('.')
  return body !== undefined && signature !== undefined ? decoded(body) : null
}

/** RFC 6749 §2.3.1: Basic has both parts form-encoded. A public client sends its id. */
function formOf({ application, secret }: Asker, fields: Record<string, string>): RequestInit {
  const { client_id, token_endpoint_auth_method: method } = application
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  if (method === 'client_secret' || method === 'client_secret_basic')
    return {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${encoded(client_id)}:${encoded(secret)}`)}` },
      body: new URLSearchParams(fields),
    }
  const credential = method === 'client_secret_post' ? { client_id, client_secret: secret } : { client_id }
  return { method: 'POST', body: new URLSearchParams({ ...fields, ...credential }) }
}

async function ask<T>(url: string, init: RequestInit = {}): Promise<T> {
  const limits = { credentials: 'omit', redirect: 'error', cache: 'no-store', referrerPolicy: 'no-referrer' } as const
  const answer = await fetch(url, { ...init, ...limits, signal: AbortSignal.timeout(longest_wait_ms) }).catch(() => {
    throw new Refused('unreachable', `The browser got no answer from ${new URL(url).origin}.`)
  })
  const body: any = await answer.json().catch(() => ({})) // the caller says what it reads
  if (!answer.ok)
    throw new Refused(
      body.error ?? body.code ?? `HTTP ${answer.status}`,
      body.error_description ?? body.detail ?? '',
      answer.headers.get('x-request-id'),
    )
  return body
}

const random = () => encode(crypto.getRandomValues(new Uint8Array(32)))
const encode = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
const bytesOf = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
const decoded = (text: string): Claims => JSON.parse(new TextDecoder().decode(bytesOf(text)))
