/** The page that asks for an emailed code, and its form: enter it, get a new one, or use the password instead. */
import { longest_email } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type OidcEndpoint, typedOf } from '../../call.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { type KeptStep, readStepQuery } from '../../step-token.ts'
import { continueInteraction, openStep } from '../shared/begin.ts'
import { showSignIn } from '../shared/screens.ts'
import { checkCode } from './check-code.ts'
import { showCode } from './email-code-screen.ts'
import { resendCode } from './send-code.ts'

/** Loading the page sends nothing, and spends nothing. */
export const showCodePage: OidcEndpoint = async (services, call) => {
  const { step, query, browser } = readStepQuery(services, call, await readBrowser(services, call))
  const begun = await openStep(services, call, query)
  if ('answer' in begun) return begun.answer
  const interaction = { query, ...begun, browser }
  if (step?.page === 'code' && !isOver(step, browser, call.now))
    return showCode(services, call, interaction, { email: step.email, problem: null })
  return showSignIn(services, call, interaction, {
    email: step?.email ?? '',
    problem: 'attempt_over',
    refusal: code_over,
    wait_seconds: null,
  })
}

/** As long as a code lives. */
const longest_ms = 600_000

/** A sign-in of the address in this browser meanwhile ends the attempt too. Nothing else that is stored may show on the page. */
function isOver({ at, email }: KeptStep, { sessions }: Browser, now: Date): boolean {
  if (now.getTime() >= at + longest_ms) return true
  return sessions.some((session) => session.auth_time.getTime() >= at && accountOf(session.email) === accountOf(email))
}

const code_over = refusal(
  'form_expired',
  reason`The page of the emailed code is older than 10 minutes, is of another browser, or the sign-in succeeded.`,
)

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
