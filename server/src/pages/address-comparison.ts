// pure
/** Compares a received address with the registered ones, for developers: the received one, the nearest below it, then the others. */
import { type Change, differenceOf } from '../base/address-difference.ts'
import { stretchesOf } from '../base/characters.ts'
import { type Html, html } from '../base/html.ts'
import { cross } from './icons.ts'
import type { Texts } from './texts/en.ts'

interface Comparison {
  /** The parameter that carries the address. */
  parameter: 'redirect_uri' | 'post_logout_redirect_uri'
  received: string
  registered: readonly string[]
}

export function addressComparison(texts: Texts['mismatch'], { parameter, received: sent, registered }: Comparison): Html {
  const received = shortened(sent)
  const [first, ...others] = byNearness(received, registered)
  const nearest = first === undefined ? null : differenceOf(received, first)
  const shown = (text: string) =>
    stretchesOf(text).map((stretch) => (stretch.unseen ? html`<i class="unseen">${texts.unseen(stretch.text)}</i>` : stretch.text))
  type Runs = readonly { text: string; differs: boolean; missing: string }[]
  /** Marks what differs. Where the received address lacks characters, the mark names them. */
  const marked = (runs: Runs, kind: 'x' | 'y') =>
    runs.map(({ text, differs, missing }, index) => {
      if (!differs) return shown(text)
      if (text !== '') return html`<mark class="${kind}">${shown(text)}</mark>`
      if (kind === 'x') return html`<mark class="x gap">${texts.missing(missing)}</mark>`
      return index === runs.length - 1 && html`<mark class="y">${texts.end}</mark>`
    })
  const sentences = nearest ? sentencesOf(texts, nearest.changes) : [texts.none_registered]
  const other = (address: string) => html`<div><dt>${texts.registered}</dt><dd><code>${shown(address)}</code></dd></div>`

  return html`<dl class="addresses"><div class="got"><dt>${cross} ${texts.received} <code>${parameter}</code></dt><dd><code>${nearest ? marked(nearest.received, 'x') : shown(received)}</code></dd></div>
${nearest && html`<div><dt>${texts.nearest(registered.length)}</dt><dd><code>${marked(nearest.registered, 'y')}</code></dd></div>`}
${others.slice(0, 3).map(other)}</dl>
${others.length > 3 && html`<details><summary>${texts.more(others.length - 3)}</summary><dl class="addresses">${others.slice(3).map(other)}</dl></details>`}
<div class="why"><h2>${texts.what_differs}</h2>${sentences.slice(0, -1).map((sentence) => html`<p>${sentence}</p>`)}<p>${sentences.at(-1)} ${texts.rule}</p></div>`
}

/** One sentence for each difference. Addresses with many differences have little in common, so the rest is one sentence. */
function sentencesOf(texts: Texts['mismatch'], changes: readonly Change[]): string[] {
  const most = 5
  if (changes.length <= most) return changes.map(texts.change)
  return [...changes.slice(0, most - 1).map(texts.change), texts.more_changes(changes.length - most + 1)]
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
