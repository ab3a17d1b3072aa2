/** The forms of consent and of the account chooser. */
import { untilWritten } from '../../../base/until-written.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { findConsents, storeConsent } from '../../../domain/sessions/consents.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { holdUser } from '../../../domain/users/store.ts'
import { keptWords, markOf } from '../../../protocol/consent.ts'
import { needsConsent, withoutSatisfied, withSession } from '../../../protocol/next-step.ts'
import { OAuthError } from '../../../protocol/oauth-error.ts'
import { withChoosing } from '../../../protocol/organization.ts'
import { asksEachTime } from '../../../protocol/press.ts'
import { sessionCookie } from '../../browser.ts'
import { type OidcEndpoint, redirect } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formProblem } from '../../form-token.ts'
import { sessionEnded } from '../../hosted-page.ts'
import { answerClient } from '../shared/answer-client.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueRequest, continueUrl } from '../shared/continue.ts'
import { showConsent } from '../shared/decision-screens.ts'
import { membershipBy, organizationOf } from '../shared/organizations.ts'
import { withPress } from '../shared/press.ts'
import { recordOf } from '../shared/record-client.ts'
import { showAccounts } from '../shared/screens.ts'
import { endSessions } from '../sign-out/end-sessions.ts'

/**
 * The form of consent (OIDC Core §3.1.2.4), of a press for a client that needs one, and of a person who has no access. Earlier consent stays
 * valid beside the new one. A press alone stores nothing.
 */
export const consent: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  if (!interaction.client) return redirect(continueUrl(call, interaction.query))
  const { request, client, browser, query } = interaction
  const { issuer, now, request_id } = call
  // The account that the page named: another window may have changed the current account.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  if (!session) return sessionEnded(call, continueUrl(call, query))
  const problem = formProblem(services, call, browser)
  if (problem) return showConsent(services, call, interaction, { session_id: session.id, problem })
  call.subject.user_id = session.user_id
  const decision = call.form?.get('decision')
  if (decision === 'back')
    return answerClient(call, client, { ...request, error: new OAuthError('access_denied', 'The person has no access.') })
  if (decision === 'organizations') return redirect(continueUrl(call, withSession(withChoosing(query, { from: 0, words: '' }), session.id)))
  if (decision !== 'allow')
    return answerClient(call, client, { ...request, error: new OAuthError('access_denied', 'The person did not allow it.') })

  // The document may have changed since the page was shown: the person sees the new name and hosts first.
  if (client.metadata && call.form?.get('shown') !== markOf(client)) return redirect(continueUrl(call, query))

  const { user_id } = session
  const { environment_id } = issuer
  const choice = await organizationOf(services, call, interaction, session)
  if (choice.kind === 'open' || choice.kind === 'missing') return redirect(continueUrl(call, query))
  const organization = membershipBy(choice)
  const satisfied = withSession(withoutSatisfied(query, 'consent', now), session.id)
  const on = asksEachTime(client, request.redirect_uri)
    ? continueUrl(call, withPress(services, call, satisfied, session.id))
    : continueRequest(services, call, { client, query: satisfied, session_id: session.id })
  return untilWritten(
    most_tries,
    async () => {
      const recording = await recordOf(services, call, client, user_id)
      if (recording === 'full') return redirect(continueUrl(call, query))
      const { application_id, adding } = recording
      const which = { user_id, application_id }
      const before = (await findConsents(services.db, environment_id, application_id, [{ user_id, organization }])).get(user_id) ?? null
      if (!request.prompt.includes('consent') && !needsConsent(request, client, before ?? [])) return redirect(on)
      const after = [...new Set([...keptWords(client, before ?? []), ...request.consent_to])]
      const origin = originOf(services, byUser(user_id), request_id)
      const in_organization = organization && { organization_id: organization.organization_id }
      const data = { scope: request.scope, resource: request.resource, ...in_organization }
      const stored = await services.db
        .of(environment_id)
        .batch([
          ...adding.record,
          holdUser(environment_id, user_id),
          ...adding.follow,
          holdSession(environment_id, session, now),
          storeConsent(environment_id, { ...which, organization }, { before, after }, now),
          insertEvent(environment_id, origin, { type: 'consent.granted', ...which, data }, now),
        ])
      return stored ? redirect(on) : null
    },
    () => redirect(continueUrl(call, query)),
  )
}

/** A try fails where another window of the person stored a consent at the same time, or the session has ended. */
const most_tries = 10

/** The account chooser: `session` selects an account, `remove` signs one out of this browser. */
export const selectAccount: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query } = interaction
  const problem = formProblem(services, call, browser)
  if (problem) return showAccounts(services, call, interaction, problem)

  const removed = browser.sessions.find((session) => session.id === call.form?.get('remove'))
  if (removed) {
    await endSessions(services, call, [removed])
    const kept = browser.sessions.filter((session) => session !== removed)
    return withCookies(redirect(continueUrl(call, query)), [sessionCookie(call, [...kept, ...browser.expired])])
  }
  const chosen = browser.sessions.find((session) => session.id === call.form?.get('session'))
  if (!chosen) return redirect(continueUrl(call, query))
  const order = [chosen, ...browser.sessions.filter((session) => session !== chosen), ...browser.expired]
  const rest = withoutSatisfied(query, 'select_account', call.now)
  return withCookies(redirect(continueRequest(services, call, { client: interaction.client, query: rest, session_id: chosen.id })), [
    sessionCookie(call, order),
  ])
}
