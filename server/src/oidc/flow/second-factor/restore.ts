/**
 * The way back of a closed account (decision 0196): a person who passed every factor is asked, and a press restores it and signs them in.
 * Until then a half sign-in keeps what they passed.
 */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import { endHalfSignIn } from '../../../domain/sessions/half-sign-ins.ts'
import { findClosed, reopenUser } from '../../../domain/users/store.ts'
import { type RestoreView, restorePage } from '../../../pages/restore.ts'
import { attemptOf } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { deviceOf } from '../../device.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { establishSession } from '../shared/establish-session.ts'
import { type ContinuedHalf, openUpstream, secondFactorUrl } from '../shared/half-sign-in.ts'
import { cancelUrl } from '../shared/screens.ts'
import { showOver } from './continue-half.ts'

/** The page that asks whether the account comes back. */
export async function showRestoring(
  services: OidcServices,
  call: OidcCall,
  { interaction, half }: ContinuedHalf,
  problem: keyof typeof formRefusals | null,
): Promise<Answer> {
  const { query, request, browser } = interaction
  const closed = await findClosed(services.db, call.issuer.environment_id, half.user_id, call.now)
  if (!closed) return showOver(services, call, interaction, attemptOf(half.secret_hash))
  const page_url = secondFactorUrl(call, query, half)
  const place = { name: `restore ${attemptOf(half.secret_hash)}`, query, address: page_url }
  const page = (shown: Pick<RestoreView, 'problem'>) => {
    const { csrf, set_cookie } = formToken(services, call, browser)
    const view = {
      page_url,
      csrf,
      request: query,
      attempt: attemptOf(half.secret_hash),
      deletes_at: closed.deletes_at,
      leave_url: cancelUrl(call, interaction) ?? continueUrl(call, withPrompt(query, 'login')),
      ...shown,
    }
    return withCookies(html(restorePage(pageContext(call, request.ui_locales, page_url), view)), set_cookie)
  }
  const answer = showStep(services, call, browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}

/** The press. Of several one restores the account; where it was erased or restored meanwhile, the attempt is over. */
export async function restore(services: OidcServices, call: OidcCall, continued: ContinuedHalf): Promise<Answer> {
  const { interaction, half } = continued
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showRestoring(services, call, continued, problem)
  if (call.form?.get('decision') !== 'restore') return refused(await showRestoring(services, call, continued, null), no_decision)
  const { environment_id } = call.issuer
  const { user_id } = half
  const { restores, upstream, ...signed_in } = half.signed_in
  const mail = {
    to: signed_in.email,
    user_id,
    request_id: call.request_id,
    notice: { kind: 'account_restored' as const, device: deviceOf(call) },
  }
  const first = [
    endHalfSignIn(environment_id, half, call.now),
    reopenUser({ environment_id, id: user_id }, call.now),
    insertEvent(
      environment_id,
      originOf(services, byUser(user_id), call.request_id),
      { type: 'user.restored', user_id, data: {} },
      call.now,
    ),
    ...(await mailStatements(services, environment_id, { ...mail, locales: pageContext(call).locale }, call.now)),
  ]
  const answer = await establishSession(services, call, interaction, {
    ...signed_in,
    user_id,
    ...(restores?.second_factor !== undefined && { second_factor: restores.second_factor }),
    upstream: upstream && openUpstream(services, environment_id, half.secret_hash, upstream),
    first,
  })
  return answer ?? showOver(services, call, interaction, attemptOf(half.secret_hash))
}

const no_decision = refusal('form_expired', reason`The form does not say whether the account is restored.`)
