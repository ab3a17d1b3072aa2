/**
 * Serves the documentation: the OpenAPI document, the reference made from it, and the pages of error codes. All texts are the same for
 * everyone and are made at the first request for them.
 */
import { hash } from 'node:crypto'
import { openApi } from '@ostiary/contract/openapi.ts'
import type { Document } from './document.ts'
import { errorIndex, errorPage } from './error-pages.ts'
import type { DocumentPage } from './layout.ts'
import { referencePage } from './page.ts'

type Name = 'openapi' | 'reference' | 'errorIndex' | 'errorPage'

interface Text {
  body: string
  headers: Record<string, string>
}

export function createReference(base_url: string) {
  const document = openApi(base_url) as unknown as Document & { components: { examples: Record<string, { value: unknown }> } } // as: document.ts has the part that is used here
  const texts = new Map<string, Text>() // at most one for each name and known code

  function make(name: Name, code: string): Text | null {
    switch (name) {
      case 'openapi':
        return withTag(JSON.stringify(document), { 'content-type': 'application/json; charset=utf-8' })
      case 'reference':
        return pageText(referencePage(document))
      case 'errorIndex':
        return pageText(errorIndex())
      case 'errorPage':
        return pageText(errorPage(document, code))
    }
  }

  /** `null` for a code that does not exist. */
  return (name: Name, code = ''): Text | null => {
    const known = texts.get(`${name} ${code}`) ?? make(name, code)
    if (known) texts.set(`${name} ${code}`, known)
    return known
  }
}

function pageText(page: DocumentPage | null): Text | null {
  if (!page) return null
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.csp, 'referrer-policy': 'no-referrer' }
  return withTag(page.html, { ...headers, 'content-language': 'en' })
}

function withTag(body: string, headers: Record<string, string>): Text {
  return { body, headers: { ...headers, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` } }
}
