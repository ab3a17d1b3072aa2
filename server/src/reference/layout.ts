// pure
/** The frame of the documentation pages. They are public and the same for everyone: no script, no form, no image. */
import { brandStyle } from '../pages/brand.ts'
import { contentSecurityPolicy } from '../pages/csp.ts'
import { type Html, html, markupOf, raw } from '../pages/html.ts'
import { styles } from '../pages/styles.ts'
import { reference_styles } from './styles.ts'

const sheets = [styles, brandStyle(null), reference_styles]

export interface DocumentPage {
  html: string
  csp: string
}

export function documentPage({ title, body, nav }: { title: string; body: Html; nav?: Html }): DocumentPage {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Ostiary</title>
${sheets.map((sheet) => html`<style>${raw(sheet)}</style>`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><b>Ostiary</b><a href="/docs/api">API reference</a><a href="/docs/errors">Errors</a><a href="/openapi.json">OpenAPI</a></header>
<div class="doc${nav ? '' : ' plain'}">
${nav}
<main id="content">
${body}
</main>
</div>
</body>
</html>
`
  return { html: markupOf(page), csp: contentSecurityPolicy({ styles: sheets, script: undefined, images: [] }) }
}

/** A text with code in backticks, and blank lines between paragraphs. */
export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

export function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** A block of code. Keyboards can scroll it. */
export const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`
