// pure
/** The pages of a forgotten password: asking for the link, choosing the new one, and the page to which every mailed link leads. */
import { type Html, html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSentence, hidden, isFormProblem, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type InboxUrl, keptNote } from './mail-note.ts'
import { newPasswordField, passwordText, type SignUpView } from './sign-up.ts'
import { brandLine } from './tiles.ts'

const bold = (email: string): Html => html`<b>${breakable(email)}</b>`

const formText = (context: PageContext, problem: FormProblem | 'busy'): string =>
  problem === 'busy' ? context.texts.form.busy : formSentence(context, problem)

export interface ForgotView {
  /** The address of the page. Its forms are sent there, so that the page that answers a wrong value can be opened again. */
  page_url: string
  csrf: string
  request: string
  email: string
  problem: FormProblem | 'malformed' | null
  back_url: string
}

export function forgotPage(context: PageContext, { page_url, csrf, request, email, problem, back_url }: ForgotView): Page {
  const { texts } = context
  const wrong = problem === 'malformed' ? texts.sign_up.email_malformed : null
  const summary = problem === null || problem === 'malformed' ? null : formText(context, problem)
  const body = html`${brandLine(context)}<h1>${texts.reset.forgot_title}</h1><p class="sub">${texts.reset.forgot_text}</p>
${summary && problemSummary(summary)}
<form method="post" action="${page_url}" novalidate>${hidden({ csrf, request })}
${field({ name: 'email', label: texts.form.email, type: 'email', autocomplete: 'username', value: email, problem: wrong, autofocus: summary === null })}
<button class="b p" data-action="continue">${texts.reset.submit}</button></form>
<p class="after"><a href="${back_url}" data-action="cancel">${texts.reset.back}</a></p>`
  const status = problem === null ? {} : { status: 400 }
  return layout(context, { title: texts.reset.forgot_title, body, step: 'forgot-password', has_problem: problem !== null, ...status })
}

/** The same whether there is an account or not. */
export function forgotSentPage(
  context: PageContext,
  { email, back_url, inbox_url }: Pick<ForgotView, 'email' | 'back_url'> & { inbox_url: InboxUrl },
): Page {
  const texts = context.texts.reset
  const body = html`${brandLine(context)}<h1>${texts.sent_title}</h1><p class="sub">${texts.sent(bold(email))}</p>
${keptNote(context, inbox_url)}
<p class="after"><a href="${back_url}" data-action="continue">${texts.back}</a></p>`
  return layout(context, { title: texts.sent_title, body, step: 'forgot-password' })
}

export interface NewPasswordView {
  /** The address of the page. Its forms are sent there, so that the page that answers a wrong value can be opened again. */
  page_url: string
  csrf: string
  token: string
  email: string
  password_rule: NonNullable<SignUpView['password_rule']>
  problem: FormProblem | 'busy' | NonNullable<SignUpView['problems']['password']> | null
}

export function newPasswordPage(context: PageContext, { page_url, csrf, token, email, password_rule, problem }: NewPasswordView): Page {
  const { texts } = context
  const of_form = isFormProblem(problem) || problem === 'busy'
  const about_password = problem === null || of_form ? null : passwordText(texts.sign_up, problem, password_rule.min_length)
  const summary = of_form ? formText(context, problem) : null
  // Password managers store the password with the address in the hidden field, and ignore fields of the type "hidden".
  const body = html`${brandLine(context)}<h1>${texts.reset.new_title}</h1><p class="sub">${texts.reset.new_text(bold(email))}</p>
${summary && problemSummary(summary)}
<form method="post" action="${page_url}">${hidden({ csrf, token, ui_locales: context.locale })}<input type="email" name="username" autocomplete="username" value="${email}" readonly hidden>
${newPasswordField(context, password_rule, { problem: about_password, autofocus: summary === null })}
<button class="b p" data-action="continue">${texts.reset.new_submit}</button></form>`
  const status = problem === null ? {} : { status: problem === 'busy' ? 503 : 400 }
  return layout(context, { title: texts.reset.new_title, body, step: 'new-password', has_problem: problem !== null, ...status })
}

const toAccount = ({ issuer, texts }: PageContext) =>
  html`<a class="b" href="${issuer}/account" data-action="account">${texts.message.account}</a>`

/** `continue_url` leads back to what the person wanted to sign in to; `null` where that is not known. */
export function passwordSavedPage(context: PageContext, { continue_url }: { continue_url: string | null }): Page {
  const { texts } = context
  const { done_title, done } = texts.reset
  const body = html`${brandLine(context)}<h1>${done_title}</h1><p class="sub">${done}</p>
<div class="acts">${continue_url === null ? toAccount(context) : html`<a class="b p" href="${continue_url}" data-action="continue">${texts.reset.back}</a>`}</div>`
  return layout(context, { title: done_title, body, step: 'new-password', width: 'medium' })
}

export interface LinkView {
  csrf: string
  token: string
  kind: 'sign_up' | 'verify_email' | 'reset_password' | 'change_email' | 'change_email_notice'
  email: string
  /** Of a change of the address. */
  new_email: string
  problem: FormProblem | null
}

/** A link shows this page and does nothing: a program that follows the links of a mail presses no button. */
export function linkPage(context: PageContext, view: LinkView): Page {
  const { texts, issuer } = context
  const { csrf, token, kind, problem } = view
  const { title, about, submit } = linkTexts(context, view)
  const cancel =
    kind === 'change_email_notice' &&
    html`<button class="b" name="decision" value="cancel" data-action="cancel">${texts.link.keep}</button>`
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${about}</p>
${problem && problemSummary(formText(context, problem))}
<form method="post" action="${issuer}/link">${hidden({ csrf, token, ui_locales: context.locale })}
<button class="b p" data-action="confirm">${submit}</button>${cancel}</form>`
  const status = problem === null ? {} : { status: 400 }
  return layout(context, { title, body, step: 'link', has_problem: problem !== null, ...status })
}

function linkTexts({ texts: { link }, branding: { display_name: brand } }: PageContext, { kind, email, new_email }: LinkView) {
  switch (kind) {
    case 'sign_up':
      return { title: link.sign_up_title, about: link.sign_up(bold(email), brand), submit: link.confirm }
    case 'verify_email':
      return { title: link.verify_title, about: link.verify(bold(email), brand), submit: link.verify_submit }
    case 'reset_password':
      return { title: link.reset_title, about: link.reset(bold(email), brand), submit: link.continue }
    case 'change_email':
      return { title: link.change_title, about: link.change(bold(email), brand), submit: link.confirm }
    case 'change_email_notice':
      return { title: link.notice_title, about: link.notice(bold(email), bold(new_email), brand), submit: link.confirm }
  }
}

/** `cancelled`: the address stays. Otherwise the other end is missing, or the address has changed. */
export function changeConfirmedPage(context: PageContext, outcome: 'waits' | 'changed' | 'cancelled', email: string): Page {
  const { title, text } = context.texts.link.outcomes[outcome]
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${text(bold(email))}</p>
<div class="acts">${toAccount(context)}</div>`
  return layout(context, { title, body, step: 'link', width: 'medium' })
}

/** The link of a sign-up made the account, and signed nobody in. */
export function accountCreatedPage(context: PageContext, { email, sign_in_url }: { email: string; sign_in_url: string }): Page {
  const { created_title, created } = context.texts.link
  const body = html`${brandLine(context)}<h1>${created_title}</h1><p class="sub">${created(bold(email))}</p>
<div class="acts"><a class="b p" href="${sign_in_url}" data-action="sign-in">${context.texts.sign_up.sign_in}</a></div>`
  return layout(context, { title: created_title, body, step: 'link', width: 'medium' })
}

export function verifiedPage(context: PageContext, email: string): Page {
  const { verified_title, verified } = context.texts.link
  const body = html`${brandLine(context)}<h1>${verified_title}</h1><p class="sub">${verified(bold(email))}</p>
<div class="acts">${toAccount(context)}</div>`
  return layout(context, { title: verified_title, body, step: 'link', width: 'medium' })
}
