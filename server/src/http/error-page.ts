// pure
/** The documentation page of an error code. The `type` of every problem response is the address of this page. */
import { createHash } from 'node:crypto'
import { type ErrorCode, errors } from '@ostiary/contract/errors.ts'
import { html, markupOf, raw } from '../pages/html.ts'

const style =
  ':root{color-scheme:light dark}body{font:16px/1.5 ui-sans-serif,system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:2.5rem 1rem}code{font-family:ui-monospace,monospace}h1{font-size:1.5rem}dt{font-weight:600;margin-top:1rem}dd{margin:0}'
const style_hash = createHash('sha256').update(style).digest('base64')

export function errorPage(code: ErrorCode): { html: string; csp: string } {
  const { status, title, explanation } = errors[code]
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${code} · Ostiary errors</title><style>${raw(style)}</style></head>
<body><main><h1>${title}</h1><p>${explanation}</p><dl><dt>Code</dt><dd><code>${code}</code></dd><dt>HTTP status</dt><dd>${status}</dd></dl></main></body></html>`
  return { html: markupOf(page), csp: `default-src 'none'; style-src 'sha256-${style_hash}'; frame-ancestors 'none'; base-uri 'none'` }
}
