// pure
/** The API reference: every operation and every schema of the OpenAPI document on one page. */
import { type Html, html } from '../pages/html.ts'
import { type Document, nameOf, type Operation, type Parameter, type Response } from './document.ts'
import { curlOf, parametersOf } from './example.ts'
import { code, type DocumentPage, documentPage, inline, paragraphs } from './layout.ts'
import { fields, typeOf } from './schema.ts'

interface Entry {
  method: string
  path: string
  operation: Operation
}

export function referencePage(document: Document): DocumentPage {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = document.tags.map((tag) => ({ ...tag, entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)) }))
  const body = html`<h1>API reference</h1>
${paragraphs(document.info.description)}
<p>In the examples, <code>$BASE_URL</code> is <code>${document.servers[0]?.url}</code>. The same reference for machines is <a href="/openapi.json">openapi.json</a>.</p>
${groups.map(
  (
    group,
  ) => html`<section aria-labelledby="${idOf(group.name)}"><h2 id="${idOf(group.name)}"><a href="#${idOf(group.name)}">${group.name}</a></h2>
<p>${inline(group.description)}</p>
${group.entries.map((entry) => section(document, entry))}</section>`,
)}
<section aria-labelledby="schemas"><h2 id="schemas"><a href="#schemas">Schemas</a></h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => html`<article><h3 id="schema-${name}"><a href="#schema-${name}">${name}</a></h3>
${schema.description && html`<p>${inline(schema.description)}</p>`}
${fields(schema) ?? schema.oneOf?.map(fields) ?? html`<p>${typeOf(schema)}</p>`}</article>`,
)}</section>`
  const nav = html`<nav aria-label="Contents"><details open><summary>Contents</summary><ul>${groups.map(
    (group) =>
      html`<li><a href="#${idOf(group.name)}">${group.name}</a><ul>${group.entries.map(
        ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.operationId}</a></li>`,
      )}</ul></li>`,
  )}<li><a href="#schemas">Schemas</a></li></ul></details></nav>`
  return documentPage({ title: 'API reference', body, nav })
}

const idOf = (name: string): string => `tag-${name.toLowerCase().replaceAll(' ', '-')}`

function section(document: Document, { method, path, operation }: Entry): Html {
  const { operationId, summary, description, requestBody, responses } = operation
  const parameters = parametersOf(document, operation)
  const body = Object.values(requestBody?.content ?? {})[0]
  return html`<article id="${operationId}"><h3><a href="#${operationId}">${inline(summary)}</a></h3>
<p class="call"><span class="verb ${method}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(description)}
${parameters.length > 0 && html`<h4>Parameters</h4><dl class="fields">${parameters.map(parameterRow)}</dl>`}
${body && html`<h4>Body</h4>${body.schema.$ref ? html`<p>${typeOf(body.schema)}</p>` : fields(body.schema)}`}
<h4>Answers</h4><dl class="fields">${Object.entries(responses).map(([status, response]) => answerRow(document, status, response))}</dl>
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

/** The codes of errors are links to their pages. */
function withErrorLinks(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<a href="/docs/errors/${part}"><code>${part}</code></a>` : html`${part}`))}`
}

/** Pages have no example: browsers call them. */
function example(method: string, path: string, operation: Operation, parameters: readonly Parameter[]): Html | null {
  if (operation.tags.includes('Hosted pages')) return null
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.example
  return html`<h4>Example</h4>${code(curlOf(method, path, operation, parameters), `Call of ${operation.operationId} with curl`)}
${answer !== undefined && html`<details><summary>Answer</summary>${code(JSON.stringify(answer, null, 2), `Answer of ${operation.operationId}`)}</details>`}`
}
