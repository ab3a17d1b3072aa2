// pure
/**
 * The hosted pages that a person sees from sign-in to sign-out. Each page is one file with a function of plain values that
 * returns a `Page`: the markup and its content security policy. The pages read no database, request, clock or setting. The
 * endpoints do that and send the page.
 *
 * `layout.ts` is the frame, `html.ts` the escaping, `texts/` all texts, `form.ts` and `tiles.ts` shared components.
 *
 * This page lists the accounts that are signed in in this browser. The person continues with one, removes one, or uses another.
 */
import { html } from '../base/html.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine, type Person, personLine } from './tiles.ts'

export interface AccountChooserView {
  application_name: string | null
  csrf: string
  request: string
  accounts: readonly (Person & { session_id: string })[]
  another_url: string
  problem: FormProblem | null
}

export function accountChooserPage(context: PageContext, view: AccountChooserView): Page {
  const { issuer } = context
  const texts = context.texts.account_chooser
  const { csrf, request } = view
  const account = ({ session_id, ...who }: AccountChooserView['accounts'][number]) => html`<li data-id="${session_id}">
<button class="b" name="session" value="${session_id}" data-action="continue">${personLine(who)}</button>
<button class="b" name="remove" value="${session_id}" data-action="sign-out">${texts.remove}<span class="vh">${texts.of_account(who.email)}</span></button></li>`
  const body = html`${brandLine(context)}<h1>${texts.title}</h1>${view.application_name && html`<p class="sub">${texts.to_continue(view.application_name)}</p>`}
${formSummary(context, view.problem)}
<form method="post" action="${issuer}/select-account">${hidden({ csrf, request })}
<ul class="people">${view.accounts.map(account)}</ul>
<a class="b" href="${view.another_url}" data-action="use-other-account">${texts.another}</a></form>
<p class="fine hint">${texts.remove_note}</p>`
  return layout(context, { title: texts.title, body, step: 'select-account', ...refusedForm(view.problem) })
}
