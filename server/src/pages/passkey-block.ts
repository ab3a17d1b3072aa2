// pure
/** A part of a page that only `passkey-script.ts` shows: a form that posts the response of an authenticator in its field `credential`. */
import { type Html, html } from '../base/html.ts'
import type { PageContext } from './layout.ts'

export interface PasskeyCeremony {
  /** `get` signs in, `create` adds a passkey. */
  kind: 'get' | 'create'
  /** The options of the ceremony, as JSON. */
  options: string
  /** A cookie that the script sets: the browser can use passkeys. */
  able_cookie: string | null
  /** A passkey that this environment removed, which the browser may forget: the RP ID and the credential, as JSON. */
  removed: string | null
  /** The browser creates the passkey by itself as soon as the page is open. */
  is_automatic?: boolean
}

export function passkeyBlock(
  { texts, preview }: PageContext,
  { kind, options, able_cookie, removed, is_automatic = false }: PasskeyCeremony,
  content: Html,
): Html {
  const { not_used, not_added, known } = texts.passkey
  const failed = kind === 'get' ? not_used : not_added
  return html`<div${!preview && html` hidden`} data-passkey="${kind}" data-options="${options}"${able_cookie && html` data-cookie="${able_cookie}"`}${removed && html` data-removed="${removed}"`}${is_automatic && html` data-automatic`}>${content}
<p class="wrong" hidden data-when="failed">${failed}</p>${kind === 'create' && html`<p class="wrong" hidden data-when="known">${known}</p>`}</div>`
}

/** Returns the help for browsers that do not show the block. It follows the block in the page, and disappears when the block appears. */
export const withoutPasskeys = (help: string): Html => html`<p class="hint without-passkeys">${help}</p>`
