// pure
/** The page after a failed sign-in at an upstream provider: one sentence and a way back. */

import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type Reason, reasonLines } from './message.ts'
import { brandLine } from './tiles.ts'

export interface ProviderProblemView {
  problem: 'unreachable' | 'lost' | 'no_email' | 'account_exists' | 'sign_up_closed' | 'not_connected' | 'blocked'
  provider_name: string
  email: string | null
  back_url: string | null
  request_id: string
  /** Shown in Test only. */
  reason: Reason | null
}

export function providerProblemPage(
  context: PageContext,
  { problem, provider_name, email, back_url, request_id, reason }: ProviderProblemView,
): Page {
  const texts = context.texts.provider
  const body = html`${brandLine(context)}<h1>${texts.title(provider_name)}</h1><p class="sub">${texts[problem](provider_name, breakable(email ?? ''))}</p>
${back_url && html`<div class="acts"><a class="b p" href="${back_url}" data-action="continue">${texts.back}</a></div>`}
<dl class="meta">${reasonLines(context, reason)}<dt>${context.texts.message.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, {
    title: texts.title(provider_name),
    body,
    step: 'error',
    width: 'medium',
    align: 'top',
    status: problem === 'unreachable' ? 502 : 400,
  })
}
