/**
 * Signs the owner of the first tenant in. The form of the first start has just checked and stored the password, so the person is not asked
 * for it again. The session begins like one of the sign-in page: the same batch, limits, events and cookies.
 */
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { findCredential } from '../../domain/users/store.ts'
import type { DashboardRequest } from '../../http/dashboard-routes.ts'
import { readBrowser } from '../../oidc/browser.ts'
import type { Answer, OidcCall } from '../../oidc/call.ts'
import { withCookies } from '../../oidc/cookies.ts'
import { beginAuthorization } from '../../oidc/flow/shared/begin.ts'
import { finishSignIn } from '../../oidc/flow/shared/finish-sign-in.ts'
import { by_password } from '../../oidc/flow/sign-in/check-password.ts'
import { beginRequest } from './sign-in.ts'
import { type DashboardServices, rootIssuer } from './tokens.ts'

/** The first step of the sign-in to the dashboard, already passed. `null` where the person has to sign in on the page of the issuer. */
export async function signInFirstOwner(
  services: DashboardServices,
  { headers, ip, request_id }: DashboardRequest,
  { user_id, email }: { user_id: string; email: string },
): Promise<Answer | null> {
  const issuer = await rootIssuer(services)
  // The browser takes no cookie for another host, which the issuer has after a change of the public address.
  if (!issuer.url.startsWith(`${services.config.base_url}/`)) return null
  const { request: query, cookie } = beginRequest(services, { max_age: null, login_hint: null, return_to: serviceRoutes.dashboard.path })
  const call: OidcCall = {
    issuer,
    method: 'POST',
    url: '',
    params: {},
    query: '',
    form: null,
    headers,
    ip,
    request_id,
    now: services.now(),
    signal: () => new AbortController().signal, // nobody cancels this call
    subject: { client_id: null, user_id: null, event_id: null },
  }
  const begun = await beginAuthorization(services, call, query)
  if ('answer' in begun) return null
  const credential = await findCredential(services.db, issuer.environment_id, email)
  if (credential?.id !== user_id) return null
  const interaction = { ...begun, query, browser: await readBrowser(services, call) }
  const signed_in = { user_id, email, password_hash: credential.password_hash, step: 'sign_in' as const, ...by_password }
  const answer = await finishSignIn(services, call, interaction, signed_in)
  return answer && withCookies(answer, [cookie])
}
