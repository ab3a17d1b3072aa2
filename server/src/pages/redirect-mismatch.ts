// pure
/** The page for an unregistered redirect URI. In Test it explains the difference to the developer; in Live it is one sentence. */
import { type Html, html } from '../base/html.ts'
import { addressComparison } from './address-comparison.ts'
import { datesOf } from './dates.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { messagePage } from './message.ts'

export interface RedirectMismatchView {
  application_name: string
  client_id: string
  received: string
  registered: readonly string[]
  /** The page of the dashboard that registers the address. `null` for an address that cannot be registered. */
  register_url: string | null
  /** The application in the dashboard. */
  application_url: string
  /** The page that explains the error. */
  error_url: string
  /** The record of the call in the dashboard. */
  call_url: string
  account_url: string | null
  request_id: string
  at: Date
}

/** OIDC Core §3.1.2.1, RFC 6749 §4.1.2.1: shown to the person, never redirected. */
export function redirectMismatchPage(context: PageContext, view: RedirectMismatchView): Page {
  const { account_url, request_id } = view
  // Live never shows registered addresses.
  if (context.environment_type === 'live')
    return messagePage(context, { kind: 'unregistered_address', account_url, home_url: null, request_id, reason: null })

  const texts = context.texts.mismatch
  const body = html`<h1>${texts.title}</h1><p class="sub">${texts.text(view.application_name)}</p>
${addressComparison(context.texts.mismatch, { parameter: 'redirect_uri', received: view.received, registered: view.registered })}
${waysOn(context, view)}
<dl class="meta"><dt>${texts.error}</dt><dd><code>invalid_request</code>, <a href="${view.error_url}">${texts.what_it_means}</a></dd>
<dt>${texts.client_id}</dt><dd><a href="${view.application_url}"><code>${view.client_id}</code></a></dd>
<dt>${texts.request}</dt><dd><a href="${view.call_url}"><code>${request_id}</code></a>, ${datesOf(context.texts.account.date_locale, null).moment(view.at)}</dd>
<dt>${texts.in_live}</dt><dd>${texts.in_live_detail}</dd></dl>`
  return layout(context, { title: texts.title, body, step: 'error', width: 'wide', align: 'top', status: 400 })
}

function waysOn(
  { texts: { mismatch: texts } }: PageContext,
  { register_url, application_url, application_name }: RedirectMismatchView,
): Html {
  return html`<div class="acts">${register_url && html`<a class="b p" href="${register_url}">${texts.register}</a>`}<a class="b" href="${application_url}">${texts.open(application_name)}</a></div><p class="fine">${texts.needs_developer(register_url ? 2 : 1)}</p>`
}
