/**
 * Everything an application in the browser needs of OpenID Connect: authorization code with PKCE, state and nonce.
 * Tokens are handed to the caller and never stored; what must outlive the way to the sign-in page and back (verifier,
 * state, nonce) is in this tab's session storage, once.
 */
const kept = 'ostiary-demo'

/** The service, or what came back from it, is not as it should be. `code` is OAuth's word where there is one. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** OIDC Discovery 1.0 §4.3: where everything is, from an issuer that calls itself by the name we know it by. */
export async function discover(issuer) {
  const provider = await fetchJson(`${issuer}/.well-known/openid-configuration`)
  if (provider.issuer !== issuer) throw new Refusal('issuer', `The discovery document is of another issuer: ${provider.issuer}`)
  return provider
}

/** RFC 7636 §4.1, §4.2; OIDC Core §3.1.2.1. The address to send the person to. */
export async function beginSignIn(provider, { client_id, redirect_uri, scope, login_hint }) {
  const [code_verifier, state, nonce] = [randomText(), randomText(), randomText()]
  sessionStorage.setItem(kept, JSON.stringify({ code_verifier, state, nonce, at: Date.now() }))
  const request = { response_type: 'code', client_id, redirect_uri, scope, state, nonce, login_hint }
  const pkce = { code_challenge: toBase64Url(await sha256(code_verifier)), code_challenge_method: 'S256' }
  return `${provider.authorization_endpoint}?${new URLSearchParams({ ...request, ...pkce })}`
}

/** What this tab remembers of the sign-in it began; it is forgotten by being read. */
export function takeBegun() {
  const text = sessionStorage.getItem(kept)
  sessionStorage.removeItem(kept)
  return text === null ? null : JSON.parse(text)
}

/** RFC 6749 §4.1.2, RFC 9207 §2.4: the answer belongs to the request of this tab and comes from this issuer. */
export function readCode(answer, begun, provider) {
  if (begun === null || answer.get('state') !== begun.state) throw new Refusal('state', '')
  if (answer.get('iss') !== provider.issuer) throw new Refusal('iss', 'The answer names another issuer than the one that was asked.')
  if (answer.has('error')) throw new Refusal(answer.get('error'), answer.get('error_description') ?? '')
  return answer.get('code')
}

/** RFC 6749 §4.1.3, RFC 7636 §4.5. A public client has no secret: the verifier shows that the code is its own. */
export const exchangeCode = (provider, { client_id, redirect_uri }, code, code_verifier) =>
  post(provider.token_endpoint, { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier })

/** RFC 6749 §6. The answer holds the next refresh token; this one is spent. */
export const refresh = (provider, { client_id }, refresh_token) =>
  post(provider.token_endpoint, { grant_type: 'refresh_token', client_id, refresh_token })

/** RFC 7009 §2.1. With the refresh token goes everything that was bought with it. */
export const revoke = (provider, { client_id }, token) => post(provider.revocation_endpoint, { client_id, token })

/** OIDC Core §5.3.1. */
export const readUserInfo = (provider, access_token) =>
  fetchJson(provider.userinfo_endpoint, { headers: { authorization: `Bearer ${access_token}` } })

/** OIDC Core §3.1.3.7: signed by a key of this issuer, for this application, for this sign-in, and now. */
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
    throw new Refusal('id_token', 'The signature of the ID token does not fit it.')

  const claims = fromBase64Url(body)
  const wrong = [
    claims.iss !== provider.issuer && 'iss',
    claims.aud !== client_id && 'aud',
    claims.exp * 1000 <= Date.now() && 'exp',
    claims.nonce !== nonce && 'nonce',
  ].filter(Boolean)
  if (wrong.length > 0) throw new Refusal('id_token', `The ID token is not the expected one: ${wrong.join(', ')}.`)
  return claims
}

/** The claims of a JWT, unchecked, to look at; `null` for a token that only its issuer can read. */
export function claimsOf(token) {
  const parts = token.split('.')
  return parts.length === 3 ? fromBase64Url(parts[1]) : null
}

/** The state by which this page knows that it is opened after a sign-out. */
export const signed_out = 'signed_out'

/** RP-Initiated Logout 1.0 §2. The ID token says whose sign-out this is, so that nobody is asked. */
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
