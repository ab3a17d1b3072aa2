/** The form of a person who chooses the organization to act for. The choice is added to the request, which is judged from its beginning. */

import { reason } from '../../../base/reason.ts'
import { withSession } from '../../../protocol/next-step.ts'
import { longest_organization, longest_words, withChoosing, withOrganization } from '../../../protocol/organization.ts'
import { type OidcEndpoint, redirect, typedOf } from '../../call.ts'
import { formProblem } from '../../form-token.ts'
import { formIncomplete, sessionEnded } from '../../hosted-page.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueRequest, continueUrl } from '../shared/continue.ts'
import { showOrganizations } from './organizations-screen.ts'

/** `organization` chooses one, `none` goes on without; `more` and `search` show another part of the list. */
export const selectOrganization: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { client, browser, query } = interaction
  if (!client) return redirect(continueUrl(call, query))
  // The account that the page named: another window may have changed the current account.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  if (!session) return sessionEnded(call, continueUrl(call, query))
  const problem = formProblem(services, call, browser)
  if (problem) return showOrganizations(services, call, interaction, { session_id: session.id, problem })
  call.subject.user_id = session.user_id

  const chosen = call.form?.get('organization') ?? ''
  if (chosen !== '' && chosen.length <= longest_organization)
    return redirect(continueRequest(services, call, { client, query: withOrganization(query, chosen), session_id: session.id }))
  const from = /^[0-9]{1,6}$/.test(call.form?.get('more') ?? '') ? Number(call.form?.get('more')) : 0
  const words = typedOf(call, 'q', longest_words)
  if (words.length > longest_words) return formIncomplete(call, reason`The words to look for are longer than ${longest_words} characters.`)
  return redirect(continueUrl(call, withSession(withChoosing(query, { from, words }), session.id)))
}
