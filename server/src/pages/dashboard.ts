// pure
/** Pages that stand in for the dashboard: a sign-in that failed, and an application that is not built yet. */
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export function signInFailedPage(context: PageContext, { again, request_id }: { again: string; request_id: string }): Page {
  const texts = context.texts.dashboard.sign_in_failed
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.text}</p>
<div class="acts"><a class="b p" href="${again}">${texts.again}</a></div>
<dl class="meta"><dt>${texts.reference}</dt><dd><code>${request_id}</code></dd></dl>`
  return layout(context, { title: texts.title, body, width: 'medium', align: 'top', status: 400 })
}

/** Opens the dashboard as soon as it is there. */
export function notBuiltPage(context: PageContext): Page {
  const texts = context.texts.dashboard.not_built
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.text}</p>
<p class="fine hint">${texts.how}</p><p class="fine"><code>npm run build</code></p>`
  return layout(context, { title: texts.title, body, width: 'medium', align: 'top', status: 503, refresh_seconds: 2 })
}
