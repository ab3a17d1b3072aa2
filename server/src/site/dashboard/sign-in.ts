/**
 * Signs an administrator in to the dashboard by the code flow of the root issuer.
 *
 *     GET /dashboard/sign-in    → the authorization request, with state, nonce and PKCE that are derived from a secret in a cookie
 *     GET /dashboard/callback   → the code is exchanged, the session stored, and the browser gets its cookie
 *
 * The server stores nothing in between. The cookie is removed at the callback, and the issuer redeems each code once.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, sha256 } from '../../base/digest.ts'
import { accountAddress } from '../../base/email.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { refusal } from '../../base/refusal.ts'
import { returnPath } from '../../base/return-path.ts'
import { newSecret } from '../../deployment/deployment.ts'
import type { DashboardRequest } from '../../http/dashboard-routes.ts'
import { ApiError } from '../../http/problem.ts'
import { type Answer, redirect, refused } from '../../oidc/call.ts'
import { html } from '../../oidc/hosted-page.ts'
import { verifyJwt } from '../../oidc/jwt.ts'
import { signInFailedPage } from '../../pages/dashboard.ts'
import { serviceContext } from '../../pages/service.ts'
import { OAuthError } from '../../protocol/oauth-error.ts'
import { dashboardSessionCookie, readSignInCookie, signInCookie } from './cookies.ts'
import { findByCookie } from './session.ts'
import { endDashboardSession, insertDashboardSession } from './store.ts'
import { type DashboardServices, keepTokens, requestTokens, rootIssuer, type TokenResponse } from './tokens.ts'

export async function beginDashboardSignIn(services: DashboardServices, { query }: DashboardRequest): Promise<Answer> {
  const asked = new URLSearchParams(query)
  const max_age = asked.get('max_age')
  if (max_age !== null && !/^[0-9]{1,6}$/.test(max_age)) throw new ApiError('malformed_request', 'max_age is a number of seconds.')
  const login_hint = asked.get('login_hint')
  if (login_hint !== null && accountAddress(login_hint) === null)
    throw new ApiError('malformed_request', 'login_hint is the email address of the person.')
  const { request, cookie } = beginRequest(services, { max_age, login_hint, return_to: returnPath(asked.get('return_to') ?? '') })
  return redirect(`${(await rootIssuer(services)).url}/oauth/authorize?${request}`, { 'set-cookie': [cookie] })
}

interface SignInAsked {
  max_age: string | null
  /** Fills in the address on the sign-in page. It proves nothing: anyone can sign in there. */
  login_hint: string | null
  return_to: string
}

/** An authorization request of the dashboard, and the cookie that its answer is checked against. */
export function beginRequest(services: DashboardServices, { max_age, login_hint, return_to }: SignInAsked) {
  const { config, client } = services
  const secret = newSecret(services)
  const id = services.random(12).toString('base64url')
  const { state, nonce, code_verifier } = derived(services, id, secret)
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope: 'openid offline_access',
    resource: config.base_url,
    state,
    nonce,
    code_challenge: sha256(code_verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...(max_age === null ? {} : { max_age }),
    ...(login_hint === null ? {} : { login_hint }),
  })
  return { request: request.toString(), cookie: signInCookie(config.base_url, id, { secret, return_to }) }
}

export async function finishDashboardSignIn(services: DashboardServices, request: DashboardRequest): Promise<Answer> {
  const { config, db, now } = services
  const { base_url } = config
  const answer = new URLSearchParams(request.query)
  const [, id = ''] = /^([A-Za-z0-9_-]{16})\./.exec(answer.get('state') ?? '') ?? []
  const begun = id === '' ? null : readSignInCookie(base_url, request.headers.cookie, id)
  if (!begun) return failed(request, base_url, '/dashboard', reason`The browser sent no cookie of this sign-in to the dashboard.`)
  const return_to = returnPath(begun.return_to)
  const used = signInCookie(base_url, id, null)
  const fail = (why: Reason) => {
    const page = failed(request, base_url, return_to, why)
    return { ...page, headers: { ...page.headers, 'set-cookie': [used] } }
  }

  const expected = derived(services, id, begun.secret)
  if (!isEqual(answer.get('state') ?? '', expected.state)) return fail(reason`state belongs to another sign-in.`)
  const issuer = await rootIssuer(services)
  if (answer.get('iss') !== issuer.url) return fail(reason`iss is not the issuer of administrators.`) // RFC 9207 §2.4
  const code = answer.get('code')
  if (code === null) return fail(reason`The issuer answered with an error instead of a code.`)

  const { code_verifier, nonce } = expected
  const parameters = { grant_type: 'authorization_code', code, redirect_uri: services.client.redirect_uri, code_verifier }
  const issued = await requestTokens(services, parameters, request).catch((error) => {
    if (error instanceof OAuthError) return error
    throw error
  })
  if (issued instanceof OAuthError) return fail(issued.reason)
  const claims = verifyJwt(issuer.keys, 'JWT', issued.id_token)
  if (claims?.nonce !== nonce || claims.aud !== services.client.client_id) return fail(reason`The ID token is not for this sign-in.`)

  const previous = await findByCookie(services, request.headers.cookie)
  const { secret, statement } = await newSession(services, issued, claims)
  await db.run(statement)
  if (previous) await db.of(issuer.environment_id).batch(endDashboardSession(previous, now()))
  return redirect(base_url + return_to, { 'set-cookie': [used, dashboardSessionCookie(base_url, secret)] })
}

async function newSession(services: DashboardServices, issued: TokenResponse, { sub, sid }: Readonly<Record<string, unknown>>) {
  const now = services.now()
  const secret = newSecret(services)
  const session_hash = digestOf(secret)
  const { kept, grant_id } = await keepTokens(services, session_hash, issued, now)
  const { environment_id } = await rootIssuer(services)
  const of = { session_hash, environment_id, user_id: String(sub), session_id: String(sid), grant_id }
  return { secret, statement: insertDashboardSession(of, kept, now) }
}

/** The values of one sign-in. Only this service can compute them, and only with the secret in the cookie of the browser. */
function derived({ secrets }: Pick<DashboardServices, 'secrets'>, id: string, secret: string) {
  const part = (name: string) => secrets.mac('dashboard-sign-in', `${name}.${id}.${secret}`).toString('base64url')
  return { state: `${id}.${part('state')}`, nonce: part('nonce'), code_verifier: part('code_verifier') }
}

function isEqual(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** A page with the way to sign in again. */
function failed({ headers, request_id }: DashboardRequest, base_url: string, return_to: string, why: Reason): Answer {
  const again = `${base_url}/dashboard/sign-in?${new URLSearchParams({ return_to })}`
  const page = signInFailedPage(serviceContext(base_url, headers['accept-language']), { again, request_id })
  return refused(html(page), refusal('form_expired', why))
}
