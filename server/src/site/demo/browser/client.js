/**
 * The OpenID Connect client of a browser application: authorization code flow with PKCE, state and nonce. It returns tokens to the
 * caller and never stores them. Verifier, state and nonce stay in this tab's session storage during the sign-in.
 */
const storage_key = 'ostiary-demo'

/** The service refused, or its answer failed a check. `code` is the OAuth error code if there is one. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** OIDC Discovery 1.0 §4.3: fetches the discovery document and compares its issuer. */
export async function discover(issuer) {
  const provider = await fetchJson(`${issuer}/.well-known/openid-configuration`)
  if (provider.issuer !== issuer) throw new Refusal('issuer', `The discovery document belongs to another issuer: ${provider.issuer}`)
  return provider
}

/** RFC 7636 §4.1, §4.2; OIDC Core §3.1.2.1: returns the URL of the authorization request. */
export async function beginSignIn(provider, { client_id, redirect_uri, scope, login_hint }) {
  const [code_verifier, state, nonce] = [randomText(), randomText(), randomText()]
  sessionStorage.setItem(storage_key, JSON.stringify({ code_verifier, state, nonce, at: Date.now() }))
  const request = { response_type: 'code', client_id, redirect_uri, scope, state, nonce, login_hint }
  const pkce = { code_challenge: toBase64Url(await sha256(code_verifier)), code_challenge_method: 'S256' }
  return `${provider.authorization_endpoint}?${new URLSearchParams({ ...request, ...pkce })}`
}

/** Reads and removes the state of the sign-in that this tab started. */
export function takePendingSignIn() {
  const text = sessionStorage.getItem(storage_key)
  sessionStorage.removeItem(storage_key)
  return text === null ? null : JSON.parse(text)
}

/** RFC 6749 §4.1.2, RFC 9207 §2.4: checks that the response belongs to this tab's request and comes from this issuer. */
export function readCode(answer, pending, provider) {
  if (pending === null || answer.get('state') !== pending.state) throw new Refusal('state', '')
  if (answer.get('iss') !== provider.issuer) throw new Refusal('iss', 'The response comes from another issuer.')
  if (answer.has('error')) throw new Refusal(answer.get('error'), answer.get('error_description') ?? '')
  return answer.get('code')
}

/** RFC 6749 §4.1.3, RFC 7636 §4.5: a public client has no secret. The verifier proves that the code belongs to it. */
export const exchangeCode = (provider, { client_id, redirect_uri }, code, code_verifier) =>
  post(provider.token_endpoint, { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier })

/** RFC 6749 §6: the response contains the next refresh token. The current one is used up. */
export const refresh = (provider, { client_id }, refresh_token) =>
  post(provider.token_endpoint, { grant_type: 'refresh_token', client_id, refresh_token })

/** RFC 7009 §2.1: revoking a refresh token also revokes its access tokens. */
export const revoke = (provider, { client_id }, token) => post(provider.revocation_endpoint, { client_id, token })

/** OIDC Core §5.3.1. */
export const readUserInfo = (provider, access_token) =>
  fetchJson(provider.userinfo_endpoint, { headers: { authorization: `Bearer ${access_token}` } })

/** OIDC Core §3.1.3.7: checks the signature, issuer, audience, expiry and nonce of an ID token. */
export async function checkIdToken(provider, { client_id }, id_token, nonce) {
  const [head, body, signature] = id_token.split('.')
  const { alg, kid } = fromBase64Url(head)
  const { keys } = await fetchJson(provider.jwks_uri)
  const jwk = keys.find((key) => key.kid === kid)
  if (alg !== 'RS256' || !jwk) throw new Refusal('id_token', 'The ID token is signed with a key that the issuer does not publish.')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${head}.${body}`)
  if (!(await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed)))
    throw new Refusal('id_token', 'The signature of the ID token does not match.')

  const claims = fromBase64Url(body)
  const wrong = [
    claims.iss !== provider.issuer && 'iss',
    claims.aud !== client_id && 'aud',
    claims.exp * 1000 <= Date.now() && 'exp',
    claims.nonce !== nonce && 'nonce',
  ].filter(Boolean)
  if (wrong.length > 0) throw new Refusal('id_token', `The ID token has unexpected claims: ${wrong.join(', ')}.`)
  return claims
}

/** Decodes the claims of a JWT without checking it; `null` for an opaque token. */
export function claimsOf(token) {
  const parts = token.split('.')
  return parts.length === 3 ? fromBase64Url(parts[1]) : null
}

/** The state parameter that marks the return from a sign-out. */
export const signed_out = 'signed_out'

/** RP-Initiated Logout 1.0 §2: with the ID token as a hint, sign-out needs no confirmation. */
export function signOutAddress(provider, id_token_hint, post_logout_redirect_uri) {
  return `${provider.end_session_endpoint}?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri, state: signed_out })}`
}

const post = (url, form) => fetchJson(url, { method: 'POST', body: new URLSearchParams(form) })

async function fetchJson(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw new Refusal('unreachable', '')
  })
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refusal(body.error ?? `HTTP ${response.status}`, body.error_description ?? body.detail ?? '')
  return body
}

const randomText = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
const sha256 = (text) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
const toBase64Url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
const fromBase64Url = (text) => JSON.parse(new TextDecoder().decode(bytesOf(text)))
