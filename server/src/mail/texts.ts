// pure
/** The texts of mails. Values are plain text: the HTML escapes them, and a name never becomes a link. */
import type { MailKind } from '@ostiary/contract/mail.ts'
import { type Html, html, markupOf } from '../pages/html.ts'

/** The reason for a mail. */
export interface Notice {
  kind: MailKind
}

interface Envelope {
  to: string
  /** The name of the environment for its users. */
  brand: string
  support_url: string | null
  at: Date
}

export interface Composed {
  subject: string
  text: string
  html: string
  code: string | null
  link: string | null
}

/** Composes a mail as plain text and as HTML (RFC 2046 §5.1.4). */
export function compose({ kind }: Notice, envelope: Envelope): Composed {
  const { subject, paragraphs } = texts[kind](envelope)
  return { subject, text: `${paragraphs.join('\n\n')}\n`, html: markupOf(documentOf(subject, paragraphs)), code: null, link: null }
}

const texts: Record<MailKind, (envelope: Envelope) => { subject: string; paragraphs: readonly string[] }> = {
  password_changed: ({ to, brand, support_url, at }) => ({
    subject: `Your password for ${brand} was changed`,
    paragraphs: [
      `The password of ${to} at ${brand} was changed on ${formatted(at)}. Every session of this account was ended.`,
      support_url === null ? `If you did not expect this, contact ${brand}.` : `If you did not expect this, get help: ${support_url}`,
    ],
  }),
  method_removed: ({ to, brand, support_url, at }) => ({
    subject: `A way to sign in to ${brand} was removed`,
    paragraphs: [
      `A way to sign in to the account of ${to} at ${brand} was removed on ${formatted(at)}. The sessions that began with it were ended.`,
      support_url === null ? `If you did not expect this, contact ${brand}.` : `If you did not expect this, get help: ${support_url}`,
    ],
  }),
}

const formatted = (at: Date) => `${at.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`

function documentOf(subject: string, paragraphs: readonly string[]): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36rem; margin: 2rem auto; padding: 0 1rem">
${paragraphs.map(
  (paragraph) => html`<p>${paragraph}</p>
`,
)}</body></html>
`
}
