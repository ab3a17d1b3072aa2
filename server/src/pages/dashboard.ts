// pure
/** Pages around the dashboard: a sign-in that failed, an application that is not built yet, and the return of a sign-in that it tries out. */
import { html } from '../base/html.ts'
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

/**
 * Hands the answer of the issuer to the tab that began the sign-in. The name of the channel has the `state`, so only the tab that made
 * it listens, and only pages of this origin can. Then the script removes the code from the address and from the history.
 */
const hand_over = `const answer = location.search
history.replaceState(null, '', location.pathname)
const channel = new BroadcastChannel('ostiary-try-' + new URLSearchParams(answer).get('state'))
channel.postMessage(answer)
channel.close()`

/** The redirect URI of "Try sign-in". The tab of the dashboard closes this window. */
export function tryCallbackPage(context: PageContext): Page {
  const texts = context.texts.dashboard.try_callback
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${texts.text}</p><p class="fine">${texts.unasked}</p>`
  return layout(context, { title: texts.title, body, align: 'top', script: hand_over })
}
