// pure
/** The page of a person whose account waits for an approval, or was refused. */
import { html } from '../base/html.ts'
import { datesOf } from './dates.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export interface WaitingView {
  problem: 'waiting' | 'refused'
  /** RFC 3339. When the account is deleted, if nothing happens before. */
  ends_at: string
  /** Where the person can sign in with another account. */
  back_url: string
  request_id: string
}

export function waitingPage(context: PageContext, { problem, ends_at, back_url, request_id }: WaitingView): Page {
  const { texts, branding, links } = context
  const { title, text } = texts.waiting[problem]
  const day = datesOf(texts.account.date_locale, null).day(new Date(ends_at))
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${text(branding.display_name, day)}</p>
<div class="acts"><a class="b" href="${back_url}" data-action="use-other-account">${texts.waiting.other_account}</a>${links.support_url && html`<a class="b" href="${links.support_url}">${texts.message.help}</a>`}</div>
<dl class="meta"><dt>${texts.message.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, { title, body, step: 'waiting', width: 'medium', align: 'top', status: 403 })
}
