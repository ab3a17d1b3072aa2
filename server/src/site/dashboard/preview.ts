/**
 * Shows unsaved settings on a hosted page. An administrator could make it say anything, so it cannot be used to deceive others: it
 * opens only for members of the tenant that are signed in to the dashboard, only in a frame of this origin, and nothing on it works.
 * Its policy is a sandbox without scripts, forms and windows. Links lead nowhere. Decision 0058.
 */
import type { Administrators } from '../../api/administrators.ts'
import { reason } from '../../base/reason.ts'
import { findOfferedProviders } from '../../domain/providers/store.ts'
import { type Previewed, readPreview } from '../../domain/tenancy/preview-address.ts'
import type { AnswerDashboard } from '../../http/dashboard-routes.ts'
import { notFound } from '../../http/problem.ts'
import { offeredByForm, offersReset } from '../../oidc/flow/shared/new-account.ts'
import { relyingPartyOf } from '../../oidc/flow/shared/passkey-ceremony.ts'
import { html, pageContext } from '../../oidc/hosted-page.ts'
import type { Issuer } from '../../oidc/issuer.ts'
import { signInPage } from '../../pages/sign-in.ts'
import { signUpPage } from '../../pages/sign-up.ts'
import { asksForSignUp, letsSignUp } from '../../protocol/sign-up.ts'
import { useSession } from './session.ts'
import type { DashboardServices } from './tokens.ts'

/** A link that stays on the page. */
const nowhere = '#'

export function answerPreview(services: DashboardServices, administrators: Administrators): AnswerDashboard {
  return async ({ query, headers, ip, request_id }) => {
    const previewed = readPreview(services.secrets, query, services.now())
    if (!previewed) throw notFound(reason`The address of the preview is not signed by this service, or has expired.`)
    const destination = headers['sec-fetch-dest']
    if (destination !== undefined && destination !== 'iframe') throw notFound(reason`A preview opens only in a frame of the dashboard.`)
    const used = await useSession(services, headers.cookie, { ip, request_id })
    const administrator = used && (await administrators.identify(used.access_token))
    if (!administrator?.memberships.some(({ tenant_id }) => tenant_id === previewed.tenant_id))
      throw notFound(reason`The browser has no dashboard session of a member of the tenant.`)
    const issuer = await services.issuers.find(previewed.environment_id)
    if (!issuer) throw notFound(reason`The environment of the preview does not exist.`)
    const page = await pageOf(services, draftOf(issuer, previewed), previewed, headers)
    const answer = html(page)
    return { ...answer, headers: { ...answer.headers, 'x-frame-options': 'SAMEORIGIN' } }
  }
}

/** The environment as it would be. */
function draftOf(issuer: Issuer, { display_name, primary_color, has_logo, has_links, methods, sign_up }: Previewed): Issuer {
  const { settings } = issuer
  const shown = (is_shown: boolean) => (is_shown ? nowhere : null)
  return {
    ...issuer,
    display_name,
    settings: {
      ...settings,
      branding: { ...settings.branding, primary_color, logo_url: has_logo ? settings.branding.logo_url : null },
      links: { terms_url: shown(has_links.terms), privacy_url: shown(has_links.privacy), support_url: shown(has_links.support) },
      sign_in: { ...settings.sign_in, ...methods },
      sign_up: { ...settings.sign_up, ...sign_up },
    },
  }
}

async function pageOf(
  { db }: DashboardServices,
  issuer: Issuer,
  { page, theme }: Previewed,
  headers: Parameters<AnswerDashboard>[0]['headers'],
) {
  const { settings, environment_id } = issuer
  const context = { ...pageContext({ issuer, headers }), preview: { theme } }
  const common = { application_name: null, csrf: '', request: '', email: '', wait_seconds: null }
  if (page === 'sign_up')
    return signUpPage(context, {
      ...common,
      name: '',
      asks_for_name: settings.sign_up.name,
      password_rule: settings.sign_in.password ? settings.password : null,
      problems: { form: null, email: null, name: null, password: null },
      sign_in_url: nowhere,
      invitation: null,
    })
  return signInPage(context, {
    ...common,
    account: null,
    problem: null,
    methods: offeredByForm({ issuer }),
    last_used: null,
    forgot_url: offersReset({ issuer }) ? nowhere : null,
    passkey: relyingPartyOf({ issuer }) && { kind: 'get', options: '{}', able_cookie: null, removed: null },
    providers: await findOfferedProviders(db, environment_id),
    sign_up_url: letsSignUp(settings) && asksForSignUp(settings) ? nowhere : null,
    other_accounts_url: null,
    cancel_url: null,
  })
}
