// pure
/**
 * Shows an email address or a host so that a line breaks before `@` and before a dot of the host. The part before `@` stays whole; a word
 * breaks only where it fits no line.
 */
import { type Html, html } from '../base/html.ts'

export function breakable(address: string): Html {
  const at = Math.max(address.lastIndexOf('@'), 0)
  const local = address.slice(0, at)
  const [first = '', ...rest] = address.slice(at).split(/(?=\.)/)
  return html`${local}${at > 0 && html`<wbr>`}${first}${rest.map((part) => html`<wbr>${part}`)}`
}
