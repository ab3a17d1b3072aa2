// pure
/**
 * Turns a Markdown document into HTML. The library splits the text into tokens; every element is written here by the escaping template, so
 * no document can add markup of its own: raw HTML and images are errors.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Html, html } from '../../base/html.ts'
import { code } from '../reference/layout.ts'
import { anchorsOf } from './anchors.ts'

export interface Heading {
  readonly id: string
  readonly depth: number
  readonly text: string
}

/** The text from a heading to the next one, for the search. */
interface Section {
  /** `null` before the first heading below the title. */
  readonly heading: Heading | null
  readonly text: string
}

export interface Rendered {
  readonly title: string
  /** Not made for the search, which needs the sections alone. */
  readonly body: () => Html
  /** The headings below the title. */
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** @param linkOf the address that a link of the document leads to */
export function renderMarkdown(markdown: string, linkOf: (href: string) => string): Rendered {
  const tokens = known(lexer(markdown))
  const found = tokens.filter((token) => token.type === 'heading')
  const anchors = anchorsOf(found.map(({ text }) => text))
  const headings = found.map((token, i) => ({ id: anchors[i] ?? '', depth: token.depth, text: textOf(token) }))
  const [title, ...others] = headings
  if (title?.depth !== 1) throw new Error('A document begins with its title.')
  const idOf = (token: MarkedToken) => anchors[found.indexOf(token as Tokens.Heading)] ?? '' // as: only called for headings
  return {
    title: title.text,
    body: () => html`${tokens.map((token) => block(token, { linkOf, idOf }))}`,
    headings: others,
    sections: sectionsOf(tokens, headings),
  }
}

interface Rules {
  linkOf: (href: string) => string
  idOf: (token: MarkedToken) => string
}

/** The library types tokens of extensions as `Generic`; there are none. */
const known = (tokens: readonly Token[]) => tokens as readonly MarkedToken[] // as: no extension is registered

function block(token: MarkedToken, rules: Rules): Html | null {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token, rules)
    case 'paragraph':
      return html`<p>${inline(token.tokens, rules)}</p>`
    case 'text':
      return html`${token.tokens ? inline(token.tokens, rules) : token.text}`
    case 'code':
      return code(token.text, labelOf(token), /^\S*/.exec(token.lang ?? '')?.[0])
    case 'blockquote':
      return html`<blockquote>${known(token.tokens).map((each) => block(each, rules))}</blockquote>`
    case 'list': {
      const items = token.items.map((item: Tokens.ListItem) => html`<li>${known(item.tokens).map((each) => block(each, rules))}</li>`)
      return token.ordered ? html`<ol class="list">${items}</ol>` : html`<ul class="list">${items}</ul>`
    }
    case 'table':
      return table(token, rules)
    case 'hr':
      return html`<hr>`
    default:
      throw new Error(`A document has a block of the type ${token.type}, which is not served: ${token.raw.slice(0, 80)}`)
  }
}

function heading(token: Tokens.Heading | Tokens.Generic, rules: Rules): Html {
  const id = rules.idOf(token as MarkedToken) // as: a heading
  const content = inline(token.tokens ?? [], rules)
  if (token.depth === 1) return html`<h1 id="${id}">${content}</h1>`
  const link = html`<a class="anchor" href="#${id}" aria-label="Link to ${textOf(token as MarkedToken)}">#</a>` // as: a heading
  return token.depth === 2
    ? html`<h2 id="${id}">${content} ${link}</h2>`
    : token.depth === 3
      ? html`<h3 id="${id}">${content} ${link}</h3>`
      : html`<h4 id="${id}">${content} ${link}</h4>`
}

/** Returns the label of a block of code for screen readers: the name of its file, or its kind. */
function labelOf({ lang = '' }: Tokens.Code | Tokens.Generic): string {
  const [language = '', role = ''] = String(lang).split(' ')
  if (role.includes('.')) return `File ${role}`
  return language === 'sh' ? 'Commands' : language === 'text' ? 'Output' : language === '' ? 'Text' : `Code in ${language}`
}

/** A wide table scrolls inside its frame, also by keyboard. */
function table({ header, rows }: Tokens.Table | Tokens.Generic, rules: Rules): Html {
  const heads = header as Tokens.TableCell[] // as: the cells of a table
  const lines = rows as Tokens.TableCell[][] // as: the cells of a table
  const label = heads.flatMap(({ text }) => text || []).join(', ')
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table: ${label || 'figures'}"><table>
<thead><tr>${heads.map(({ text, tokens }) => (text === '' ? html`<td></td>` : html`<th scope="col">${inline(tokens, rules)}</th>`))}</tr></thead>
<tbody>${lines.map((row) => html`<tr>${row.map(({ tokens }) => html`<td>${inline(tokens, rules)}</td>`)}</tr>`)}</tbody></table></div>`
}

function inline(tokens: readonly Token[], rules: Rules): Html {
  return html`${known(tokens).map((token) => span(token, rules))}`
}

function span(token: MarkedToken, rules: Rules): Html {
  switch (token.type) {
    case 'text':
      return token.tokens ? inline(token.tokens, rules) : html`${token.text}`
    case 'escape':
      return html`${token.text}`
    case 'codespan':
      return html`<code>${token.text}</code>`
    case 'strong':
      return html`<strong>${inline(token.tokens, rules)}</strong>`
    case 'em':
      return html`<em>${inline(token.tokens, rules)}</em>`
    case 'link':
      return html`<a href="${rules.linkOf(token.href)}">${inline(token.tokens, rules)}</a>`
    case 'br':
      return html`<br>`
    default:
      throw new Error(`A document has text of the type ${token.type}, which is not served: ${token.raw.slice(0, 80)}`)
  }
}

/** The text of a token without its marks. */
function textOf(token: MarkedToken): string {
  switch (token.type) {
    case 'list':
      return token.items.map((item: Tokens.ListItem) => known(item.tokens).map(textOf).join(' ')).join(' ')
    case 'table':
      return [token.header, ...token.rows].map((row: Tokens.TableCell[]) => row.map(({ tokens }) => joined(tokens)).join(' ')).join(' ')
    case 'space':
    case 'hr':
    case 'br':
    case 'def':
      return ' '
    default:
      return 'tokens' in token && token.tokens ? joined(token.tokens) : 'text' in token ? String(token.text) : ''
  }
}

const joined = (tokens: readonly Token[]): string => known(tokens).map(textOf).join('')

function sectionsOf(tokens: readonly MarkedToken[], headings: readonly Heading[]): Section[] {
  const sections: { heading: Heading | null; texts: string[] }[] = []
  let next = 0
  for (const token of tokens) {
    if (token.type === 'heading') sections.push({ heading: next === 0 ? null : (headings[next] ?? null), texts: [] })
    if (token.type === 'heading') next += 1
    else sections.at(-1)?.texts.push(textOf(token))
  }
  return sections.map(({ heading, texts }) => ({ heading, text: texts.join(' ').replaceAll(/\s+/g, ' ').trim() }))
}
