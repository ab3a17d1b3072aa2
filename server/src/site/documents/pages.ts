// pure
/** The pages of documents: the overview, a document, an example for operators, and the results of a search. */
import { type Html, html } from '../../base/html.ts'
import { endingOf } from '../reference/colored.ts'
import { code, type DocumentPage, documentPage, inline } from '../reference/layout.ts'
import { contents } from './contents.ts'
import type { Document, Library } from './document.ts'
import { type Found, longest_search } from './found.ts'
import type { Heading } from './markdown.ts'

interface Link {
  readonly title: string
  readonly url: string
}

/** The pages that are made from the route table and the table of errors, in the group of the reference. */
const made: readonly Link[] = [
  { title: 'API reference', url: '/docs/api' },
  { title: 'Errors', url: '/docs/errors' },
]

interface LinkGroup {
  readonly title: string
  readonly links: readonly Link[]
}

/** The contents with the titles of the documents. */
export const linksOf = (library: Library): LinkGroup[] =>
  contents.map(({ title, documents }) => ({
    title,
    links: [...(title === 'Reference' ? made : []), ...documents.flatMap(({ name }) => linkTo(library, name))],
  }))

const linkTo = (library: Library, name: string): Link[] => {
  const document = library.documents.get(name)
  return document ? [{ title: document.title, url: document.url }] : []
}

/** The contents beside a page. */
export function navigation(groups: readonly LinkGroup[], current: string): Html {
  return html`<nav aria-label="Documentation"><details open><summary>Documentation</summary>
<a href="/docs"${current === '/docs' && html` aria-current="page"`}>Overview</a>
${groups.map(
  ({ title, links }) =>
    html`<p class="group">${title}</p><ul>${links.map(
      (link) => html`<li><a href="${link.url}"${link.url === current && html` aria-current="page"`}>${link.title}</a></li>`,
    )}</ul>`,
)}</details></nav>`
}

/** A page beside the contents. */
function framed(
  library: Library,
  { url, title, body, headings = [] }: { url: string; title: string; body: Html; headings?: readonly Heading[] },
): DocumentPage {
  const groups = linksOf(library)
  return documentPage({ title, body, nav: navigation(groups, url), aside: onThisPage(headings) })
}

function onThisPage(headings: readonly Heading[]): Html | null {
  const shown = headings.filter(({ depth }) => depth <= 3)
  if (shown.length < 2) return null
  return html`<aside aria-label="On this page"><p class="group">On this page</p><ul>${shown.map(
    ({ id, depth, text }) => html`<li class="depth${depth}"><a href="#${id}">${text}</a></li>`,
  )}</ul></aside>`
}

export function overviewPage(library: Library): DocumentPage {
  const body = html`<h1>Documentation</h1>
<p>Begin with the <a href="/docs/quick-start">quick start</a>: it leads to a signed-in user of your own application. Press <kbd>/</kbd> to search.
Programs read <a href="/llms.txt">llms.txt</a>, and each page below as Markdown: add <code>.md</code> to its address.</p>
${linksOf(library).map(
  ({ title, links }) =>
    html`<section><h2>${title}</h2><dl class="fields">${links.map(
      ({ title, url }) => html`<div><dt><a href="${url}">${title}</a></dt><dd>${inline(summaryOf(library, url))}</dd></div>`,
    )}</dl></section>`,
)}`
  return framed(library, { url: '/docs', title: 'Documentation', body })
}

const summaries: Readonly<Record<string, string>> = {
  '/docs/api': 'Every operation, with its parameters, fields, errors and an example.',
  '/docs/errors': 'Every error code, with its cause and its remedy.',
}

function summaryOf({ documents }: Library, url: string): string {
  const summary = documents.get(url.replace('/docs/', ''))?.summary ?? ''
  return summaries[url] ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

export function documentPageOf(library: Library, document: Document): DocumentPage {
  const order = linksOf(library).flatMap(({ links }) => links)
  const at = order.findIndex(({ url }) => url === document.url)
  const rendered = document.render()
  const body = html`${rendered.body()}
<p class="fine source"><a href="${document.url}.md">This page as Markdown</a></p>
${at >= 0 && neighbours(order[at - 1], order[at + 1])}`
  return framed(library, { url: document.url, title: document.title, body, headings: rendered.headings })
}

const neighbours = (previous: Link | undefined, next: Link | undefined): Html =>
  html`<nav class="turn" aria-label="Previous and next page">${previous && html`<a href="${previous.url}" rel="prev"><span>Previous</span> ${previous.title}</a>`}
${next && html`<a href="${next.url}" rel="next"><span>Next</span> ${next.title}</a>`}</nav>`

/** `null` for a file that is not an example. */
export function examplePage(library: Library, file: string): DocumentPage | null {
  const text = library.examples.get(file)
  if (text === undefined) return null
  const body = html`<h1>${file}</h1><p>An example for operators, from <code>packaging/</code> of a clone or a release. The <a href="/docs/operate">operating guide</a> explains it.</p>${code(text.trimEnd(), `File ${file}`, endingOf(file))}`
  return framed(library, { url: `/docs/packaging/${file}`, title: file, body })
}

/** @param nav the contents, made once */
export function searchPage(nav: Html, query: string, found: readonly Found[]): DocumentPage {
  const body = html`<h1>Search</h1>
${searchForm(query, 'on-page')}
${query === '' ? before_search : html`<p role="status">${found.length === 0 ? nothingFound(query) : countOf(found)}</p>`}
<ol class="found">${found.map(
    ({ title, heading, url, excerpt }) =>
      html`<li><a href="${url}">${heading}</a>${title !== heading && html` <span class="fine">${title}</span>`}<p>${marked(excerpt, query)}</p></li>`,
  )}</ol>
${found.length > 0 && html`<p class="fine">Not what you looked for? ${not_here} names what Ostiary lacks, each with a way that works today.</p>`}`
  return documentPage({ title: 'Search', body, nav, aside: null })
}

const not_here = html`<a href="/docs/not-here">Not here, and what to do instead</a>`
const before_search = html`<p>Ask in your own words, or type a code or a setting, such as <code>invalid_grant</code>.</p>`
const countOf = (found: readonly Found[]) => (found.length === 1 ? 'One section found.' : `${found.length} sections found.`)
const nothingFound = (query: string) =>
  html`Nothing was found for <b>${query}</b>. Try fewer or other words. ${not_here} names what Ostiary lacks, <a href="/docs/errors">Errors</a> lists every code, and the <a href="/docs">overview</a> every page.`

/** Words of a text that begin with a word of the query stand out. */
function marked(text: string, query: string): Html {
  const words = query.match(/[\p{L}\p{N}_]{3,}/gu) ?? []
  if (words.length === 0) return html`${text}`
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.join('|')})[\\p{L}\\p{N}_]*)`, 'giu'))
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<mark>${part}</mark>` : part))}`
}

/** @param id makes the fields of several forms different */
function searchForm(query: string, id: string): Html {
  return html`<form class="search" role="search" aria-label="On this page" action="/docs/search"><label for="q-${id}">A question, words or an error code</label>
<input type="search" id="q-${id}" name="q" value="${query}" maxlength="${longest_search}" autocomplete="off"> <button class="b">Search</button></form>`
}
