// pure
/** The page of a person who signed in to a closed account: it comes back by a press. */
import { html } from '../base/html.ts'
import { datesOf } from './dates.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export interface RestoreView {
  page_url: string
  csrf: string
  request: string
  attempt: string
  /** When the account is deleted, if it is not restored. */
  deletes_at: Date
  problem: FormProblem | null
  /** Leaves the account closed. */
  leave_url: string
}

export function restorePage(context: PageContext, view: RestoreView): Page {
  const { page_url, csrf, request, attempt, deletes_at, problem, leave_url } = view
  const { restore: texts, account } = context.texts
  const day = datesOf(account.date_locale, null).moment(deletes_at)
  const body = html`${brandLine(context)}<h1>${texts.title}</h1>${formSummary(context, problem)}<p class="sub">${texts.text(day)}</p>
<form method="post" action="${page_url}">${hidden({ csrf, request, attempt, decision: 'restore' })}
<button class="b p" data-action="confirm">${texts.submit}</button></form>
<div class="acts"><a class="b" href="${leave_url}" data-action="cancel">${texts.leave}</a></div>`
  return layout(context, {
    title: texts.title,
    body,
    step: 'account',
    width: 'medium',
    ...refusedForm(problem),
  })
}
