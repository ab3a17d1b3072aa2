// pure
/** The pages of the account page that change the address, or prove the present one. */
import { type Html, html } from '../base/html.ts'
import { problemText } from './account.ts'
import { type FormProblem, type FormView, formLayout, formPage, isOfForm } from './account-forms.ts'
import { accountFields, accountHref } from './account-links.ts'
import { breakable } from './address.ts'
import { field, hidden, problemSummary } from './form.ts'
import type { Page, PageContext } from './layout.ts'
import { type InboxUrl, resendNote } from './mail-note.ts'
import { brandLine } from './tiles.ts'

export interface ChangeEmailView extends FormView {
  /** The present address. */
  email: string
  /** Only a proven address confirms its change. */
  email_verified: boolean
  typed: string
  /** The change that waits for confirmation. */
  pending: { email: string; new_confirmed: boolean; old: 'waits' | 'confirmed' | 'not_needed' } | null
  inbox_url: InboxUrl
  problem: FormProblem | 'malformed' | 'same' | 'wrong_code' | null
}

export function changeEmailPage(context: PageContext, view: ChangeEmailView): Page {
  if (view.pending) return pendingPage(context, view, view.pending)
  const { account: texts, sign_up } = context.texts
  const { email, email_verified, typed, problem } = view
  // Without a change that waits, a code can only be of one that has ended.
  const wrong = problem === 'malformed' ? sign_up.email_malformed : problem === 'same' ? texts.problems.same_address : null
  const about_code = problem === 'wrong_code' ? texts.problems.changed : null
  const summary = isOfForm(problem) ? problemText(context, problem) : about_code
  return formPage(context, view, {
    title: texts.email_title,
    intro: html`<p class="sub">${texts.email_why(html`<b>${breakable(email)}</b>`, email_verified)}</p>`,
    problem,
    summary,
    fields: html`${hidden({ step: 'email' })}${field({ name: 'email', label: texts.new_email, type: 'email', autocomplete: 'email', value: typed, problem: wrong, autofocus: summary === null })}`,
    action: 'change-email',
    submit: texts.email_submit,
  })
}

function pendingPage(
  context: PageContext,
  { csrf, user_id, email, email_verified, inbox_url, problem }: ChangeEmailView,
  pending: NonNullable<ChangeEmailView['pending']>,
): Page {
  const { account: texts, code } = context.texts
  const { issuer } = context
  const wrong = problem === 'wrong_code' ? texts.problems.wrong_mailed_code : null
  const summary = isOfForm(problem) ? problemText(context, problem) : null
  const url = `${issuer}/account/change-email`
  const [from, to] = [email, pending.email].map((address) => html`<b>${breakable(address)}</b>`) as [Html, Html] // as: two of two
  const form = html`<form method="post" action="${url}">${accountFields(context, { csrf, user_id }, { step: 'code' })}
${field({ name: 'code', label: code.label, type: 'digits', autocomplete: 'one-time-code', problem: wrong, autofocus: summary === null })}
<button class="b p" data-action="change-email">${texts.email_confirm}</button></form>`
  const body = html`${brandLine(context)}<h1>${texts.pending_title}</h1><p class="sub">${texts.pending_intro(from, to, email_verified)}</p>
${summary && problemSummary(summary)}
<ul class="kept"><li>${pending.new_confirmed ? texts.new_end_confirmed(to) : texts.new_end_waits(to)}</li>${pending.old !== 'not_needed' && html`<li>${pending.old === 'confirmed' ? texts.old_end_confirmed(from) : texts.old_end_waits(from)}</li>`}</ul>
${!pending.new_confirmed && form}
<form method="post" action="${url}">${accountFields(context, { csrf, user_id })}
<button class="b" name="step" value="resend" data-action="resend-code" aria-describedby="resend-note">${texts.email_resend}</button><button class="b" name="step" value="cancel" data-action="cancel">${texts.email_cancel}</button>
${resendNote(context, inbox_url, texts.email_resend_note)}</form>
<p class="after"><a href="${accountHref(context)}" data-action="account">${texts.back}</a></p>`
  return formLayout(context, { title: texts.pending_title, body, problem })
}

export interface ConfirmEmailView extends FormView {
  email: string
  inbox_url: InboxUrl
  problem: FormProblem | 'wrong_code' | null
}

export function confirmEmailPage(context: PageContext, { csrf, user_id, email, inbox_url, problem }: ConfirmEmailView): Page {
  const { account: texts, code } = context.texts
  const { issuer } = context
  const wrong = problem === 'wrong_code' ? texts.problems.wrong_mailed_code : null
  const summary = isOfForm(problem) ? problemText(context, problem) : null
  const url = `${issuer}/account/confirm-email`
  const body = html`${brandLine(context)}<h1>${texts.verify_title}</h1><p class="sub">${texts.verify_sent(html`<b>${breakable(email)}</b>`)}</p>
${summary && problemSummary(summary)}
<form method="post" action="${url}">${accountFields(context, { csrf, user_id }, { step: 'code' })}
${field({ name: 'code', label: code.label, type: 'digits', autocomplete: 'one-time-code', problem: wrong, autofocus: summary === null })}
<button class="b p" data-action="confirm">${texts.verify_submit}</button></form>
<form method="post" action="${url}">${accountFields(context, { csrf, user_id })}
<button class="b" name="step" value="send" data-action="resend-code" aria-describedby="resend-note">${code.resend}</button>
${resendNote(context, inbox_url)}</form>
<p class="after"><a href="${accountHref(context)}" data-action="cancel">${texts.back}</a></p>`
  return formLayout(context, { title: texts.verify_title, body, problem })
}
