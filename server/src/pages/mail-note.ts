// pure
/** The note of a page that waits for a mail: when a new one can be sent, or, in Test, where the mail is kept instead. */
import { type Html, html } from '../base/html.ts'
import type { PageContext } from './layout.ts'

/** Where a Test environment keeps its mail instead of sending it; `null` where mail is sent. */
export type InboxUrl = string | null

const kept = ({ texts: { code } }: PageContext, inbox_url: string): Html =>
  code.kept(html`<a href="${inbox_url}" target="_blank" rel="noopener" data-action="open-inbox">${code.open_inbox}</a>`)

/** Stands at the button that sends again, which refers to it by `aria-describedby="resend-note"`. Its words are those of the button. */
export const resendNote = (context: PageContext, inbox_url: InboxUrl, words = context.texts.code.resend_note): Html =>
  html`<p class="fine" id="resend-note">${inbox_url === null ? words : kept(context, inbox_url)}</p>`

/** On a page without that button: only where mail is kept. */
export const keptNote = (context: PageContext, inbox_url: InboxUrl): Html | null =>
  inbox_url === null ? null : html`<p class="fine hint">${kept(context, inbox_url)}</p>`
