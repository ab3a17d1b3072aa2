// pure
/**
 * The frame of the documentation pages: they are public and the same for everyone. The one script adds copy buttons and suggestions of the
 * search; without it the search is a form.
 */
import { type Html, html, markupOf, raw } from '../../base/html.ts'
import { brandStyle } from '../../pages/brand.ts'
import { contentSecurityPolicy } from '../../pages/csp.ts'
import { iconOf } from '../../pages/favicon.ts'
import { styles } from '../../pages/styles.ts'
import { colored } from './colored.ts'
import { documentation_script } from './script.ts'
import { reference_styles } from './styles.ts'

const sheets = [styles, brandStyle(null), reference_styles]
const icon = iconOf({ environment_type: null, branding: { display_name: '', logo_url: null, primary_color: null } })

export interface DocumentPage {
  html: string
}

interface Parts {
  title: string
  body: Html
  /** The contents, beside the page. */
  nav: Html
  /** The headings of the page. */
  aside?: Html | null
  /** The page has examples beside its texts. */
  is_wide?: boolean
}

/** `base_url` is where the script searches. */
export const documentPolicy = (base_url: string): string =>
  contentSecurityPolicy({ styles: sheets, script: documentation_script, images: [], calls: `${base_url}/docs/search` })

export function documentPage({ title, body, nav, aside, is_wide = false }: Parts): DocumentPage {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Ostiary</title>
<link rel="icon" href="${icon}">
${sheets.map((sheet) => html`<style>${raw(sheet)}</style>`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="home" href="/docs"><b>Ostiary</b></a>
<form class="find" role="search" action="/docs/search"><label class="vh" for="q">Search the documentation</label>
<input type="search" id="q" name="q" maxlength="100" autocomplete="off" placeholder="Search" aria-keyshortcuts="/"><button class="b">Search</button></form>
<div class="main"><a href="/docs/api">API reference</a><a href="/docs/errors">Errors</a><a href="/dashboard">Dashboard</a></div></header>
<div class="doc${aside ? ' three' : ''}${is_wide ? ' wide' : ''}">
${nav}
<main id="content" tabindex="-1">
${body}
</main>
${aside}
</div>
<script>${raw(documentation_script)}</script>
</body>
</html>
`
  return { html: markupOf(page) }
}

/** A text with code in backticks, and blank lines between paragraphs. */
export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

export function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** A block of code, in colours where the language is known. Keyboards can scroll it. */
export const code = (text: string, label: string, language = ''): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${colored(text, language)}</code></pre>`
