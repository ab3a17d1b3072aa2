// pure
/**
 * The API reference: an overview, a page for each group of operations, and a page of all schemas. The overview has the anchor of every
 * operation and every schema.
 */
import { type Html, html } from '../base/html.ts'
import { type Document, nameOf, type Operation, type Parameter, type Response } from './document.ts'
import { errorsOf } from './error-pages.ts'
import { curlOf, parametersOf } from './example.ts'
import { code, type DocumentPage, documentPage, inline, paragraphs } from './layout.ts'
import { fields, typeOf } from './schema.ts'

interface Entry {
  method: string
  path: string
  operation: Operation
}

interface Group {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly entries: readonly Entry[]
}

/** The groups in the order of the reference. */
export function groupsOf(document: Document): Group[] {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    url: `/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

export function referenceOverview(document: Document): DocumentPage {
  const groups = groupsOf(document)
  const body = html`<h1>API reference</h1>
${paragraphs(document.info.description)}
<p>In the examples, <code>$BASE_URL</code> is <code>${document.servers[0]?.url}</code>. The same reference for programs is <a href="/openapi.json">openapi.json</a>.</p>
${groups.map(
  ({ name, description, url, entries }) => html`<section><h2><a href="${url}">${name}</a></h2><p>${inline(description)}</p>
<ul class="calls">${entries.map(
    ({ method, path, operation: { operationId, summary } }) =>
      html`<li id="${operationId}"><a href="${url}#${operationId}">${inline(summary)}</a><span class="call"><span class="verb ${method}">${method}</span> <code>${breakable(path)}</code></span></li>`,
  )}</ul></section>`,
)}
<section><h2><a href="/docs/api/schemas">Schemas</a></h2>
<ul class="names">${Object.keys(document.components.schemas).map(
    (name) => html`<li id="schema-${name}"><a href="/docs/api/schemas#schema-${name}">${name}</a></li>`,
  )}</ul></section>`
  return documentPage({ title: 'API reference', body, nav: navigation(groups, '/docs/api') })
}

/** `null` for a name that no group has. */
export function referenceGroup(document: Document, name: string): DocumentPage | null {
  const groups = groupsOf(document)
  const group = groups.find(({ url }) => url === `/docs/api/${name}`)
  if (!group) return null
  const body = html`<h1>${group.name}</h1>
<p>${inline(group.description)}</p>
${group.entries.map((entry) => section(document, entry))}`
  return documentPage({ title: `${group.name} · API reference`, body, nav: navigation(groups, group.url) })
}

export function referenceSchemas(document: Document): DocumentPage {
  const body = html`<h1>Schemas</h1>
<p>The objects that operations take and return.</p>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => html`<article><h2 id="schema-${name}"><a href="#schema-${name}">${name}</a></h2>
${schema.description && html`<p>${inline(schema.description)}</p>`}
${fields(schema) ?? schema.oneOf?.map(fields) ?? html`<p>${typeOf(schema)}</p>`}</article>`,
)}`
  return documentPage({ title: 'Schemas · API reference', body, nav: navigation(groupsOf(document), '/docs/api/schemas') })
}

/** The groups beside a page, with the operations of the one that is shown. */
function navigation(groups: readonly Group[], current: string): Html {
  const link = (url: string, title: string) => html`<a href="${url}"${url === current && html` aria-current="page"`}>${title}</a>`
  return html`<nav aria-label="API reference"><details open><summary>API reference</summary>
<a href="/docs">All documentation</a>${link('/docs/api', 'Overview')}
<ul>${groups.map(
    ({ url, name, entries }) =>
      html`<li>${link(url, name)}${url === current && html`<ul>${entries.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.operationId}</a></li>`)}</ul>`}</li>`,
  )}<li>${link('/docs/api/schemas', 'Schemas')}</li></ul></details></nav>`
}

function section(document: Document, { method, path, operation }: Entry): Html {
  const { operationId, summary, description, requestBody, responses } = operation
  const parameters = parametersOf(document, operation)
  const body = Object.values(requestBody?.content ?? {})[0]
  return html`<article id="${operationId}"><h2><a href="#${operationId}">${inline(summary)}</a></h2>
<p class="call"><span class="verb ${method}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(description)}
${parameters.length > 0 && html`<h3>Parameters</h3><dl class="fields">${parameters.map(parameterRow)}</dl>`}
${body && html`<h3>Body</h3>${body.schema.$ref ? html`<p>${typeOf(body.schema)}</p>` : fields(body.schema)}`}
<h3>Answers</h3><dl class="fields">${Object.entries(responses).map(([status, response]) => answerRow(document, status, response))}</dl>
${example(method, path, operation, parameters)}</article>`
}

/** A path that breaks after slashes. */
const breakable = (path: string): Html => html`${path.split('/').map((part, i) => html`${i > 0 && html`/<wbr>`}${part}`)}`

function parameterRow({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<div><dt><code>${name}</code> <span>${place}, ${typeOf(schema)}</span>${required && html` <span class="must">required</span>`}</dt><dd>${inline(description)}</dd></div>`
}

function answerRow({ components }: Document, status: string, sent: Response): Html {
  const response = sent.$ref === undefined ? sent : (components.responses[nameOf(sent.$ref)] ?? sent)
  const types = Object.entries(response.content ?? {})
  const of_success = types.filter(([type]) => type !== 'application/problem+json')
  return html`<div><dt><code>${status}</code>${of_success.map(([type, { schema }]) => html` <span>${type}${schema.$ref && html`: ${typeOf(schema)}`}</span>`)}</dt>
<dd>${withErrorLinks(response.description)}</dd></div>`
}

/** The codes of errors are links to their pages; other names in backticks are code. */
function withErrorLinks(text: string): Html {
  const known = new Set(errorsOf().map(({ code }) => code))
  const name = (part: string) =>
    known.has(part) ? html`<a href="/docs/errors/${part}"><code>${part}</code></a>` : html`<code>${part}</code>`
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? name(part) : html`${part}`))}`
}

/** Pages are called by browsers. Their example is the same request without one. */
function example(method: string, path: string, operation: Operation, parameters: readonly Parameter[]): Html {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.example
  return html`<h3>Example</h3>${code(curlOf(method, path, operation, parameters), `Call of ${operation.operationId} with curl`)}
${answer !== undefined && html`<details><summary>Answer</summary>${code(JSON.stringify(answer, null, 2), `Answer of ${operation.operationId}`)}</details>`}`
}
