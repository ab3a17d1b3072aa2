/** The page on which a person chooses the organization to act for. */
import { listMemberships } from '../../../domain/organizations/memberships.ts'
import { selectOrganizationPage } from '../../../pages/select-organization.ts'
import type { Choosing } from '../../../protocol/organization.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { shownName } from '../../metadata-client.ts'
import { showStep } from '../../refused-form.ts'
import type { Authorization } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { type FormRefused, placeOf } from '../shared/screens.ts'

interface OrganizationStep {
  session_id: string
  problem: FormRefused | null
}

export async function showOrganizations(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  { session_id, problem }: OrganizationStep,
): Promise<Answer> {
  const place = placeOf('select-organization', call, interaction)
  const page = (shown: { problem: FormRefused | null }) => organizationsAnswer(services, call, interaction, { session_id, ...shown })
  const answer = await showStep(services, call, interaction.browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}

const shown_at_once = 50
/** A shorter list is seen at a glance. */
const searched_from = 8
const beginning: Choosing = { from: 0, words: '' }

async function organizationsAnswer(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  { session_id, problem }: OrganizationStep,
): Promise<Answer> {
  const { query, request, client, browser } = interaction
  const person = browser.sessions.find(({ id }) => id === session_id)
  if (!person) return redirect(continueUrl(call, query))
  call.subject.user_id = person.user_id
  const { from, words } = request.choosing ?? beginning
  const of = { environment_id: call.issuer.environment_id, id: person.user_id }
  const { shown, has_more } = await listMemberships(services.db, of, { from, words, limit: shown_at_once })
  const { csrf, set_cookie } = formToken(services, call, browser)
  const is_first = from === 0 && words === ''
  const page = selectOrganizationPage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    application_name: shownName(client),
    csrf,
    request: query,
    session_id,
    person,
    organizations: shown,
    words,
    next: has_more ? from + shown_at_once : null,
    has_search: !is_first || has_more || shown.length > searched_from,
    may_have_none: request.organization_use === 'optional',
    not_you_url: continueUrl(call, withPrompt(query, 'select_account')),
    problem,
  })
  return withCookies(html(page), set_cookie)
}
