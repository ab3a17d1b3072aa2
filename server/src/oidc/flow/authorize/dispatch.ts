/** The step that an authorization request needs next, and the page or answer of that step. `protocol/next-step.ts` contains the rules. */
import { findUsersWithPasskey } from '../../../domain/passkeys/store.ts'
import { findConsents } from '../../../domain/sessions/consents.ts'
import { findUsersWithSecondFactor } from '../../../domain/users/second-factors.ts'
import { isHinted } from '../../../protocol/id-token-hint.ts'
import { type NextStep, nextStep, nobody } from '../../../protocol/next-step.ts'
import { asksEachTime, needsPress } from '../../../protocol/press.ts'
import { by_passkey } from '../../../protocol/second-factor.ts'
import { asksForSignUp, hasName, letsSignUp } from '../../../protocol/sign-up.ts'
import { trustLives } from '../../../protocol/trusted-browser.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { verifiedHint } from '../../id-token-hint.ts'
import { rememberDays } from '../../trusted-browser.ts'
import { showOrganizations } from '../organization/organizations-screen.ts'
import { passkeyOffer } from '../passkey/offer-passkey.ts'
import { accessOf } from '../shared/access.ts'
import { answerClient } from '../shared/answer-client.ts'
import type { Authorization } from '../shared/begin.ts'
import { showConsent, showNoAccess, showPress } from '../shared/decision-screens.ts'
import { beginStepUp } from '../shared/half-sign-in.ts'
import { membershipBy, rolesBy, withOrganizations } from '../shared/organizations.ts'
import { relyingPartyOf } from '../shared/passkey-ceremony.ts'
import { wasPressed } from '../shared/press.ts'
import { no_problems, showAccounts, showProfile, showSignIn, showSignUp } from '../shared/screens.ts'
import { issueCode } from './issue-code.ts'

export async function judgeNextStep(services: OidcServices, call: OidcCall, interaction: Authorization): Promise<NextStep> {
  const { query, request, client, browser } = interaction
  const { issuer, now } = call
  const needs_press = needsPress(client, request.redirect_uri)
  const asks_each_time = asksEachTime(client, request.redirect_uri)
  const hint = verifiedHint(issuer, request.id_token_hint)
  const user_ids = browser.sessions.map((session) => session.user_id)
  const { mode, totp } = issuer.settings.mfa
  const takes_passkeys = relyingPartyOf(call) !== null
  const rests_on_trust = browser.sessions.some(({ trusted_browser_id }) => trusted_browser_id !== null)
  const asks_for_level = mode === 'required' || request.acr_values.length > 0 || rests_on_trust
  const asks_for_passkey = takes_passkeys && request.acr_values.includes(by_passkey)
  const people = await withOrganizations(services, call, interaction, browser.sessions)
  const asked = client.consent === 'skip' ? [] : people
  const [enrolled, with_passkey, consents, access] = await Promise.all([
    findUsersWithSecondFactor(services.db, issuer.environment_id, asks_for_level ? user_ids : []),
    findUsersWithPasskey(services.db, issuer.environment_id, asks_for_passkey ? user_ids : []),
    findConsents(
      services.db,
      issuer.environment_id,
      client.client_id,
      asked.map(({ session, organization }) => ({ user_id: session.user_id, organization: membershipBy(organization) })),
    ),
    Promise.all(people.map(({ session, organization }) => accessOf(call, interaction, rolesBy(organization, session)))),
  ])
  return nextStep(
    request,
    { consent: client.consent, needs_press, asks_each_time },
    {
      sessions: people.map(({ session, organization }, i) => ({
        session_id: session.id,
        user_id: session.user_id,
        auth_time: session.auth_time,
        acr: session.acr,
        has_second_factor: enrolled.has(session.user_id),
        trust: session.trusted_browser_id === null ? null : trustCounts(call, session),
        has_passkey: with_passkey.has(session.user_id),
        has_name: hasName(session.name),
        consented_to: consents.get(session.user_id) ?? [],
        pressed: (needs_press || asks_each_time) && wasPressed(services, call, query, session.id),
        organization,
        no_access: access[i]?.no_access ?? null,
      })),
      hinted_user_id: hint && (browser.sessions.find((session) => isHinted(hint, session))?.user_id ?? nobody),
      sign_up_open: letsSignUp(issuer.settings) && asksForSignUp(issuer.settings),
      mfa: { mode, can_enrol: totp || takes_passkeys },
      names: issuer.settings.sign_up.name,
      now,
    },
  )
}

/** Whether the trusted browser of a session still stands for its second factor. */
const trustCounts = (call: OidcCall, { trusted_at, trusted_until }: Authorization['browser']['sessions'][number]): boolean =>
  trusted_at !== null &&
  trusted_until !== null &&
  trustLives({ created_at: trusted_at, expires_at: trusted_until }, rememberDays(call), call.now)

export async function takeStep(services: OidcServices, call: OidcCall, interaction: Authorization, step: NextStep): Promise<Answer> {
  const { request, client } = interaction
  const email = request.login_hint ?? ''
  if (step.kind === 'issue' || step.kind === 'consent' || step.kind === 'press') {
    const offer = await passkeyOffer(services, call, interaction, step.session_id)
    if (offer) return offer
  }
  switch (step.kind) {
    case 'refuse':
      return answerClient(call, client, { ...request, error: step.error })
    case 'issue':
      return issueCode(services, call, interaction, step)
    case 'sign_in':
      return showSignIn(services, call, interaction, { email, problem: null, wait_seconds: null })
    case 'sign_up':
      return showSignUp(services, call, interaction, { email, name: '', problems: no_problems, refusal: null, wait_seconds: null })
    case 'select_account':
      return showAccounts(services, call, interaction, null)
    case 'second_factor':
      return beginStepUp(services, call, interaction, step.session_id)
    case 'profile':
      return showProfile(services, call, interaction, { session_id: step.session_id, name: '', problem: null })
    case 'select_organization':
      return showOrganizations(services, call, interaction, { session_id: step.session_id, problem: null })
    case 'no_access':
      return showNoAccess(services, call, interaction, step)
    case 'consent':
      return showConsent(services, call, interaction, { session_id: step.session_id, problem: null })
    case 'press':
      return showPress(services, call, interaction, { session_id: step.session_id, problem: null })
  }
}
