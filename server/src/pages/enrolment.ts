// pure
/** The pages on which a person sets up a second factor: the mailed code before it, the app or passkey, and the recovery codes. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { codes_script } from './codes-script.ts'
import { type FormProblem, field, formSentence, formSummary, hidden, isFormProblem, problemSummary, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type InboxUrl, resendNote } from './mail-note.ts'
import { type PasskeyCeremony, passkeyBlock, withoutPasskeys } from './passkey-block.ts'
import { passkey_script } from './passkey-script.ts'
import { qrCode } from './qr-code.ts'
import { brandLine } from './tiles.ts'

type Problem = 'wrong' | 'missing' | FormProblem

interface EnrolmentView {
  /** The query of the address of the step, from its `?` on, which the forms keep. */
  step_query: string
  csrf: string
  request: string
  /** The attempt of this tab. */
  attempt: string
  problem: Problem | null
  application_name: string | null
  /** Begins the sign-in again. */
  again_url: string
  /** Returns to the client without signing in. */
  cancel_url: string | null
}

const problem_status = 400

export interface EnrolmentCodeView extends EnrolmentView {
  /** The address that the code was mailed to. */
  email: string
  inbox_url: InboxUrl
}

/** Asks for the code that proves the address before the first enrolment. */
export function enrolmentCodePage(context: PageContext, { email, inbox_url, ...view }: EnrolmentCodeView): Page {
  const { issuer } = context
  const texts = context.texts.enrolment
  const { step_query, csrf, request, attempt } = view
  const body = html`${brandLine(context)}<h1>${texts.code_title}</h1><p class="sub">${texts.code_sent(html`<b>${breakable(email)}</b>`)}</p>
${problemOf(context, view)}
<form method="post" action="${issuer}/enrolment-code${step_query}">${hidden({ csrf, request, attempt })}
${codeField(context, view, texts.wrong)}
<button class="b p" data-action="continue">${context.texts.second_factor.submit}</button></form>
<form method="post" action="${issuer}/enrolment-code${step_query}">${hidden({ csrf, request, attempt })}<button class="b" name="resend" value="yes" data-action="resend-code" aria-describedby="resend-note">${context.texts.code.resend}</button>
${resendNote(context, inbox_url)}</form>
${waysBack(context, view)}`
  return framed(context, view, { title: texts.code_title, body, step: 'code' })
}

export interface EnrolFactorView extends Omit<EnrolmentView, 'problem'> {
  problem: Problem | 'passkey_expired' | 'passkey_refused' | 'passkey_known' | null
  /** The link for authenticator apps, and its secret for people who type it; `null` where apps are off. */
  app: { otpauth_url: string; secret: string } | null
  /** `null` where passkeys are off. */
  passkey: PasskeyCeremony | null
}

/** Offers the second factors that the environment has. A page with a passkey alone says what to do where its script does not run. */
export function enrolFactorPage(context: PageContext, view: EnrolFactorView): Page {
  const { app, passkey } = view
  const texts = context.texts.enrolment
  const [title, why] = app ? [texts.totp_title, texts.totp_why] : [texts.passkey_title, texts.passkey_why]
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${why}</p>
${problemOf(context, view)}
${app && appForm(context, view, app)}${passkey && passkeyForm(context, view, passkey)}
${!app && withoutPasskeys(texts.passkey_help)}
${waysBack(context, view)}`
  const shown = { title, body, step: app ? ('enrol-totp' as const) : ('offer-passkey' as const) }
  return framed(context, view, { ...shown, ...(passkey && { script: passkey_script }) })
}

const waysBack = (
  { texts }: PageContext,
  { application_name, again_url, cancel_url }: EnrolFactorView | Omit<EnrolmentCodeView, 'email' | 'inbox_url'>,
) =>
  html`<p class="after"><a href="${again_url}" data-action="begin-again">${texts.enrolment.again}</a></p>
${cancel_url && html`<p class="after"><a href="${cancel_url}" data-action="cancel">${texts.sign_in.cancel(application_name)}</a></p>`}`

const appForm = (context: PageContext, view: EnrolFactorView, app: NonNullable<EnrolFactorView['app']>) =>
  html`${appOffer(context, app)}
<form method="post" action="${context.issuer}/enrol-totp${view.step_query}">${hidden({ csrf: view.csrf, request: view.request, attempt: view.attempt })}
${codeField(context, view, context.texts.account.problems.wrong_code)}
<button class="b p" data-action="continue">${context.texts.second_factor.submit}</button></form>`

/** Beside an app, `continue` is the button of the app. */
function passkeyForm(context: PageContext, { step_query, csrf, request, attempt, app }: EnrolFactorView, ceremony: PasskeyCeremony) {
  const { issuer, texts } = context
  const button = app
    ? html`<button class="b" data-action="passkey">${texts.enrolment.use_passkey}</button>`
    : html`<button class="b p" data-action="continue">${texts.passkey.add}</button>`
  return passkeyBlock(
    context,
    ceremony,
    html`${app && html`<p class="or">${texts.sign_in.or}</p>`}<form class="alts" method="post" action="${issuer}/enrol-passkey${step_query}">${hidden({ csrf, request, attempt, credential: '' })}
${button}</form>`,
  )
}

/** The offered app, for a camera, for an app on this device, and for people who type it. */
export function appOffer(
  { texts: { enrolment: texts } }: PageContext,
  { otpauth_url, secret }: { otpauth_url: string; secret: string },
): Html {
  return html`<div class="qr">${qrCode(otpauth_url, texts.qr)}</div>
<p class="fine hint"><a href="${otpauth_url}">${texts.open_app}</a></p>
<p class="fine hint">${texts.or_type} <code>${secret.match(/.{1,4}/g)?.join(' ')}</code></p>`
}

export interface RecoveryCodesView {
  csrf: string
  /** Where the person goes on. */
  request: string
  user_id: string
  codes: readonly string[]
  problem: FormProblem | null
}

/** Shows new recovery codes, which are not shown again once the person confirms to have them. */
export function recoveryCodesPage(context: PageContext, { csrf, request, user_id, codes, problem }: RecoveryCodesView): Page {
  const texts = context.texts.enrolment
  const body = html`${brandLine(context)}<h1>${texts.recovery_title}</h1><p class="sub">${texts.recovery_why}</p>
${formSummary(context, problem)}
<ul class="codes">${codes.map((code) => html`<li><code data-recovery-code>${code}</code></li>`)}</ul>
<div class="acts" data-code-tools hidden data-heading="${texts.recovery_heading(context.branding.display_name)}" data-file="${texts.recovery_file}" data-copied="${texts.copied}" data-failed="${texts.not_copied}">
<button class="b" type="button" data-action="copy-codes">${texts.copy}</button><button class="b" type="button" data-action="download-codes">${texts.download}</button><button class="b" type="button" data-action="print-codes">${texts.print}</button></div><p class="fine" role="status"></p>
<p class="fine hint">${texts.recovery_once}</p>
<form method="post" action="${context.issuer}/recovery-codes">${hidden({ csrf, request, user: user_id })}
<button class="b p" data-action="continue">${texts.recovery_saved}</button></form>`
  return layout(context, { title: texts.recovery_title, body, step: 'recovery-codes', script: codes_script, ...refusedForm(problem) })
}

/** @param wrong_text what to do about a code that does not match: only a mailed one can be sent again */
function codeField({ texts }: PageContext, { problem }: Pick<EnrolFactorView, 'problem'>, wrong_text: string) {
  const wrong = isOfField(problem) ? { wrong: wrong_text, missing: texts.second_factor.code_missing }[problem] : null
  return field({
    name: 'code',
    label: texts.second_factor.code,
    type: 'digits',
    autocomplete: 'one-time-code',
    problem: wrong,
    autofocus: problem === null || wrong !== null,
  })
}

const isOfField = (problem: EnrolFactorView['problem']): problem is 'wrong' | 'missing' => problem === 'wrong' || problem === 'missing'

function problemOf(context: PageContext, { problem }: Pick<EnrolFactorView, 'problem'>) {
  if (problem === null || isOfField(problem)) return null
  if (isFormProblem(problem)) return problemSummary(formSentence(context, problem))
  const { passkey } = context.texts
  return problemSummary({ passkey_expired: passkey.expired, passkey_refused: passkey.refused, passkey_known: passkey.known }[problem])
}

const framed = (
  context: PageContext,
  { problem }: Pick<EnrolFactorView, 'problem'>,
  content: { title: string; body: Html; step: 'code' | 'enrol-totp' | 'offer-passkey'; script?: string },
): Page => layout(context, { ...content, has_problem: problem !== null, ...(problem && { status: problem_status }) })
