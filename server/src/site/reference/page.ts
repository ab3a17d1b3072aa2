// pure
/**
 * The API reference: an overview, a page for each group of operations, and a page of all schemas. The overview has the anchor of every
 * operation and every schema.
 */
import { whyNoExample } from '@ostiary/contract/api-examples.ts'
import { sdkAddress } from '@ostiary/contract/sdk-package.ts'
import { type Html, html } from '../../base/html.ts'
import { type Document, type Operation, type Parameter, type Response, referencedName } from './document.ts'
import { errorsOf, hasErrorPage } from './error-pages.ts'
import { answerText, exampleOf, parametersOf, waysOf } from './example.ts'
import { code, type DocumentPage, documentPage, inline, paragraphs } from './layout.ts'
import { fields, typeOf } from './schema.ts'

const sdkStart = ({ servers }: Document) => `import { createClient } from '@ostiary/sdk' // npm install ${sdkAddress(servers[0]?.url ?? '')}

const ostiary = createClient({ base_url: '${servers[0]?.url}', api_key: 'svc_platform_sk_…' })`

export interface Entry {
  method: string
  path: string
  operation: Operation
}

export interface Group {
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
<p>Each example is recorded from a running service, and a test sends it again. In the examples, <code>$BASE_URL</code> is
<code>${document.servers[0]?.url}</code>, and <code>$PLATFORM_KEY</code>, <code>$SECRET_KEY</code>, <code>$PUBLISHABLE_KEY</code> and
<code>$ACCESS_TOKEN</code> are your credentials. Ids, keys and tokens in them are made up. The <a href="/docs/sdk">SDK</a> calls each operation by its name:</p>
${code(sdkStart(document), 'Client of the SDK', 'ts')}
<p>The same reference for programs is <a href="/openapi.json">openapi.json</a>, and each page is Markdown with <code>.md</code> after its address.</p>
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
  return documentPage({ title: `${group.name} · API reference`, body, nav: navigation(groups, group.url), is_wide: true })
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
  const succeeded = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const failed = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return html`<article id="${operationId}"><h2><a href="#${operationId}">${inline(summary)}</a></h2>
<div class="split"><div>
<p class="call"><span class="verb ${method}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(description)}
${parameters.length > 0 && html`<h3>Parameters</h3><dl class="fields">${parameters.map(parameterRow)}</dl>`}
${body && html`<h3>Body</h3>${body.schema.$ref ? html`<p>${typeOf(body.schema)}</p>` : fields(body.schema)}`}
<h3>Answers</h3><dl class="fields">${succeeded.map(([status, response]) => answerRow(document, status, response))}</dl>
${failures(document, path, operation, failed)}
</div>${exampleBlock(method, path, operation)}</div></article>`
}

/** The errors of the operation itself, each once. Those that every operation can answer have a page of their own. */
function failures(document: Document, path: string, operation: Operation, failed: readonly [string, Response][]): Html {
  const own = operation['x-own-errors']
  if (own === undefined)
    return html`${failed.length > 0 && html`<dl class="fields">${failed.map(([status, response]) => answerRow(document, status, response))}</dl>`}`
  const known = errorsOf()
  const rows = own.flatMap((name) => known.filter(({ code }) => code === name))
  return html`<h3>Errors</h3>${
    rows.length > 0 &&
    html`<dl class="fields">${rows.map(
      ({ code, explanation }) =>
        html`<div><dt><a href="/docs/errors/${code}"><code>${code}</code></a></dt><dd>${inline(firstSentence(explanation))}</dd></div>`,
    )}</dl>`
  }<p class="fine">${path.startsWith('/v1/') ? html`And the <a href="/docs/errors#common">errors of every operation</a>.` : html`As JSON with <code>error</code>, or a problem for an unknown issuer. <a href="/docs/errors#oauth">All errors of OAuth</a>.`}</p>`
}

const firstSentence = (text: string) => text.replace(/(?<=[.?]) [A-Z`].*$/s, '')

/** A path that breaks after slashes. */
const breakable = (path: string): Html => html`${path.split('/').map((part, i) => html`${i > 0 && html`/<wbr>`}${part}`)}`

function parameterRow({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<div><dt><code>${name}</code> <span>${place}, ${typeOf(schema)}</span>${required && html` <span class="must">required</span>`}</dt><dd>${inline(description)}</dd></div>`
}

function answerRow({ components }: Document, status: string, sent: Response): Html {
  const response = sent.$ref === undefined ? sent : (components.responses[referencedName(sent.$ref)] ?? sent)
  const types = Object.entries(response.content ?? {})
  const of_success = types.filter(([type]) => type !== 'application/problem+json')
  return html`<div><dt><code>${status}</code>${of_success.map(([type, { schema }]) => html` <span>${type}${schema.$ref && html`: ${typeOf(schema)}`}</span>`)}</dt>
<dd>${withErrorLinks(response.description)}</dd></div>`
}

/** The codes of errors are links to their pages; other names in backticks are code. */
function withErrorLinks(text: string): Html {
  const name = (part: string) =>
    hasErrorPage(part) ? html`<a href="/docs/errors/${part}"><code>${part}</code></a>` : html`<code>${part}</code>`
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? name(part) : html`${part}`))}`
}

/** The call in each form beside its answer. Without scripts too, a choice shows one form. */
function exampleBlock(method: string, path: string, operation: Operation): Html {
  const { operationId } = operation
  const example = exampleOf(operation)
  if (example === null) return html`<div class="example"><p class="fine">${whyNoExample(operationId)}</p></div>`
  const ways = waysOf(method, path, operation)
  const choices = ways.map(
    ({ id, label }, i) =>
      html`<label><input type="radio" name="way-${operationId}" value="${id}"${i === 0 && html` checked`}> ${label}</label>`,
  )
  return html`<div class="example"><h3>Example</h3><div class="ways">${ways.length > 1 && html`<fieldset><legend class="vh">Form of the example</legend>${choices}</fieldset>`}
${ways.map(({ id, label, text }) => html`<div class="way ${id}">${code(text, `Call of ${operationId} with ${label}`, id === 'sdk' ? 'ts' : 'sh')}</div>`)}</div>
<p class="fine">Answer <code>${String(example.status)}</code></p>${code(answerText(example), `Answer of ${operationId}`, example.answer === undefined ? '' : 'json')}</div>`
}
