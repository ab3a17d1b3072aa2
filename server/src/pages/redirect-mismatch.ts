// pure
/** The page for an unregistered return address. In Test it explains the difference to the developer; in Live it is one sentence. */
import { differenceOf } from './address-difference.ts'
import { stretchesOf } from './characters.ts'
import { type Html, html } from './html.ts'
import { cross } from './icons.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { messagePage } from './message.ts'

export interface RedirectMismatchView {
  application_name: string
  client_id: string
  received: string
  registered: readonly string[]
  /** Pages for the developer: register the address, view the application, read about the error. `null` if there is none. */
  register_url: string | null
  application_url: string | null
  error_url: string | null
  account_url: string | null
  request_id: string
  at: Date
}

/** OIDC Core §3.1.2.1, RFC 6749 §4.1.2.1: shown to the person, never redirected. */
export function redirectMismatchPage(context: PageContext, view: RedirectMismatchView): Page {
  const { account_url, request_id } = view
  // Live never shows registered addresses.
  if (context.environment_type === 'live')
    return messagePage(context, { kind: 'unregistered_address', account_url, request_id, reason: null })

  const texts = context.texts.mismatch
  const body = html`<h1>${texts.title}</h1><p class="sub">${texts.text(view.application_name)}</p>
${comparison(context, view)}
${waysOn(context, view)}
<dl class="meta"><dt>${texts.error}</dt><dd><code>invalid_request</code>${view.error_url && html`, <a href="${view.error_url}">${texts.what_it_means}</a>`}</dd>
<dt>${texts.client_id}</dt><dd><code>${view.client_id}</code></dd>
<dt>${texts.request}</dt><dd><code>${request_id}</code>, <time datetime="${view.at.toISOString()}">${texts.time(view.at)}</time></dd>
<dt>${texts.in_live}</dt><dd>${texts.in_live_detail}</dd></dl>`
  return layout(context, { title: texts.title, body, width: 'wide', align: 'top', status: 400 })
}

/** No registered address is longer, so the rest of a longer one explains nothing. */
const longest_shown = 2_000

const shortened = (address: string) => (address.length > longest_shown ? `${address.slice(0, longest_shown)}…` : address)

/**
 * Sorts the registered addresses, the nearest first: the one with the fewest characters outside the common beginning and end.
 * Reads each address once. Only the nearest is then compared character by character.
 */
export function byNearness(received: string, registered: readonly string[]): string[] {
  return registered
    .map((address) => ({ address, distance: distanceBetween(received, address) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ address }) => address)
}

/** The number of characters of the longer address outside the common beginning and the common end. */
function distanceBetween(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one.charCodeAt(start) === other.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)) end++
  return Math.max(one.length, other.length) - start - end
}

/** Shows the received address, the nearest registered one below it, then the other registered ones. */
function comparison({ texts: { mismatch: texts } }: PageContext, { received: sent, registered }: RedirectMismatchView): Html {
  const received = shortened(sent)
  const [first, ...others] = byNearness(received, registered)
  const nearest = first === undefined ? null : differenceOf(received, first)
  const shown = (text: string) =>
    stretchesOf(text).map((stretch) => (stretch.unseen ? html`<i class="unseen">${texts.unseen(stretch.text)}</i>` : stretch.text))
  const marked = (runs: { text: string; differs: boolean }[], kind: 'x' | 'y') =>
    runs.map(({ text, differs }, index) => {
      if (!differs) return shown(text)
      if (text !== '') return html`<mark class="${kind}">${shown(text)}</mark>`
      return index === runs.length - 1 && html`<mark class="${kind}">${texts.end}</mark>`
    })
  const sentences = nearest ? nearest.changes.map(texts.change) : [texts.none_registered]
  const other = (address: string) => html`<div><dt>${texts.registered}</dt><dd><code>${shown(address)}</code></dd></div>`

  return html`<dl class="addresses"><div class="got"><dt>${cross} ${texts.received} <code>redirect_uri</code></dt><dd><code>${nearest ? marked(nearest.received, 'x') : shown(received)}</code></dd></div>
${nearest && html`<div><dt>${texts.nearest(registered.length)}</dt><dd><code>${marked(nearest.registered, 'y')}</code></dd></div>`}
${others.slice(0, 3).map(other)}</dl>
${others.length > 3 && html`<details><summary>${texts.more(others.length - 3)}</summary><dl class="addresses">${others.slice(3).map(other)}</dl></details>`}
<div class="why"><h2>${texts.what_differs}</h2>${sentences.slice(0, -1).map((sentence) => html`<p>${sentence}</p>`)}<p>${sentences.at(-1)} ${texts.rule}</p></div>`
}

function waysOn(
  { texts: { mismatch: texts } }: PageContext,
  { register_url, application_url, application_name }: RedirectMismatchView,
): Html {
  const links = [register_url, application_url].filter((url) => url !== null).length
  if (links === 0) return html`<p class="fine hint">${texts.by_hand}</p>`
  return html`<div class="acts">${register_url && html`<a class="b p" href="${register_url}">${texts.register}</a>`}${application_url && html`<a class="b" href="${application_url}">${texts.open(application_name)}</a>`}</div><p class="fine">${texts.needs_developer(links)}</p>`
}
