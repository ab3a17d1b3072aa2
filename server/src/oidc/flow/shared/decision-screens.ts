/** The pages on which a signed-in person decides about an application: consent, a press, and a person who has no access. One form is behind them. */
import { type Reason, reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { findTwoMemberships } from '../../../domain/organizations/memberships.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { findPerson } from '../../../domain/users/store.ts'
import { consentPage } from '../../../pages/consent.ts'
import { noAccessPage } from '../../../pages/no-access.ts'
import { pressPage } from '../../../pages/press.ts'
import { consentLines, markOf } from '../../../protocol/consent.ts'
import { accountUrl } from '../../account-url.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { verifiedHint } from '../../id-token-hint.ts'
import { shownName } from '../../metadata-client.ts'
import { showStep } from '../../refused-form.ts'
import { accessOf } from './access.ts'
import type { Authorization } from './begin.ts'
import { continueUrl, withPrompt } from './continue.ts'
import { membershipBy, organizationOf, rolesBy } from './organizations.ts'
import { hasRoomFor } from './record-client.ts'
import { type FormRefused, placeOf, showRefusedClient } from './screens.ts'

interface ConsentStep {
  session_id: string
  problem: FormRefused | null
}

export async function showConsent(services: OidcServices, call: OidcCall, interaction: Authorization, view: ConsentStep): Promise<Answer> {
  const { session_id, problem } = view
  const place = placeOf('consent', call, interaction)
  const page = (shown: { problem: FormRefused | null }) => consentAnswer(services, call, interaction, { session_id, ...shown })
  const answer = await showStep(services, call, interaction.browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}

async function consentAnswer(services: OidcServices, call: OidcCall, interaction: Authorization, step: ConsentStep): Promise<Answer> {
  const { query, request, browser, audiences } = interaction
  const session = browser.sessions.find(({ id }) => id === step.session_id)
  const person = session && (await findPerson(services.db, call.issuer.environment_id, session.user_id))
  if (!person) return redirect(continueUrl(call, query))
  const choice = await organizationOf(services, call, interaction, session)
  const { given } = await accessOf(call, interaction, rolesBy(choice, session))
  const organization = membershipBy(choice)
  const { context, view, set_cookie } = decisionOf(services, call, interaction, step)
  const { client } = interaction
  if (!(await hasRoomFor(services, call, client))) return showRefusedClient(call, no_room)
  const page = consentPage(context, {
    ...view,
    application: { name: client.name, logo_url: client.logo_uri },
    ...(client.metadata && { shown: markOf(client), metadata: { host: client.metadata.host, listed: client.metadata.listed } }),
    redirect_uri: request.redirect_uri,
    account_url: accountUrl(call),
    person: { ...person, email: session.email },
    scopes: consentLines(request.scope, audiences, given),
    organization: organization && { id: organization.organization_id, name: organization.organization_name },
  })
  return withCookies(html(page), set_cookie)
}

const no_room = {
  code: 'metadata_client_busy',
  why: reason`The environment has as many metadata clients as it can have, and each is approved or in use.`,
} as const

/** Asks the person of this session to press for this request. Its form is that of consent, so a refused one comes back to the same place. */
export function showPress(services: OidcServices, call: OidcCall, interaction: Authorization, view: ConsentStep): Answer | Promise<Answer> {
  const { session_id, problem } = view
  const place = placeOf('consent', call, interaction)
  const page = (shown: { problem: FormRefused | null }) => pressAnswer(services, call, interaction, { session_id, ...shown })
  return showStep(services, call, interaction.browser, { place, view: { problem }, page })
}

function pressAnswer(services: OidcServices, call: OidcCall, interaction: Authorization, step: ConsentStep): Answer {
  const person = interaction.browser.sessions.find(({ id }) => id === step.session_id)
  if (!person) return redirect(continueUrl(call, interaction.query))
  const { context, view, set_cookie } = decisionOf(services, call, interaction, step)
  return withCookies(html(pressPage(context, { ...view, person })), set_cookie)
}

/** Tells the person of this session that their roles leave nothing of the request, or that they are not a member. Its form is that of consent, too. */
export async function showNoAccess(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  { session_id, code, why }: { session_id: string; code: NoAccessCode; why: Reason },
): Promise<Answer> {
  const place = placeOf('consent', call, interaction)
  const page = (shown: { problem: FormRefused | null }) => noAccessAnswer(services, call, interaction, { session_id, code, ...shown })
  const answer = await showStep(services, call, interaction.browser, { place, view: { problem: null }, page })
  return refused(answer, refusal(code, why))
}

type NoAccessCode = 'no_access' | 'not_a_member'

async function noAccessAnswer(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  step: ConsentStep & { code: NoAccessCode },
): Promise<Answer> {
  const person = interaction.browser.sessions.find(({ id }) => id === step.session_id)
  if (!person) return redirect(continueUrl(call, interaction.query))
  call.subject.user_id = person.user_id
  const { code, ...shown } = step
  const { context, view, set_cookie } = decisionOf(services, call, interaction, shown)
  const is_hinted = verifiedHint(call.issuer, interaction.request.id_token_hint) !== null
  const has_organizations = await canChoose(services, call, interaction, person)
  const page = noAccessPage(context, {
    ...view,
    person,
    has_organizations,
    is_member: code !== 'not_a_member',
    other_account_url: is_hinted ? null : view.not_you_url,
  })
  return withCookies(html(page), set_cookie)
}

/** Whether the person could go on with another organization than the one that is missing, or whose roles give nothing. */
async function canChoose(services: OidcServices, call: OidcCall, interaction: Authorization, person: SessionRow) {
  if (interaction.request.organization_use === 'none') return false
  const { environment_id } = call.issuer
  const [memberships, choice] = await Promise.all([
    findTwoMemberships(services.db, { environment_id, id: person.user_id }),
    organizationOf(services, call, interaction, person),
  ])
  const present = membershipBy(choice)
  return memberships.some(({ organization_id }) => organization_id !== present?.organization_id)
}

/** The common part of the pages of a consent, of a press and of a person without access. */
function decisionOf(services: OidcServices, call: OidcCall, { query, request, client, browser }: Authorization, step: ConsentStep) {
  const { csrf, set_cookie } = formToken(services, call, browser)
  return {
    context: pageContext(call, request.ui_locales, continueUrl(call, query)),
    view: {
      csrf,
      request: query,
      ...step,
      application: { name: shownName(client), logo_url: client.logo_uri },
      not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
    },
    set_cookie,
  }
}
