/** The page that asks for an emailed code, at an address of its own. It says the same whether a mail was sent or not. */
import type { Refusal } from '../../../base/refusal.ts'
import { type EmailCodeView, emailCodePage } from '../../../pages/email-code.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import { showStep } from '../../refused-form.ts'
import { readStepQuery, stepQuery } from '../../step-token.ts'
import type { Interaction } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { afterWait } from '../shared/screens.ts'

type CodeStep = Pick<EmailCodeView, 'email' | 'problem'> & { wait_seconds?: number | null; refusal?: Refusal }

export function showCode(services: OidcServices, call: OidcCall, interaction: Interaction, { refusal, ...view }: CodeStep): Answer {
  const { query, browser } = interaction
  const { step, query: without_step } = readStepQuery(services, call, browser)
  // A browser without the cookie of its forms cannot open the page again, and begins at the sign-in.
  const here = step === null || without_step !== query ? null : `${call.issuer.url}/code?${call.query}`
  const place =
    browser.form_seed === null
      ? { name: 'sign-in', query, address: continueUrl(call, query) }
      : { name: 'code', query, address: here ?? codePageUrl(services, call, interaction, { email: view.email, is_sign_up: false }) }
  const page = (shown: Omit<CodeStep, 'refusal'>) => codeAnswer(services, call, interaction, { ...shown, page_url: place.address })
  const answer = showStep(services, call, browser, { place, view, page })
  return refusal ? refused(answer, refusal) : answer
}

function codeAnswer(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { wait_seconds = null, page_url, ...view }: Omit<CodeStep, 'refusal'> & { page_url: string },
): Answer {
  const { query, request, browser } = interaction
  const { csrf, set_cookie } = formToken(services, call, browser)
  const { settings } = call.issuer
  const is_sign_up = isOfSignUp(services, call, interaction)
  const page = emailCodePage(pageContext(call, request.ui_locales, page_url), {
    page_url,
    csrf,
    request: query,
    ...view,
    wait_seconds,
    // A person who signs up has no password here yet, whether or not the address has an account.
    offers_password: settings.sign_in.password && !is_sign_up,
    inbox_url: keptMailUrl(services, call),
    back_url: continueUrl(call, withPrompt(query, 'login')),
  })
  return afterWait(withCookies(html(page), set_cookie), wait_seconds)
}

/** Whether the page that the call is about waits for the code of a sign-up: its address says so. */
export const isOfSignUp = (services: OidcServices, call: OidcCall, { browser }: Interaction): boolean =>
  readStepQuery(services, call, browser).step?.is_sign_up ?? false

/** The page of the code has an address of its own, so that it can be loaded again. */
export const toCodePage = (services: OidcServices, call: OidcCall, interaction: Interaction, asked: AskedCode): Answer =>
  redirect(codePageUrl(services, call, interaction, asked))

/** The code that the person asked for, whether or not a mail was sent. */
interface AskedCode {
  email: string
  is_sign_up: boolean
}

const codePageUrl = (services: OidcServices, call: OidcCall, { browser, query }: Interaction, asked: AskedCode): string =>
  `${call.issuer.url}/code?${stepQuery(services, call, browser, { page: 'code', ...asked })}&${query}`
