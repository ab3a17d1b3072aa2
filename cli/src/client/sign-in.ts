/**
 * The sign-in of a person: authorization code with PKCE, state and nonce, in the browser, back to a loopback port (RFC 8252). The answer
 * can also be pasted, for a machine whose loopback the browser does not reach.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { discover, postForm, type Service } from './discovery.ts'
import type { Io } from './io.ts'
import { type Listener, listenForAnswer, readLines } from './loopback.ts'
import { jsonOf, type Tokens } from './profiles.ts'
import { Refused } from './refused.ts'
import { visible } from './show.ts'

const patience_ms = 10 * 60_000

export interface SignInRequest {
  base_url: string
  /** How many seconds ago the person may have signed in; `undefined`: any time. */
  max_age?: number
  opens_browser: boolean
}

export interface SignedIn {
  service: Service
  user_id: string
  tokens: Tokens
}

export async function signIn(io: Io, { base_url, max_age, opens_browser }: SignInRequest): Promise<SignedIn> {
  const service = await discover(base_url)
  const state = io.random(32).toString('base64url')
  const nonce = io.random(32).toString('base64url')
  const code_verifier = io.random(32).toString('base64url')
  const listener = await listenForAnswer(service.redirect_uri, state).catch(() => null) // without a port the answer is pasted
  const redirect_uri = listener?.redirect_uri ?? service.redirect_uri
  try {
    const url = addressOf(service, { redirect_uri, state, nonce, code_verifier, max_age })
    io.err(`Sign in at this address:\n\n${url}\n\nIf the browser runs on another machine, paste the address where it ends:\n`)
    if (opens_browser) io.openBrowser(url)
    const code = codeOf(await waitForAnswer(io, listener, state), service.issuer)
    const { tokens, id_token } = await exchange(io, service, { code, redirect_uri, code_verifier })
    return { service, user_id: userOf(id_token, service, nonce), tokens }
  } finally {
    listener?.close()
  }
}

interface Secrets {
  redirect_uri: string
  state: string
  nonce: string
  code_verifier: string
  max_age: number | undefined
}

function addressOf(service: Service, { redirect_uri, state, nonce, code_verifier, max_age }: Secrets): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: service.client_id,
    redirect_uri,
    scope: 'openid offline_access',
    resource: service.base_url,
    state,
    nonce,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(max_age === undefined ? {} : { max_age: String(max_age) }),
  })
  return new URL(`${service.authorization_endpoint}?${query}`).href
}

/** Waits for the browser and for a pasted answer; the first one is used. */
async function waitForAnswer(io: Io, listener: Listener | null, state: string): Promise<URLSearchParams> {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, io.signal])
  const waits = [aborted(AbortSignal.any([io.signal, AbortSignal.timeout(patience_ms)])), pasted(io, signal, state, listener !== null)]
  try {
    return await Promise.race([...waits, ...(listener === null ? [] : [listener.answer])])
  } finally {
    done.abort()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Refused('There was no sign-in. Run "ostiary login" again.'))
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
}

/** The pasted answer. Without more input the browser alone can answer, if it reaches this machine. */
async function pasted(io: Io, signal: AbortSignal, state: string, can_wait: boolean): Promise<URLSearchParams> {
  const parameters = await readLines(io.input, signal, (line) => {
    if (line === '') return null
    const found = parametersIn(line)
    // A bare code has no state. PKCE and the nonce bind it to this sign-in (RFC 9700 §2.1.1).
    if (found.has('state') ? found.get('state') === state : found.has('code')) return found
    io.err('This is not the address of this sign-in. Paste all of it, from http:// to its end:\n')
    return null
  })
  if (parameters !== null) return parameters
  if (can_wait || signal.aborted) return new Promise(() => {})
  throw new Refused('This machine has no free loopback port, and no answer was pasted. Run "ostiary login" at a terminal.')
}

function parametersIn(line: string): URLSearchParams {
  if (URL.canParse(line)) return new URL(line).searchParams
  return new URLSearchParams(/^[A-Za-z0-9._~-]+$/.test(line) ? { code: line } : {})
}

function codeOf(answer: URLSearchParams, issuer: string): string {
  const error = answer.get('error')
  if (error !== null) throw new Refused(`The sign-in was refused: ${visible(answer.get('error_description') ?? error)} (${visible(error)})`)
  // RFC 9207 §2.4: another issuer's answer. A bare code has none.
  const iss = answer.get('iss')
  if (iss !== null && iss !== issuer) throw new Refused('The answer is from another issuer. Run "ostiary login" again.')
  const code = answer.get('code')
  if (code === null) throw new Refused('The answer has no code. Run "ostiary login" again.')
  return code
}

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).optional(),
  id_token: z.string().optional(),
})

const TokenError = z.object({ error: z.string(), error_description: z.string().default('') })

async function exchange(io: Io, service: Service, grant: { code: string; redirect_uri: string; code_verifier: string }) {
  const form = { grant_type: 'authorization_code', client_id: service.client_id, ...grant }
  const answer = await postForm(service.token_endpoint, form)
  const { tokens, id_token } = readTokens(io, answer, null)
  if (id_token === null) throw new Refused('The service sent no ID token.')
  return { tokens, id_token }
}

/** The tokens of an answer of the token endpoint. An answer without a refresh token keeps the one before. */
export function readTokens(io: Io, { status, body }: { status: number; body: unknown }, refresh_token: string | null) {
  const parsed = TokenAnswer.safeParse(body)
  if (status !== 200 || !parsed.success) {
    const error = TokenError.safeParse(body)
    const why = error.success ? `${visible(error.data.error_description)} (${visible(error.data.error)})` : `status ${status}`
    throw new TokenRefused(error.success ? error.data.error : 'unexpected_answer', `The service issued no tokens: ${why}`)
  }
  const { access_token, expires_in, id_token = null } = parsed.data
  const expires_at = new Date(io.now().getTime() + expires_in * 1000).toISOString()
  const tokens: Tokens = { access_token, expires_at, refresh_token: parsed.data.refresh_token ?? refresh_token }
  return { tokens, id_token }
}

/** The token endpoint refused a grant. `code` is an error code of OAuth. */
export class TokenRefused extends Refused {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const IdToken = z.object({ iss: z.string(), aud: z.union([z.string(), z.array(z.string())]), sub: z.string(), nonce: z.string() })

/**
 * The user of an ID token. OIDC Core §3.1.3.7: the token comes directly from the token endpoint, so the connection stands for its
 * signature; issuer, audience and nonce are checked.
 */
function userOf(id_token: string, { issuer, client_id }: Service, nonce: string): string {
  const claims = IdToken.safeParse(jsonOf(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()))
  if (!claims.success || claims.data.iss !== issuer || ![claims.data.aud].flat().includes(client_id))
    throw new Refused('The ID token is not for this command.')
  if (!isSame(claims.data.nonce, nonce)) throw new Refused('The ID token belongs to another sign-in. Run "ostiary login" again.')
  return claims.data.sub
}

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
