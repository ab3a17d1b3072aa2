/** The forms of passkeys: the sign-in, and the offer after another sign-in. Both post the JSON of WebAuthn in the field `credential`. */
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { withSession } from '../../../protocol/next-step.ts'
import { session_gone } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { laterCookie, triedCookie, withCookies } from '../../cookies.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { keepPress } from '../shared/press.ts'
import { showSignIn } from '../shared/screens.ts'
import { checkPasskey } from './check-passkey.ts'
import { showOffer } from './offer-passkey.ts'
import { finishAutomatic, finishEnrolment } from './passkey-enrolment.ts'

export const signInByPasskey: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const email = interaction.request.login_hint ?? ''
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showSignIn(services, call, interaction, { email, problem, refusal: formRefusals[problem], wait_seconds: null })
  if (!call.issuer.settings.sign_in.passkey) return showSignIn(services, call, interaction, { email, problem: null, wait_seconds: null })
  const csrf = call.form?.get('csrf') ?? ''
  return checkPasskey(services, call, interaction, { csrf, credential: call.form?.get('credential') ?? '' })
}

export const offerPasskey: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { browser, query } = interaction
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  const again = redirect(continueUrl(call, session ? withSession(query, session.id) : query))
  if (!interaction.client) return again
  if (!session) return refused(again, session_gone)
  const session_id = session.id
  const on = redirect(continueUrl(call, keepPress(services, call, { from: query, to: withSession(query, session_id), session_id })))
  call.subject.user_id = session.user_id
  const of_form = formProblem(services, call, browser)
  if (call.form?.has('automatic'))
    // Nobody asked for it, so the person goes on, whatever comes of it.
    return of_form
      ? refused(withCookies(again, [triedCookie(call, false)]), formRefusals[of_form])
      : endAutomatic(services, call, session, on)
  if (of_form) {
    const shown = { problem: of_form, refusal: formRefusals[of_form] }
    return (await showOffer(services, call, { ...interaction, session }, shown)) ?? refused(again, shown.refusal)
  }
  const credential = call.form?.get('credential') ?? ''
  if (credential === '') return withCookies(on, [laterCookie(call)])
  const outcome = await finishEnrolment(services, call, { browser, session }, credential)
  if ('added' in outcome) return withCookies(on, outcome.set_cookie)
  if (outcome.problem === 'stale') return refused(on, outcome.refusal) // the offer could never succeed
  return (
    (await showOffer(services, call, { ...interaction, session }, { ...outcome, problem: outcome.problem })) ?? refused(on, outcome.refusal)
  )
}

/** Stores the passkey that the browser created by itself, if it did and may, and goes on. */
async function endAutomatic(services: OidcServices, call: OidcCall, session: SessionRow, on: Answer): Promise<Answer> {
  const credential = call.form?.get('credential') ?? ''
  const outcome = credential === '' ? null : await finishAutomatic(services, call, session, credential)
  const is_settled = (outcome !== null && 'added' in outcome) || call.form?.get('automatic') === 'late'
  const next = withCookies(on, [triedCookie(call, is_settled)])
  return outcome && 'refusal' in outcome ? refused(next, outcome.refusal) : next
}
