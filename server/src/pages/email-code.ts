// pure
/** The page that asks for an emailed code. It says the same whether a mail was sent or not. */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSentence, hidden, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type InboxUrl, resendNote } from './mail-note.ts'
import { brandLine } from './tiles.ts'

export interface EmailCodeView {
  /** The address of the page. Its forms are sent there, so that the page that answers a wrong value can be opened again. */
  page_url: string
  csrf: string
  request: string
  email: string
  problem: 'wrong' | 'too_many' | FormProblem | null
  /** How long to wait; `null` if unknown. */
  wait_seconds: number | null
  /** Whether the person may sign in with a password instead. */
  offers_password: boolean
  inbox_url: InboxUrl
  /** The page on which another address can be entered. */
  back_url: string
}

export function emailCodePage(context: PageContext, view: EmailCodeView): Page {
  const { texts } = context
  const { page_url, csrf, request, email, problem } = view
  const values = hidden({ csrf, request, email })
  const summary = problem === null || problem === 'wrong' ? null : problemText(context, problem, view.wait_seconds)
  const body = html`${brandLine(context)}<h1>${texts.code.title}</h1><p class="sub">${texts.code.sent(html`<b>${breakable(email)}</b>`)}</p>
${summary && problemSummary(summary)}
<form method="post" action="${page_url}">${values}
${field({ name: 'code', label: texts.code.label, type: 'digits', autocomplete: 'one-time-code', problem: problem === 'wrong' ? texts.code.wrong : null, autofocus: summary === null })}
<button class="b p" data-action="continue">${texts.code.submit}</button></form>
<form method="post" action="${page_url}">${values}
<button class="b" name="action" value="resend" data-action="resend-code" aria-describedby="resend-note">${texts.code.resend}</button>${view.offers_password && html`<button class="b" name="action" value="use_password" data-action="use-password">${texts.code.use_password}</button>`}
${resendNote(context, view.inbox_url)}</form>
<p class="after"><a href="${view.back_url}" data-action="use-other-address">${texts.code.other_address}</a></p>`
  return layout(context, {
    title: texts.code.title,
    body,
    step: 'code',
    has_problem: problem !== null,
    ...(problem && { status: problem === 'too_many' ? 429 : 400 }),
  })
}

function problemText(
  context: PageContext,
  problem: Exclude<EmailCodeView['problem'], 'wrong' | null>,
  wait_seconds: number | null,
): string {
  return problem === 'too_many' ? context.texts.form.too_many(wait_seconds) : formSentence(context, problem)
}
