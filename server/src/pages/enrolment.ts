// pure
/** The pages on which a person sets up a second factor: the mailed code before it, the authenticator app, and the recovery codes. */
import { breakable } from './address.ts'
import { field, hidden, problemSummary } from './form.ts'
import { type Html, html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { qrCode } from './qr-code.ts'
import { brandLine } from './tiles.ts'

type Problem = 'wrong' | 'missing' | 'expired_form' | 'no_cookies'

interface EnrolmentView {
  csrf: string
  request: string
  problem: Problem | null
}

const problem_status = 400

export interface EnrolmentCodeView extends EnrolmentView {
  /** The address that the code was mailed to. */
  email: string
}

/** Asks for the code that proves the address before the first enrolment. */
export function enrolmentCodePage(context: PageContext, { email, ...view }: EnrolmentCodeView): Page {
  const { issuer } = context
  const texts = context.texts.enrolment
  const { csrf, request } = view
  const body = html`${brandLine(context)}<h1>${texts.code_title}</h1><p class="sub">${texts.code_sent(html`<b>${breakable(email)}</b>`)}</p>
${problemOf(context, view)}
<form method="post" action="${issuer}/enrolment-code">${hidden({ csrf, request })}
${codeField(context, view)}
<button class="b p" data-action="continue">${context.texts.second_factor.submit}</button></form>
<form method="post" action="${issuer}/enrolment-code">${hidden({ csrf, request })}<button class="b" name="resend" value="yes" data-action="resend-code">${texts.resend}</button></form>`
  return framed(context, view, { title: texts.code_title, body, step: 'code' })
}

export interface EnrolTotpView extends EnrolmentView {
  /** The link for authenticator apps, and its secret for people who type it. */
  otpauth_url: string
  secret: string
}

export function enrolTotpPage(context: PageContext, { otpauth_url, secret, ...view }: EnrolTotpView): Page {
  const { issuer } = context
  const texts = context.texts.enrolment
  const { csrf, request } = view
  const body = html`${brandLine(context)}<h1>${texts.totp_title}</h1><p class="sub">${texts.totp_why}</p>
${problemOf(context, view)}
${appOffer(context, { otpauth_url, secret })}
<form method="post" action="${issuer}/enrol-totp">${hidden({ csrf, request })}
${codeField(context, view)}
<button class="b p" data-action="continue">${context.texts.second_factor.submit}</button></form>`
  return framed(context, view, { title: texts.totp_title, body, step: 'enrol-totp' })
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
  codes: readonly string[]
  continue_url: string
}

/** Shows new recovery codes, which are never shown again. */
export function recoveryCodesPage(context: PageContext, { codes, continue_url }: RecoveryCodesView): Page {
  const texts = context.texts.enrolment
  const body = html`${brandLine(context)}<h1>${texts.recovery_title}</h1><p class="sub">${texts.recovery_why}</p>
<ul class="codes">${codes.map((code) => html`<li><code data-recovery-code>${code}</code></li>`)}</ul>
<p class="fine hint">${texts.recovery_once}</p>
<div class="acts"><a class="b p" href="${continue_url}" data-action="continue">${texts.recovery_saved}</a></div>`
  return layout(context, { title: texts.recovery_title, body, step: 'recovery-codes' })
}

function codeField({ texts }: PageContext, { problem }: EnrolmentView) {
  const is_of_field = problem === 'wrong' || problem === 'missing'
  return field({
    name: 'code',
    label: texts.second_factor.code,
    type: 'digits',
    autocomplete: 'one-time-code',
    shared_problem_id: is_of_field && 'problem',
    autofocus: problem === null,
  })
}

function problemOf({ texts, issuer }: PageContext, { problem }: EnrolmentView) {
  if (problem === null) return null
  const text = {
    wrong: texts.enrolment.wrong,
    missing: texts.second_factor.code_missing,
    expired_form: texts.form.expired,
    no_cookies: texts.form.no_cookies(new URL(issuer).hostname),
  }[problem]
  return problemSummary(text)
}

const framed = (
  context: PageContext,
  { problem }: EnrolmentView,
  content: { title: string; body: ReturnType<typeof html>; step: 'code' | 'enrol-totp' },
): Page => layout(context, { ...content, has_problem: problem !== null, ...(problem && { status: problem_status }) })
