/** The calls to the issuer: metadata, tokens, revocation. Verifies the ID token (OIDC Core §3.1.3.7). */
import { base64url, decodeJwt, type JWTHeaderParameters, jwtVerify } from 'jose'
import { createKeySet, type KeySet } from '../key-set.ts'
import { SessionError, type SessionOptions } from './options.ts'

/** The tokens of a sign-in that the cookie contains. */
export interface Tokens {
  access_token: string
  refresh_token: string | null
  id_token: string
  /** In seconds since 1970. */
  expires_at: number
}

interface Metadata {
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint: string
  revocation_endpoint: string
}

export interface Issuer {
  metadata(): Promise<Metadata>
  redeem(code: string, sign_in: { verifier: string; nonce: string; redirect_uri: string }): Promise<Tokens>
  /** `null` if the issuer refuses: the session has ended. */
  refresh(before: Tokens): Promise<Tokens | null>
  /** Ends the grant. A failure changes nothing for the person, whose cookie is gone. */
  revoke(token: string): Promise<void>
}

const timeout_ms = 10_000

export function createIssuer(options: SessionOptions, now: () => Date): Issuer {
  const { issuer, client_id, client_secret, resource } = options
  const call = options.fetch ?? globalThis.fetch
  const keys: KeySet = createKeySet({ issuer, fetch: options.fetch, now })
  const authorization = `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(client_secret)}`)}` // RFC 6749 §2.3.1
  let reading: Promise<Metadata> | null = null

  async function send(url: string, init: RequestInit): Promise<{ status: number; body: Record<string, unknown> }> {
    try {
      const response = await call(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeout_ms) })
      const text = await response.text()
      const body: unknown = text === '' ? {} : JSON.parse(text)
      return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : {} }
    } catch (cause) {
      throw new SessionError('issuer_unavailable', 'The issuer does not answer.', { cause })
    }
  }

  async function discover(): Promise<Metadata> {
    const { status, body } = await send(`${issuer}/.well-known/openid-configuration`, { headers: { accept: 'application/json' } })
    const names = ['authorization_endpoint', 'token_endpoint', 'end_session_endpoint', 'revocation_endpoint']
    // OIDC Discovery §4.3: the metadata is that of this issuer.
    if (status !== 200 || body.issuer !== issuer || names.some((name) => typeof body[name] !== 'string'))
      throw new SessionError('issuer_unavailable', 'The metadata of the issuer is not that of this issuer.')
    return body as unknown as Metadata // as: its members are checked
  }

  function metadata(): Promise<Metadata> {
    reading ??= discover().catch((error: unknown) => {
      reading = null // the next request asks again
      throw error
    })
    return reading
  }

  async function post(url: string, form: Record<string, string>) {
    const headers = { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await send(url, { method: 'POST', headers, body: new URLSearchParams(form).toString() })
    if (answer.status >= 500 || answer.status === 429)
      throw new SessionError('issuer_unavailable', `The issuer answers with ${answer.status}.`)
    return answer
  }

  /** RFC 9700 §4.14: a refreshed ID token is of the same person. Its nonce is that of the sign-in, or absent. */
  async function tokensOf(body: Record<string, unknown>, expected: { nonce: string } | { before: Tokens }): Promise<Tokens> {
    const before = 'before' in expected ? expected.before : null
    const { access_token, refresh_token = before?.refresh_token ?? null, id_token = before?.id_token, expires_in } = body
    if (typeof access_token !== 'string' || typeof id_token !== 'string' || typeof expires_in !== 'number')
      throw new SessionError('sign_in_refused', 'The issuer sent no tokens.')
    if (id_token !== before?.id_token) {
      const claims = await verifyIdToken(id_token)
      if ('nonce' in expected && claims.nonce !== expected.nonce)
        throw new SessionError('sign_in_refused', 'The ID token is of another sign-in.')
      if (before && claims.sub !== decodeJwt(before.id_token).sub)
        throw new SessionError('sign_in_refused', 'The ID token is of another person.')
    }
    const expires_at = Math.floor(now().getTime() / 1000) + expires_in
    return { access_token, refresh_token: typeof refresh_token === 'string' ? refresh_token : null, id_token, expires_at }
  }

  async function verifyIdToken(id_token: string) {
    const find = async ({ kid, alg }: JWTHeaderParameters) => {
      const key = typeof kid === 'string' ? await keys.find(kid, alg) : null
      if (key === null) throw new SessionError('sign_in_refused', 'The issuer has no such key.')
      return key
    }
    try {
      const expected = { issuer, audience: client_id, algorithms: ['RS256'], requiredClaims: ['exp', 'iat', 'sub'], clockTolerance: 5 }
      const { payload } = await jwtVerify(id_token, find, { ...expected, currentDate: now() })
      if (payload.azp !== undefined && payload.azp !== client_id)
        throw new SessionError('sign_in_refused', 'The ID token is of another application.')
      return payload
    } catch (error) {
      if (error instanceof SessionError) throw error
      throw new SessionError('sign_in_refused', 'The ID token is not valid.', { cause: error })
    }
  }

  return {
    metadata,
    async redeem(code, { verifier, nonce, redirect_uri }) {
      const { token_endpoint } = await metadata()
      const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, ...(resource ? { resource } : {}) }
      const { status, body } = await post(token_endpoint, form)
      if (status !== 200) throw new SessionError('sign_in_refused', `The issuer refused the code: ${errorIn(body)}.`)
      return tokensOf(body, { nonce })
    },
    async refresh(before) {
      if (before.refresh_token === null) return null
      const { token_endpoint } = await metadata()
      const form = { grant_type: 'refresh_token', refresh_token: before.refresh_token, ...(resource ? { resource } : {}) }
      const { status, body } = await post(token_endpoint, form)
      if (status === 200) return tokensOf(body, { before })
      if (body.error === 'invalid_grant') return null
      throw new SessionError('issuer_unavailable', `The issuer refused the refresh: ${errorIn(body)}.`)
    },
    async revoke(token) {
      const { revocation_endpoint } = await metadata()
      await post(revocation_endpoint, { token }).catch(() => null)
    },
  }
}

/** A code of RFC 6749 §5.2, and nothing else that a stranger could put into an answer. */
export const errorIn = ({ error }: Record<string, unknown>): string =>
  typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'an unknown error'

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

export const randomText = (): string => base64url.encode(crypto.getRandomValues(new Uint8Array(32)))

/** RFC 7636 §4.2 */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64url.encode(new Uint8Array(digest))
}
