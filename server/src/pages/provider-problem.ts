// pure
/** The page after a failed sign-in at an upstream provider: one sentence and a way back. */
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export interface ProviderProblemView {
  problem: 'unreachable' | 'lost' | 'no_email' | 'account_exists' | 'sign_up_closed' | 'blocked'
  provider_name: string
  email: string | null
  back_url: string | null
  request_id: string
}

export function providerProblemPage(
  context: PageContext,
  { problem, provider_name, email, back_url, request_id }: ProviderProblemView,
): Page {
  const texts = context.texts.provider
  const body = html`${brandLine(context)}<h1>${texts.title(provider_name)}</h1><p class="sub">${texts[problem](provider_name, email ?? '')}</p>
${back_url && html`<div class="acts"><a class="b p" href="${back_url}">${texts.back}</a></div>`}
<dl class="meta"><dt>${context.texts.message.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, {
    title: texts.title(provider_name),
    body,
    width: 'medium',
    align: 'top',
    status: problem === 'unreachable' ? 502 : 400,
  })
}
