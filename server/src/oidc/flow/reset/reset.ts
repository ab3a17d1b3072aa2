/** A forgotten password: the page that asks for a link, and the page of the link that takes the new password. It signs nobody in. */
import { digestOf } from '../../../base/digest.ts'
import { hour_ms } from '../../../base/durations.ts'
import { accountAddress } from '../../../base/email.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { findOwner } from '../../../domain/accounts/address-proof.ts'
import { canReset, resetPassword, resetStatements } from '../../../domain/accounts/reset.ts'
import { waitOfAddress } from '../../../domain/mail/address-limit.ts'
import { openLink } from '../../../domain/users/code-mail.ts'
import { longest_password } from '../../../domain/users/password-policy.ts'
import { judgePassword } from '../../../domain/users/password-rules.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import { findUser } from '../../../domain/users/store.ts'
import { type ForgotView, forgotPage, forgotSentPage, passwordSavedPage } from '../../../pages/reset.ts'
import { readBrowser } from '../../browser.ts'
import { type Answer, fieldOf, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { deviceOf } from '../../device.ts'
import { formProblem, formRefusals, formToken } from '../../form-token.ts'
import { busyAnswer, hashUnlessBusy } from '../../hashing.ts'
import { chosenLanguages, html, pageContext } from '../../hosted-page.ts'
import { keptMailUrl } from '../../kept-mail.ts'
import { knownDevice } from '../../known-browser.ts'
import { showStep } from '../../refused-form.ts'
import { readStepQuery, stepQuery } from '../../step-token.ts'
import { continueInteraction, type Interaction, openStep } from '../shared/begin.ts'
import { continueUrl, withPrompt } from '../shared/continue.ts'
import { keptRequest } from '../shared/kept-request.ts'
import { linkEnded } from '../shared/link-ended.ts'
import { offersReset } from '../shared/new-account.ts'
import { visitOf } from '../shared/visit.ts'
import { showNewPassword } from './new-password.ts'

/** Asks for the address, or says that a link was sent, as long as one lives. */
export const showForgotPassword: OidcEndpoint = async (services, call) => {
  const { step, query, browser } = readStepQuery(services, call, await readBrowser(services, call))
  const begun = await openStep(services, call, query)
  if ('answer' in begun) return begun.answer
  if (!offersReset(call)) return refused(redirect(continueUrl(call, query)), no_reset)
  const interaction = { query, ...begun, browser }
  const { ui_locales, login_hint } = begun.request
  const back_url = backUrl(call, query)
  const inbox_url = keptMailUrl(services, call)
  if (step?.page === 'forgot_sent' && call.now.getTime() < step.at + link_ms)
    return html(forgotSentPage(pageContext(call, ui_locales, forgotUrl(call, call.query)), { email: step.email, back_url, inbox_url }))
  return showForgot(services, call, interaction, { email: step?.email ?? shownHint(login_hint), problem: null })
}

/** Asks for the address of the account. */
function showForgot(services: OidcServices, call: OidcCall, { query, browser, request }: Interaction, view: ForgotStep): Answer {
  const page_url = forgotUrl(call, query)
  const place = { name: 'forgot-password', query, address: page_url }
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = (shown: ForgotStep) => {
    const fields = { page_url, csrf, request: query, back_url: backUrl(call, query) }
    return withCookies(html(forgotPage(pageContext(call, request.ui_locales, page_url), { ...fields, ...shown })), set_cookie)
  }
  return showStep(services, call, browser, { place, view, page })
}

type ForgotStep = Pick<ForgotView, 'email' | 'problem'>

const link_ms = hour_ms

/** The answer and the work are the same for accounts that exist and those that do not. */
export const forgotPassword: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { query, browser, request } = interaction
  if (!offersReset(call)) return refused(redirect(continueUrl(call, query)), no_reset)
  const typed = typedOf(call, 'email', longest_email)
  const email = accountAddress(typed)
  const context = pageContext(call, request.ui_locales, forgotUrl(call, query))
  const form_problem = formProblem(services, call, browser)
  if (form_problem || email === null) {
    const answer = showForgot(services, call, interaction, { email: typed, problem: form_problem ?? 'malformed' })
    return refused(answer, form_problem === null ? no_address : formRefusals[form_problem])
  }

  const { issuer, now, request_id } = call
  const owner = await findOwner(services.db, issuer.environment_id, email)
  call.subject.user_id = owner?.id ?? null
  call.subject.person = personKeyOf(services, issuer.environment_id, email)
  const marked = { user_id: owner?.id ?? '', email, password_hash: owner?.password_hash ?? null }
  const is_known = knownDevice(services, call, browser, marked) !== null
  const statements = await resetStatements(
    services,
    {
      environment_id: issuer.environment_id,
      issuer_url: issuer.url,
      owner,
      email,
      request: keptRequest(query),
      browser: browser.form_seed,
      source: sourceOf(call.ip),
      is_known,
      sign_in: issuer.settings.sign_in,
      words: context.texts.ways_in,
      locales: context.locale,
      device: deviceOf(call),
      request_id,
    },
    now,
  )
  // Over a limit nothing happens, and the answer is the same.
  if (!(await services.db.of(issuer.environment_id).batch(statements))) {
    const mail = { to: owner?.email ?? email, is_known, is_decoy: owner === null || owner.blocked_at !== null }
    await waitOfAddress(services, issuer.environment_id, mail, now)
  }
  return redirect(forgotUrl(call, `${stepQuery(services, call, browser, { page: 'forgot_sent', email: typed })}&${query}`))
}

/** The page for a new password, or the one that says that it is saved. */
export const showNewPasswordPage: OidcEndpoint = async (services, call) => {
  const { step, query } = readStepQuery(services, call, await readBrowser(services, call))
  if (step?.page === 'password_saved') {
    const continue_url = visitOf(query) === 'account' ? null : continueUrl(call, query)
    return html(passwordSavedPage(pageContext(call), { continue_url }))
  }
  const token = (new URLSearchParams(call.query).get('token') ?? '').slice(0, 100)
  const opened = await openLink(services, call.issuer.environment_id, token, call.now)
  if (opened?.row.kind !== 'reset_password') return linkEnded(call)
  const { row, payload } = opened
  const owner = await findOwner(services.db, call.issuer.environment_id, payload.email)
  call.subject.user_id = row.user_id
  if (!canReset(owner, row, payload) || !offersReset(call)) return linkEnded(call)
  return showNewPassword(services, call, { token, email: owner.email, problem: null })
}

export const newPassword: OidcEndpoint = async (services, call) => {
  const { issuer, now, request_id } = call
  const { environment_id } = issuer
  const token = fieldOf(call, 'token', longest_token)
  const opened = await openLink(services, environment_id, token, now)
  if (opened?.row.kind !== 'reset_password') return linkEnded(call)
  const { row, payload } = opened
  const owner = await findOwner(services.db, environment_id, payload.email)
  call.subject.user_id = row.user_id
  if (!canReset(owner, row, payload) || !offersReset(call)) return linkEnded(call)
  const browser = await readBrowser(services, call)
  const password = fieldOf(call, 'password', longest_password)
  const problem = formProblem(services, call, browser)
  if (problem) return showNewPassword(services, call, { token, email: owner.email, problem })
  const user = await findUser(services.db, environment_id, owner.id)
  const names = { ...user, email: owner.email }
  const of_password = password === '' ? 'missing' : await judgePassword(services.db, environment_id, password, names)
  if (of_password) return showNewPassword(services, call, { token, email: owner.email, problem: of_password })
  const device = knownDevice(services, call, browser, { user_id: owner.id, email: owner.email, password_hash: owner.password_hash })
  const password_hash = await hashUnlessBusy(services, call, password, { marked_account: device === null ? null : owner.id })
  if (password_hash === null) return busyAnswer(await showNewPassword(services, call, { token, email: owner.email, problem: 'busy' }))
  const context = pageContext(call, chosenLanguages(call))
  const waits = issuer.settings.sign_up.mode === 'approval'
  const reset = { environment_id, waits, row, owner, password_hash, device: deviceOf(call), locales: context.locale, request_id }
  if (!(await resetPassword(services, reset, now))) return linkEnded(call)
  const saved = stepQuery(services, call, browser, { page: 'password_saved', email: '' })
  // In another browser the application would not know the answer to its request. The request may also be that of a stranger.
  const asked_here = browser.form_seed !== null && row.browser === digestOf(browser.form_seed)
  const goes_on = new URLSearchParams((asked_here && payload.request) || 'visit=account')
  goes_on.set('ui_locales', context.locale)
  return redirect(`${issuer.url}/new-password?${saved}&${goes_on}`)
}

/** In characters. A link has 43; a longer text is not a token, even where it is cut. */
const longest_token = 100

/** A hint that is not an address of an account fills no field: a part of it could be the address of another person. */
const shownHint = (hint = '') => (hint.length > longest_email ? '' : hint)

const forgotUrl = ({ issuer }: OidcCall, query: string) => `${issuer.url}/forgot-password?${query}`

const backUrl = (call: OidcCall, query: string) => continueUrl(call, withPrompt(query, 'login'))

const no_reset = refusal('not_found', reason`The environment has no passwords or no mail, so no password can be reset.`)
const no_address = refusal('validation_failed', reason`The email is missing or malformed.`)
