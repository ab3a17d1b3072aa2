/**
 * The entry `@ostiary/sdk/sessions`: sign-in, callback, refresh and sign-out of a web application over requests and responses of the Fetch
 * standard, for any framework that has them. The entries for Express, Hono and Next.js are thin layers over it. All state is in two
 * encrypted cookies, so every process with the same secret answers every request.
 *
 * A cookie cannot be taken back. So a back-channel logout does not end this session at once: it ends with the next refresh, which the
 * issuer refuses. Where it must end at once, keep the ended `sid`s in a store of yours and compare `session.user.sid`.
 */
import { decodeJwt } from 'jose'
import { platform } from '../runtime.ts'
import { createJar } from './cookies.ts'
import { challengeOf, createIssuer, errorIn, randomText, type Tokens } from './issuer.ts'
import { type Session, SessionError, type SessionOptions } from './options.ts'
import { isOfOrganization, isOrganization, orgIdOf } from './organization.ts'
import { createRefresher } from './refresh.ts'

export { type Session, SessionError, type SessionErrorCode, type SessionOptions, type SessionUser } from './options.ts'

/** The session of a request, and the cookies to send with the response. */
export interface Loaded {
  session: Session | null
  set_cookies: readonly string[]
}

export interface Sessions {
  /** Answers the requests below `path`; `null` for any other. */
  handle(request: Request): Promise<Response | null>
  /** Reads the session of a header `Cookie`, and refreshes it shortly before its access token expires. */
  load(cookie: string | null): Promise<Loaded>
  /** Reads the session without a refresh, for code that cannot set cookies. `null` when the access token has expired. */
  peek(cookie: string | null): Promise<Session | null>
  /**
   * The address that begins a sign-in and returns to a path of the application. `organization` is the id or the slug of the one to act in, or
   * `none`; without it the person chooses where there is a choice.
   */
  signInPath(return_to: string, choice?: { organization?: string | undefined }): string
}

interface SignIn {
  state: string
  nonce: string
  verifier: string
  return_to: string
  /** The one that was asked for. */
  organization?: string
  /** In seconds since 1970. */
  until: number
}

const sign_in_seconds = 600
/** The sign-ins that a browser can have begun in several tabs. The oldest is evicted. */
const most_sign_ins = 3
const longest_path = 1_000
const refresh_before_seconds = 60

export function createSessions(options: SessionOptions): Sessions {
  const { origin, secrets, path, is_secure } = checked(options)
  const { scope = 'openid profile email offline_access', after_sign_out = '/', max_age_seconds = 604_800 } = options
  const now = options.now ?? platform.now
  const seconds = () => Math.floor(now().getTime() / 1000)
  const issuer = createIssuer(options, now)
  const jar = createJar({ secrets, issuer: options.issuer, client_id: options.client_id, is_secure })
  const refresh = createRefresher(issuer.refresh, seconds)
  const redirect_uri = `${origin}${path}/callback`

  async function read(cookie: string | null): Promise<(Tokens & { until: number }) | null> {
    const kept = (await jar.read(cookie, 'session')) as (Tokens & { until: number }) | null // as: encrypted by `sessionCookie`
    return kept === null || kept.until <= seconds() ? null : kept
  }
  const sessionCookie = (tokens: Tokens, until: number) => jar.write('session', { ...tokens, until }, until - seconds())

  async function signInsOf(cookie: string | null): Promise<SignIn[]> {
    const kept = await jar.read(cookie, 'sign-in')
    const all = (kept?.all ?? []) as SignIn[] // as: encrypted by `signInCookie`
    return all.filter(({ until }) => until > seconds())
  }
  const signInCookie = (all: readonly SignIn[]) =>
    all.length === 0 ? Promise.resolve(jar.clear('sign-in')) : jar.write('sign-in', { all }, sign_in_seconds)

  async function signIn(url: URL, cookie: string | null): Promise<Response> {
    const return_to = url.searchParams.get('return_to') ?? '/'
    if (!isOwnPath(return_to, origin)) return text(400, 'return_to must be a path of this application, such as /orders.')
    const organization = url.searchParams.get('organization')
    if (organization !== null && !isOrganization(organization)) return text(400, 'organization must be an id, a slug, or none.')
    const asked = organization === null ? {} : { organization }
    const [verifier, state, nonce] = [randomText(), randomText(), randomText()]
    const earlier = (await signInsOf(cookie)).slice(-(most_sign_ins - 1))
    const begun = await signInCookie([...earlier, { state, nonce, verifier, return_to, ...asked, until: seconds() + sign_in_seconds }])
    const { authorization_endpoint } = await issuer.metadata()
    const parameters = {
      response_type: 'code',
      client_id: options.client_id,
      redirect_uri,
      scope,
      state,
      nonce,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(options.resource === undefined ? {} : { resource: options.resource }),
      ...asked,
    }
    return redirect(`${authorization_endpoint}?${new URLSearchParams(parameters)}`, [begun])
  }

  /** RFC 6749 §10.12: an answer is accepted once, and only in the browser that asked. */
  async function callback(url: URL, cookie: string | null): Promise<Response> {
    const all = await signInsOf(cookie)
    const state = url.searchParams.get('state')
    const begun = all.find((each) => each.state === state)
    if (begun === undefined) return text(400, `This sign-in did not begin in this browser, or is over. Begin again: ${path}/sign-in`)
    const others = await signInCookie(all.filter((each) => each !== begun))
    const iss = url.searchParams.get('iss')
    if (iss !== null && iss !== options.issuer) return text(400, 'The answer is of another issuer.', [others]) // RFC 9207 §2.4
    const code = url.searchParams.get('code')
    if (code === null) return text(400, `The sign-in ended with ${errorIn({ error: url.searchParams.get('error') })}.`, [others])
    const tokens = await issuer.redeem(code, { ...begun, redirect_uri }).catch((error: unknown) => {
      if (error instanceof SessionError && error.code === 'sign_in_refused') return null
      throw error
    })
    if (tokens === null) return text(400, `The sign-in was refused. Begin again: ${path}/sign-in`, [others])
    if (begun.organization !== undefined && !isOfOrganization(decodeJwt(tokens.id_token), begun.organization))
      return text(400, 'The sign-in is for another organization than the one that was asked for.', [others])
    return redirect(`${origin}${begun.return_to}`, [others, await sessionCookie(tokens, seconds() + max_age_seconds)])
  }

  async function signOut(request: Request, cookie: string | null): Promise<Response> {
    const sent_by = request.headers.get('origin')
    if (sent_by !== null && sent_by !== origin) return text(403, 'Only a page of this application signs out.')
    const tokens = await read(cookie)
    const { end_session_endpoint } = await issuer.metadata()
    if (tokens?.refresh_token) await issuer.revoke(tokens.refresh_token)
    const parameters = {
      client_id: options.client_id,
      post_logout_redirect_uri: `${origin}${after_sign_out}`,
      ...(tokens ? { id_token_hint: tokens.id_token } : {}),
    }
    const cleared = [jar.clear('session'), jar.clear('sign-in')]
    return redirect(tokens ? `${end_session_endpoint}?${new URLSearchParams(parameters)}` : `${origin}${after_sign_out}`, cleared)
  }

  /** For the hook of React: what a page may know. The tokens stay on the server. */
  async function show(cookie: string | null): Promise<Response> {
    const { session, set_cookies } = await load(cookie)
    return answer(200, JSON.stringify({ user: session?.user ?? null }), set_cookies, { 'content-type': 'application/json' })
  }

  async function load(cookie: string | null): Promise<Loaded> {
    const kept = await read(cookie)
    if (kept === null) return { session: null, set_cookies: [] }
    if (kept.expires_at - refresh_before_seconds > seconds()) return { session: sessionOf(kept), set_cookies: [] }
    if (kept.refresh_token === null)
      return kept.expires_at > seconds()
        ? { session: sessionOf(kept), set_cookies: [] }
        : { session: null, set_cookies: [jar.clear('session')] }
    const tokens = await refresh(kept).catch((error: unknown) => {
      // The issuer may be away for a moment, and the access token is still valid.
      if (kept.expires_at > seconds()) return kept
      throw error
    })
    if (tokens === kept) return { session: sessionOf(kept), set_cookies: [] }
    if (tokens === null) return { session: null, set_cookies: [jar.clear('session')] }
    return { session: sessionOf(tokens), set_cookies: [await sessionCookie(tokens, kept.until)] }
  }

  return {
    load,
    async peek(cookie) {
      const kept = await read(cookie)
      return kept === null || kept.expires_at <= seconds() ? null : sessionOf(kept)
    },
    signInPath: (return_to, { organization } = {}) =>
      `${path}/sign-in?${new URLSearchParams({ return_to, ...(organization === undefined ? {} : { organization }) })}`,
    async handle(request) {
      const url = new URL(request.url)
      const cookie = request.headers.get('cookie')
      const is_get = request.method === 'GET'
      switch (url.pathname) {
        case `${path}/sign-in`:
          return is_get ? signIn(url, cookie) : notAllowed('GET')
        case `${path}/callback`:
          return is_get ? callback(url, cookie) : notAllowed('GET')
        case `${path}/session`:
          return is_get ? show(cookie) : notAllowed('GET')
        case `${path}/sign-out`:
          return request.method === 'POST' ? signOut(request, cookie) : notAllowed('POST')
        default:
          return null
      }
    },
  }
}

function sessionOf({ access_token, id_token, expires_at }: Tokens): Session {
  const { iss: _iss, aud: _aud, exp: _exp, iat: _iat, nonce: _nonce, at_hash: _at_hash, ...claims } = decodeJwt(id_token)
  return { user: { ...claims, sub: String(claims.sub) }, org_id: orgIdOf(claims), access_token, expires_at: new Date(expires_at * 1000) }
}

/** Whether a text is a path of this origin: `//evil.example` and `/\evil.example` are not. */
export function isOwnPath(text: string, origin: string): boolean {
  if (text.length > longest_path || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return false
  return URL.canParse(text, origin) && new URL(text, origin).origin === origin
}

function checked({ issuer, client_id, client_secret, base_url, secret, path = '/auth', after_sign_out = '/' }: SessionOptions) {
  const bad = (message: string) => new SessionError('bad_options', message)
  for (const [name, value] of Object.entries({ issuer, client_id, client_secret, base_url }))
    if (typeof value !== 'string' || value === '') throw bad(`Sessions need ${name}.`)
  const url = URL.canParse(base_url) ? new URL(base_url) : null
  if (url === null || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw bad('base_url is the address of the application without a path, such as https://app.example.com.')
  for (const address of [url, URL.canParse(issuer) ? new URL(issuer) : null])
    if (address === null || (address.protocol !== 'https:' && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(address.hostname)))
      throw bad('issuer and base_url need https, except on localhost.')
  const secrets = [secret].flat()
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each.length < 32))
    throw bad('secret needs at least 32 random characters: openssl rand -base64 32.')
  if (!/^(\/[\w-]+)+$/.test(path)) throw bad('path begins with a slash and ends without one, such as /auth.')
  if (!isOwnPath(after_sign_out, url.origin)) throw bad('after_sign_out is a path of the application.')
  return { origin: url.origin, secrets, path, is_secure: url.protocol === 'https:' }
}

function answer(status: number, body: string | null, set_cookies: readonly string[], more: Record<string, string>): Response {
  const headers = new Headers({ 'cache-control': 'no-store', ...more })
  for (const cookie of set_cookies) headers.append('set-cookie', cookie)
  return new Response(body, { status, headers })
}

const redirect = (location: string, set_cookies: readonly string[]) =>
  answer(303, null, set_cookies, { location, 'referrer-policy': 'no-referrer' })
const text = (status: number, message: string, set_cookies: readonly string[] = []) =>
  answer(status, `${message}\n`, set_cookies, { 'content-type': 'text/plain; charset=utf-8' })
const notAllowed = (method: string) => answer(405, null, [], { allow: method })
