/** The endpoints of the dashboard besides its files: the session, sign-out, and the page to which a sign-in that it tries out returns. */
import type { DashboardSession } from '@ostiary/contract/dashboard.ts'
import { fresh_sign_in_seconds } from '@ostiary/contract/tenancy.ts'
import type { z } from 'zod'
import type { Administrators } from '../../api/administrators.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { AnswerDashboard, DashboardRequest } from '../../http/dashboard-routes.ts'
import { json } from '../../oidc/call.ts'
import { html } from '../../oidc/hosted-page.ts'
import { tryCallbackPage } from '../../pages/dashboard.ts'
import { serviceContext } from '../../pages/service.ts'
import { dashboardSessionCookie } from './cookies.ts'
import { foreignRequest } from './gate.ts'
import { findByCookie, signOut, useSession } from './session.ts'
import type { DashboardServices } from './tokens.ts'

export function answerSession(services: DashboardServices, administrators: Administrators): AnswerDashboard {
  return async ({ headers, ip, request_id }: DashboardRequest) => {
    const used = await useSession(services, headers.cookie, { ip, request_id })
    const administrator = used && (await administrators.identify(used.access_token))
    if (!administrator) return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }
    const { user_id, email, name, memberships, auth_time } = administrator
    const fresh_until = new Date(auth_time.getTime() + fresh_sign_in_seconds * 1000)
    const body: z.input<typeof DashboardSession> = {
      user_id,
      email,
      name,
      root_tenant_id: administrators.root_tenant_id,
      memberships: [...memberships],
      auth_time: auth_time.toISOString(),
      fresh_until: fresh_until.toISOString(),
      expires_at: used.session.expires_at.toISOString(),
    }
    return json(body)
  }
}

export function answerSignOut(services: DashboardServices): AnswerDashboard {
  return async ({ headers, ip, request_id, raw }: DashboardRequest) => {
    const refused = foreignRequest(services, raw)
    if (refused) throw refused
    const session = await findByCookie(services, headers.cookie)
    if (session) await signOut(services, session, { ip, request_id })
    return {
      status: 204,
      headers: { 'cache-control': 'no-store', 'set-cookie': [dashboardSessionCookie(services.config.base_url, null)] },
      body: '',
    }
  }
}

/** The code is in the query, which only the script of the page reads. So the page refers to nothing and has no referrer. */
export function answerTryCallback({ config }: Pick<Deployment, 'config'>): AnswerDashboard {
  return async ({ headers }: DashboardRequest) => {
    const answer = html(tryCallbackPage(serviceContext(config.base_url, headers['accept-language'])))
    return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } }
  }
}
