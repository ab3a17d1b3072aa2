/** Sign-out (RP-Initiated Logout 1.0): at once for whoever proves whom it means, after a question for everybody else. */
import { findClient } from '../../applications/store.ts'
import { insertEvent } from '../../events/store.ts'
import { signOutDonePage, signOutPage } from '../../pages/sign-out.ts'
import { type Browser, formToken, isOwnForm, readBrowser, sessionCookie, withCookies } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect } from '../call.ts'
import { html, message, pageContext } from '../hosted-page.ts'
import type { Client } from '../protocol/client.ts'
import { judgeLogout, type LogoutHint, logoutClientId } from '../protocol/logout.ts'
import { type RequestParameters, readParameters } from '../protocol/parameters.ts'
import { withQuery } from '../protocol/respond.ts'
import { verifyJwt } from '../signing-keys.ts'
import { endSession } from '../store/sessions.ts'

export const logout: OidcEndpoint = async (parts, call) => {
  // As at authorize: by a cross-site POST the cookies are missing, so the same request is sent on as GET.
  if (call.method === 'POST') {
    const query = asQuery([call.query, call.form?.toString()].filter(Boolean).join('&'))
    return query === null ? message(call, 'unusable_request') : redirect(`${call.issuer.url}/oauth/logout?${query}`)
  }

  const { client, verdict, browser, parameters } = await judge(parts, call, call.query)
  const [current] = browser.sessions
  if (verdict.kind === 'tell_the_person') return message(call, 'unusable_sign_out', verdict.error)
  if (verdict.kind === 'ask') {
    if (!current) return done(call, parameters, 'sign_out', verdict.link_to, client)
    const { csrf, set_cookie } = formToken(parts, call, browser)
    const view = { csrf, request: call.query, application_name: client?.name ?? null, person: { email: current.email, name: current.name } }
    return withCookies(html(signOutPage(context(call, parameters), view)), set_cookie)
  }
  await endSessions(parts, call, verdict.session_ids, browser)
  const kept = browser.sessions.filter((session) => !verdict.session_ids.includes(session.id)).map((session) => session.secret)
  const answer = verdict.redirect_to === null ? done(call, parameters, 'sign_out', null, client) : redirect(verdict.redirect_to)
  return withCookies(answer, [sessionCookie(call, kept)])
}

/** The answer to the question. Signing out by hand signs every account of this browser out: nobody expects another to stay. */
export const signOut: OidcEndpoint = async (parts, call) => {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return message(call, 'unusable_request')
  const { client, verdict, browser, parameters } = await judge(parts, call, query)
  const way_on = verdict.kind === 'ask' ? verdict.link_to : null
  if (!isOwnForm(parts, call, browser))
    return browser.sessions.length > 0
      ? redirect(`${call.issuer.url}/oauth/logout?${query}`)
      : done(call, parameters, 'sign_out', way_on, client)
  if (call.form?.get('decision') !== 'sign_out') return done(call, parameters, 'stay', way_on, client)
  await endSessions(
    parts,
    call,
    browser.sessions.map((session) => session.id),
    browser,
  )
  return withCookies(done(call, parameters, 'sign_out', way_on, client), [sessionCookie(call, [])])
}

async function judge(parts: OidcServices, call: OidcCall, query: string) {
  const { issuer } = call
  const parameters = readParameters(new URLSearchParams(query))
  const hint = readHint(call, parameters.values.id_token_hint)
  const client_id = logoutClientId(parameters, hint)
  const client = client_id === null ? null : await findClient(parts.db, issuer.environment_id, client_id)
  const browser = await readBrowser(parts, call)
  const sessions = browser.sessions.map(({ id, user_id }) => ({ session_id: id, user_id }))
  return { parameters, client, browser, verdict: judgeLogout(parameters, hint, client, sessions) }
}

/** RP-Initiated Logout 1.0 §2: an expired ID token is fine, one of another issuer is not. */
function readHint({ issuer }: OidcCall, id_token_hint: string | undefined): LogoutHint {
  if (id_token_hint === undefined) return null
  const claims = verifyJwt(issuer.keys, 'JWT', id_token_hint)
  if (claims?.iss !== issuer.url || typeof claims.sub !== 'string' || typeof claims.aud !== 'string') return 'invalid'
  return { sub: claims.sub, aud: claims.aud, sid: typeof claims.sid === 'string' ? claims.sid : null }
}

/** Ends sessions of this browser, and the grants that do not outlive them. */
export async function endSessions(
  parts: OidcServices,
  { issuer, now, request_id }: OidcCall,
  session_ids: readonly string[],
  browser: Browser,
): Promise<void> {
  if (session_ids.length === 0) return
  const user_of = new Map<string, string>(browser.sessions.map((session) => [session.id, session.user_id]))
  await parts.db.batch(
    session_ids.flatMap((session_id) => {
      const user_id = user_of.get(session_id) ?? null
      const origin = { id: parts.newId('evt'), actor: { type: 'user' as const, id: user_id }, request_id }
      return [
        ...endSession(issuer.environment_id, session_id, now),
        insertEvent(issuer.environment_id, origin, { type: 'session.ended', user_id, data: { session_id, reason: 'signed_out' } }, now),
      ]
    }),
  )
}

function done(
  call: OidcCall,
  parameters: RequestParameters,
  decision: 'sign_out' | 'stay',
  url: string | null,
  client: Client | null,
): Answer {
  const application_name = client?.name ?? null
  const is_sent = parameters.values.post_logout_redirect_uri !== undefined
  const view = {
    decision,
    back: url === null ? null : { url, application_name },
    sign_in_url: signInAgain(call, client),
    // RP-Initiated Logout 1.0 §3: only a registered address is used.
    unregistered: url === null && is_sent ? { application_name } : null,
  }
  return html(signOutDonePage(context(call, parameters), view))
}

/** OIDC Core §4: an application that says where a sign-in is begun can be begun there, by the name of this issuer. */
function signInAgain({ issuer }: OidcCall, client: Client | null): string | null {
  if (!client || client.disabled || client.initiate_login_uri === null) return null
  return withQuery(client.initiate_login_uri, { iss: issuer.url })
}

const context = (call: OidcCall, { values }: RequestParameters) => pageContext(call, values.ui_locales?.split(' '))
