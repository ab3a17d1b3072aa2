/** The form of the page that asks for an emailed code: enter it, get a new one, or use the password instead. */
import { longest_email } from '../../../base/normalisation.ts'
import { formProblem, formRefusals } from '../../browser.ts'
import { type OidcEndpoint, typedOf } from '../../call.ts'
import { continueInteraction } from '../shared/begin.ts'
import { showSignIn } from '../shared/screens.ts'
import { checkCode, resendCode, showCode } from './email-code.ts'

export const enterCode: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const email = typedOf(call, 'email', longest_email)
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showCode(services, call, interaction, { email, problem, refusal: formRefusals[problem] })
  const action = call.form?.get('action')
  if (action === 'use_password') return showSignIn(services, call, interaction, { email, problem: null, wait_seconds: null })
  if (action === 'resend') return resendCode(services, call, interaction, email)
  return checkCode(services, call, interaction, { email, code: call.form?.get('code') ?? '' })
}
