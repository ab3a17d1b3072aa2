/** The forms of consent and of the account chooser. */
import { insertEvent } from '../../events/store.ts'
import { isOwnForm, sessionCookie, withCookies } from '../browser.ts'
import { type OidcEndpoint, redirect } from '../call.ts'
import { withoutSatisfied } from '../protocol/next-step.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { findConsents, storeConsent } from '../store/sessions.ts'
import { continueRequest, continueUrl, sendBack } from './authorize.ts'
import { endSessions } from './logout.ts'
import { continueInteraction } from './sign-in.ts'

/** OIDC Core §3.1.2.4. What was allowed before stays allowed beside what is allowed now. */
export const consent: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  if (!interaction.client) return redirect(continueUrl(call, interaction.query))
  const { request, client, browser, query } = interaction
  const { issuer, now, request_id } = call
  // The person whom the page was shown to: in another window somebody else may have become the current one.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  if (!session || !isOwnForm(parts, call, browser)) return redirect(continueUrl(call, query))
  if (call.form?.get('decision') !== 'allow')
    return sendBack(call, client, { ...request, error: new OAuthError('access_denied', 'The person did not allow it.') })

  const { user_id } = session
  const before = (await findConsents(parts.db, issuer.environment_id, client.client_id, [user_id])).get(user_id) ?? []
  const words = [...new Set([...before, ...request.consent_to])].join(' ')
  const origin = { id: parts.newId('evt'), actor: { type: 'user' as const, id: user_id }, request_id }
  await parts.db.batch([
    storeConsent(issuer.environment_id, user_id, client.client_id, words, now),
    insertEvent(
      issuer.environment_id,
      origin,
      { type: 'consent.granted', user_id, application_id: client.client_id, data: { scope: request.scope, resource: request.resource } },
      now,
    ),
  ])
  return redirect(continueRequest(parts, call, interaction, withoutSatisfied(query, 'consent', now), session.id))
}

/** `session` makes an account the current one; `remove` signs one out of this browser. */
export const selectAccount: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query } = interaction
  if (!isOwnForm(parts, call, browser)) return redirect(continueUrl(call, query))

  const removed = browser.sessions.find((session) => session.id === call.form?.get('remove'))
  if (removed) {
    await endSessions(parts, call, [removed.id], browser)
    const kept = browser.sessions.filter((session) => session !== removed)
    return withCookies(redirect(continueUrl(call, query)), [
      sessionCookie(
        call,
        kept.map((session) => session.secret),
      ),
    ])
  }
  const chosen = browser.sessions.find((session) => session.id === call.form?.get('session'))
  if (!chosen) return redirect(continueUrl(call, query))
  const order = [chosen, ...browser.sessions.filter((session) => session !== chosen)]
  const rest = withoutSatisfied(query, 'select_account', call.now)
  return withCookies(redirect(continueRequest(parts, call, interaction, rest, chosen.id)), [
    sessionCookie(
      call,
      order.map((session) => session.secret),
    ),
  ])
}
