/** The authorization endpoint (OIDC Core §3.1.2): shows the page of the next step, or answers the client. */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { readBrowser } from '../../browser.ts'
import { asQuery, type OidcEndpoint, redirect } from '../../call.ts'
import { message, tooLong } from '../../hosted-page.ts'
import { beginAuthorization } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { showRefusedAgain } from '../shared/screens.ts'
import { judgeNextStep, takeStep } from './dispatch.ts'

export const authorize: OidcEndpoint = async (services, call) => {
  // Browsers send no cookies with a cross-site POST, so the request is redirected to GET (RFC 6749 §3.1).
  if (call.method === 'POST') {
    if (call.form === null) return message(call, 'unusable_request', not_a_form)
    const query = asQuery([call.query, call.form.toString()].filter(Boolean).join('&'))
    return query === null ? tooLong(call) : redirect(continueUrl(call, query))
  }

  const [begun, browser] = await Promise.all([beginAuthorization(services, call, call.query), readBrowser(services, call)])
  if ('answer' in begun) return begun.answer
  const interaction = { query: call.query, ...begun, browser }
  const again = await showRefusedAgain(services, call, interaction)
  return again ?? takeStep(services, call, interaction, await judgeNextStep(services, call, interaction))
}

const not_a_form = refusal('invalid_request', reason`The body of the request is not form-encoded.`)
