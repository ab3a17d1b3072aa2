// pure
/** The page after a failed sign-in at an upstream provider, or a failed connection with it: one sentence and a way back. */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type Reason, reasonLines } from './message.ts'
import { brandLine } from './tiles.ts'

/** The person asked for the connection on the account page. */
export type ConnectionProblem = 'connect_unreachable' | 'connect_refused' | 'connect_taken'

export interface ProviderProblemView {
  problem:
    | 'unreachable'
    | 'lost'
    | 'no_email'
    | 'account_exists'
    | 'domain_refused'
    | 'sign_up_closed'
    | 'not_connected'
    | 'blocked'
    | ConnectionProblem
  provider_name: string
  email: string | null
  back_url: string | null
  request_id: string
  /** Shown in Test only. */
  reason: Reason | null
}

const statuses: Partial<Record<ProviderProblemView['problem'], number>> = { unreachable: 502, connect_unreachable: 502, connect_taken: 409 }

export function providerProblemPage(
  context: PageContext,
  { problem, provider_name, email, back_url, request_id, reason }: ProviderProblemView,
): Page {
  const { provider: texts, account } = context.texts
  const is_connection = problem.startsWith('connect_')
  const title = is_connection ? texts.connect_title(provider_name) : texts.title(provider_name)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${texts[problem](provider_name, breakable(email ?? ''))}</p>
${back_url && html`<div class="acts"><a class="b p" href="${back_url}" data-action="continue">${is_connection ? account.back : texts.back}</a></div>`}
<dl class="meta">${reasonLines(context, reason)}<dt>${context.texts.message.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, {
    title,
    body,
    step: 'error',
    width: 'medium',
    align: 'top',
    status: statuses[problem] ?? 400,
  })
}
