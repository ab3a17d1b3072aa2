/**
 * Serves the documentation: the documents, the reference and the pages of error codes, their search, the OpenAPI document and `llms.txt`.
 * All texts are the same for everyone. Each is made and compressed at the first request for it, and then kept.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { described_base_url } from '@ostiary/contract/described-base-url.ts'
import { type Described, errorIndex, errorPage, errorsOf } from '../reference/error-pages.ts'
import { type DocumentPage, documentPolicy } from '../reference/layout.ts'
import { errorMarkdown, errorsMarkdown, groupMarkdown, referenceMarkdown } from '../reference/markdown.ts'
import { groupsOf, referenceGroup, referenceOverview, referenceSchemas } from '../reference/page.ts'
import type { Document, Library } from './document.ts'
import type { Found } from './found.ts'
import { readLibrary } from './library.ts'
import { other_words } from './other-words.ts'
import { documentPageOf, examplePage, linksOf, navigation, overviewPage, searchPage } from './pages.ts'
import { type Entry, type EntryKind, searchBuilder, shorten } from './search.ts'
import { type Text, withForms } from './text.ts'

/** The rows of the route table that are answered here. Those with a parameter have a page for each value that exists. */
export type DocumentationRow =
  | 'openapi'
  | 'forPrograms'
  | 'documents'
  | 'document'
  | 'guide'
  | 'settingsPage'
  | 'example'
  | 'decision'
  | 'operatorExample'
  | 'reference'
  | 'referenceGroup'
  | 'errorIndex'
  | 'errorPage'

/** @param root the folder that has `docs/` */
export function createDocumentation(base_url: string, root: string) {
  const document = describedFor(base_url, root)
  const library = readLibrary(root, base_url)
  const page_headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-language': 'en',
    'content-security-policy': documentPolicy(base_url),
    'referrer-policy': 'no-referrer',
  }
  const errors_navigation = navigation(linksOf(library), '/docs/errors')
  const search_navigation = navigation(linksOf(library), '/docs/search')

  function pageOf(row: DocumentationRow, parameter: string): DocumentPage | null {
    switch (row) {
      case 'documents':
        return overviewPage(library)
      case 'decision':
        return documentNamed(`decisions/${parameter}`)
      case 'guide':
        return documentNamed(`guides/${parameter}`)
      case 'settingsPage':
        return documentNamed(`settings/${parameter}`)
      case 'example':
        return documentNamed(`examples/${parameter}`)
      case 'document':
        return documentNamed(parameter)
      case 'operatorExample':
        return examplePage(library, parameter)
      case 'reference':
        return referenceOverview(document)
      case 'referenceGroup':
        return parameter === 'schemas' ? referenceSchemas(document) : referenceGroup(document, parameter)
      case 'errorIndex':
        return errorIndex(errors_navigation)
      case 'errorPage':
        return errorPage(document, parameter, errors_navigation)
      default:
        return null
    }
  }

  function documentNamed(name: string): DocumentPage | null {
    const found = library.documents.get(name)
    return found ? documentPageOf(library, found) : null
  }

  /** The Markdown of a page, for an address that ends with `.md`; `null` for other addresses. */
  function markdownOf(row: DocumentationRow, parameter: string): string | null {
    const name = /^(.+)\.md$/.exec(parameter)?.[1]
    if (name === undefined) return null
    if (row === 'referenceGroup') return groupMarkdown(document, name)
    if (row === 'errorPage') return errorMarkdown(document, name)
    if (row === 'document' && Object.hasOwn(made_markdown, name)) return made_markdown[name]?.() ?? null
    const folder = { document: '', guide: 'guides/', settingsPage: 'settings/', example: 'examples/', decision: 'decisions/' }[String(row)]
    return folder === undefined ? null : (library.documents.get(folder + name)?.source ?? null)
  }

  /** The Markdown of the pages that are made from tables. */
  const made_markdown: Readonly<Record<string, () => string>> = {
    api: () => referenceMarkdown(document),
    errors: errorsMarkdown,
  }

  function make(row: DocumentationRow, parameter: string): { body: string; headers: Record<string, string> } | null {
    if (row === 'openapi') return { body: JSON.stringify(document), headers: { 'content-type': 'application/json; charset=utf-8' } }
    if (row === 'forPrograms') return { body: library.for_programs, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    const markdown = markdownOf(row, parameter)
    if (markdown !== null) return { body: markdown, headers: { 'content-type': 'text/markdown; charset=utf-8' } }
    const page = pageOf(row, parameter)
    return page && { body: page.html, headers: page_headers }
  }

  let loading: ReturnType<typeof searchOf> | null = null
  function searching() {
    loading ??= searchOf(library, document)
    return loading
  }

  const texts = new Map<string, Promise<Text>>() // at most one for each page that exists

  return {
    /** `null` for a page that does not exist. */
    async find(row: DocumentationRow, parameter = ''): Promise<Text | null> {
      const key = `${row} ${parameter}`
      const known = texts.get(key)
      if (known) return known
      const made = make(row, parameter)
      if (!made) return null
      const text = withForms(made)
      texts.set(key, text)
      return text
    },

    search: async (query: string): Promise<Found[]> => (await searching()).search(query),
    answerSearch: async (query: string) => ({ query: shorten(query), results: (await searching()).search(query) }),
    /** The address of each section that a search can find. */
    addresses: async () => (await searching()).addresses,
    /** How a search was answered. */
    explain: async (query: string) => (await searching()).explain(query),
    searchPage: async (query: string) => ({
      body: searchPage(search_navigation, shorten(query), (await searching()).search(query)).html,
      headers: page_headers,
    }),
  }
}

/** The document that `npm run docs` writes, with this base URL: making it from the tables would stop the process for a third of a second. */
function describedFor(base_url: string, root: string): Described {
  const text = readFileSync(join(root, 'docs/openapi.json'), 'utf8')
  return JSON.parse(text.replaceAll(described_base_url, base_url))
}

/** Indexes what the search finds: the sections of documents, the examples for operators, the operations and the error codes. Other requests are answered in between. */
async function searchOf(library: Library, document: Described) {
  const { add, build } = searchBuilder()
  async function addOne(entry: Entry): Promise<void> {
    add(entry)
    await setImmediate()
  }
  for (const described of library.documents.values()) {
    const sections = sectionsOf(described)
    for (const section of sections) await addOne(section)
  }
  for (const entry of [...examplesOf(library), ...othersOf(document)]) await addOne(entry)
  return build(() => setImmediate())
}

function sectionsOf({ name, title, summary, url, render }: Document): Entry[] {
  return render().sections.map(({ heading, text }) => {
    const address = heading ? `${url}#${heading.id}` : url
    const others = otherWordsOf(address)
    return {
      kind: kindOf(name),
      title,
      heading: heading?.text ?? title,
      url: address,
      text,
      about: heading ? others : `${summary} ${others}`,
    }
  })
}

const otherWordsOf = (address: string): string => other_words[address.replace('/docs/', '')] ?? ''

/** The comments at the beginning of a file say what it is for. */
const examplesOf = ({ examples }: Library): Entry[] =>
  [...examples].map(([file, text]) => ({
    kind: 'guide',
    title: 'Examples for operators',
    heading: file,
    url: `/docs/packaging/${file}`,
    text: text.slice(0, 2_000).replaceAll(/\s+/g, ' '),
    about: otherWordsOf(`/docs/packaging/${file}`),
  }))

function othersOf(document: Described): Entry[] {
  const operations = groupsOf(document).flatMap((group) =>
    group.entries.map(({ method, path, operation: { operationId, summary, description } }) => ({
      kind: 'operation' as const,
      title: `API reference: ${group.name}`,
      heading: summary.replaceAll('`', ''),
      url: `${group.url}#${operationId}`,
      name: operationId,
      text: `${method} ${path} ${operationId} ${description.replaceAll('`', '')}`,
    })),
  )
  const errors = errorsOf().map(({ code, explanation }) => ({
    kind: 'error' as const,
    title: 'Errors',
    heading: code,
    url: `/docs/errors/${code}`,
    text: explanation,
  }))
  return [...operations, ...errors]
}

/** Documents that are rarely the answer: those of the project, and records of what was decided and changed. A thing that is here ranks above one that is not. */
function kindOf(name: string): EntryKind {
  if (name.startsWith('decisions/') || name === 'changelog') return 'record'
  if (name === 'not-here') return 'absent'
  return ['readme', 'contributing', 'architecture', 'results'].includes(name) ? 'project' : 'guide'
}
