// pure
/**
 * The hosted pages: what a person sees of an environment, from sign-in to sign-out. Each file is one page, a function
 * of plain values that returns `Page`: the markup and the policy that belongs to it. Nothing here reads a database,
 * a request, a clock or a setting; the endpoints do, and send what they get from here.
 *
 * `layout.ts` is the frame, `html.ts` the escaping, `texts/` every word, `form.ts` and `tiles.ts` the shared parts.
 *
 * This page: the accounts that are signed in in this browser, to go on with one, remove one, or use another.
 */
import { hidden } from './form.ts'
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine, type Person, personLine } from './tiles.ts'

export interface AccountChooserView {
  application_name: string | null
  csrf: string
  request: string
  accounts: readonly (Person & { session_id: string })[]
  another_url: string
}

export function accountChooserPage(context: PageContext, view: AccountChooserView): Page {
  const { issuer } = context
  const texts = context.texts.account_chooser
  const { csrf, request } = view
  const account = ({ session_id, ...who }: AccountChooserView['accounts'][number]) => html`<li>
<button class="b" name="session" value="${session_id}">${personLine(who)}</button>
<button class="b" name="remove" value="${session_id}">${texts.remove}<span class="vh">${texts.of_account(who.email)}</span></button></li>`
  const body = html`${brandLine(context)}<h1>${texts.title}</h1>${view.application_name && html`<p class="sub">${texts.to_continue(view.application_name)}</p>`}
<form method="post" action="${issuer}/select-account">${hidden({ csrf, request })}
<ul class="people">${view.accounts.map(account)}</ul>
<a class="b" href="${view.another_url}">${texts.another}</a></form>
<p class="fine hint">${texts.remove_note}</p>`
  return layout(context, { title: texts.title, body })
}
